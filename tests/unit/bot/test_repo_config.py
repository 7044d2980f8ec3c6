"""The repository configuration works empty, inherits, and names every problem with its line and key."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agent.config import TOKENS, BudgetLimits, RunConfig
from agent.domain.run import Depth
from agent.patches.scope import ScopeLimits
from bot.repo_config import (
    DEFAULTS,
    AppIdentity,
    ConfigProblems,
    Operator,
    RepoConfig,
    read_config,
    run_config,
    trigger_config,
)
from bot.repo_config.schema import GUIDE, SCHEMA, schema_text, with_keys
from bot.repo_config.yaml_tree import read_tree
from handlers.intents import Permission
from handlers.triggers import AdvisoryTrigger, AlertThreshold, TriggerConfig

ROOT = Path(__file__).parents[3]

FULL = """\
enabled: true
triggers:
  labels: [security, vulnerability]
  advisories: [published]
  code_scanning: high
  dependabot: any
commands:
  permission: admin
  bots: [41898282]
branches:
  base: develop
  release: ["release/*"]
build:
  install: pip install -e .
  packages: [libxml2-dev]
  build: [make, make assets]
  test: pytest -q
  python: "3.12"
  node: "20"
paths:
  include: ["src/**"]
  exclude: ["src/vendored/**"]
  protected: ["docs/**"]
limits:
  files: 3
  lines: 80
  minutes: 20
  money: 1.5
  tokens: 100000
  ci_refinements: 1
  open_pull_requests: 2
publish:
  draft: false
  unproven: none
  labels: [security]
  reviewers: [octocat]
  signoff: true
  title: "fix: {title} ({id})"
models:
  author: large
  reviewer: small
  depth: thorough
retrieval:
  alpha: 0.2
  top_k: 10
"""
OPERATOR = Operator(models=("small", "large"), minutes=30, money=2.0, tokens=200_000)


def good(text: str | bytes | None, **changes: Any) -> RepoConfig:
    config = read_config(text, **changes)
    assert isinstance(config, RepoConfig), str(config)
    return config


def lines(text: str | bytes, **changes: Any) -> list[str]:
    found = read_config(text, **changes)
    assert isinstance(found, ConfigProblems)
    return str(found).splitlines()


@pytest.mark.parametrize(
    "text", [None, "", b"", "# only a comment\n", "triggers:\n# all defaults\n", "~", "---\n"]
)
def test_it_works_empty(text: str | bytes | None) -> None:
    assert good(text) == DEFAULTS


def test_every_key_is_read() -> None:
    config = good(FULL, operator=OPERATOR)
    given_keys = {
        (name, key) for name, section in yaml.safe_load(FULL).items() if name != "enabled" for key in section
    }
    known = {
        (name, key)
        for name, section in json.loads(config.model_dump_json()).items()
        if name != "enabled"
        for key in section
    }
    assert given_keys == known
    assert config.build.install == ("pip install -e .",)
    assert config.build.build == ("make", "make assets")
    assert config.triggers.advisories == (AdvisoryTrigger.PUBLISHED,)
    assert config.publish.title == "fix: {title} ({id})"


def test_every_problem_is_named_at_once_with_line_and_key() -> None:
    text = """\
enabled: perhaps
trigers: {}
triggers:
  labels: security
  code_scanning: extreme
limits:
  files: 6.5
  lines: 0
  tokens: many
  ci_refinements: 11
build:
  python: 3.10
  instal: make
publish: []
models:
  colour: blue
"""
    assert lines(text) == [
        "line 1, `enabled`: true or false is expected",
        "line 2, `trigers`: there is no such key; did you mean `triggers`?",
        "line 4, `triggers.labels`: a list is expected",
        "line 5, `triggers.code_scanning`: `never`, `critical`, `high`, `moderate`, `low` or `any` is expected",
        "line 7, `limits.files`: a whole number is expected",
        "line 8, `limits.lines`: at least 1 is expected",
        "line 9, `limits.tokens`: a whole number is expected",
        "line 10, `limits.ci_refinements`: at most 10 is expected",
        "line 12, `build.python`: text is expected; put it in quotes",
        "line 13, `build.instal`: there is no such key; did you mean `install`?",
        "line 14, `publish`: keys and values are expected",
        "line 16, `models.colour`: there is no such key",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "line 1: keys and values are expected, such as `enabled: true`"),
        ("word", "line 1: keys and values are expected, such as `enabled: true`"),
        ("enabled: [\n", "line 2: this is not YAML: expected the node content, but found '<stream end>'"),
        ("enabled: true\n\x00", "line 1: this is not YAML: it has control characters"),
        (b"enabled: true\n\xff", "line 2: this is not UTF-8 text"),
        ("enabled: true\n---\nenabled: false\n", "line 2: one document only; remove the `---` line"),
        ("enabled: true\nenabled: true\n", "line 2, `enabled`: this key is given twice"),
        ("limits:\n  files: 1\n  files: 2\n", "line 3, `limits.files`: this key is given twice"),
        ("? [a, b]\n: 1\n", "line 1: a key must be a word"),
        ("enabled: !!bool true\n", "line 1: tags (`!…`) are not allowed here"),
        ("enabled: !custom true\n", "line 1: tags (`!…`) are not allowed here"),
        ("<<: {enabled: true}\n", "line 1, `<<`: there is no such key"),
        ("limits:\n  tokens: 0b_\n", "line 2, `limits.tokens`: this is no number"),
        ("limits:\n  tokens: 1" + "0" * 5_000, "line 2, `limits.tokens`: this is no number"),
        ("limits:\n  money: .inf\n", "line 2, `limits.money`: a finite number is expected"),
        ("limits:\n  minutes: 0\n", "line 2, `limits.minutes`: more than 0 is expected"),
        (
            "triggers:\n  labels:\n  - a\n  - 2\n",
            "line 4, `triggers.labels.1`: text is expected; put it in quotes",
        ),
        ("triggers:\n  labels: ['']\n", "line 2, `triggers.labels.0`: some text is expected"),
        ("limits:\n  files: true\n", "line 2, `limits.files`: a whole number is expected"),
        ("a:\n  b:\n    c: 1\n", "line 1, `a`: there is no such key"),
        (
            "publish:\n  title: '{author}'\n",
            "line 2, `publish.title`: braces may only hold {id}, {severity}, {title}",
        ),
        (
            "publish:\n  title: '{id!r}'\n",
            "line 2, `publish.title`: braces may only hold {id}, {severity}, {title}",
        ),
        (
            "publish:\n  title: '{id:>9}'\n",
            "line 2, `publish.title`: braces may only hold {id}, {severity}, {title}",
        ),
        (
            "publish:\n  title: '{'\n",
            "line 2, `publish.title`: braces may only hold {id}, {severity}, {title}",
        ),
        ("build:\n  test: " + "x" * 1_001, "line 2, `build.test`: at most 1000 characters are expected"),
        ("limits:\n  files:\n    deep: {}\n", "line 2, `limits.files`: a whole number is expected"),
        ("enabled:\n  deeper:\n    still: 1\n", "line 1, `enabled`: true or false is expected"),
    ],
)
def test_what_is_wrong_is_said_in_plain_words(text: str | bytes, said: str) -> None:
    assert lines(text) == [said]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "line 1: anchors and aliases are not allowed here; write the value out"),
        ("a: &a\n  b: *a\n", "line 1: anchors and aliases are not allowed here; write the value out"),
        ("enabled: *nowhere\n", "line 1: anchors and aliases are not allowed here; write the value out"),
        ("[" * 60_000, "line 1: this is nested too deeply"),
        ("- " * 30_000, "line 1: this is nested too deeply"),
        ("{a: " * 15_000, "line 1: this is nested too deeply"),
        ("x" * 70_000, "line 1: the file is larger than 64 KiB"),
        (b"x" * 70_000, "line 1: the file is larger than 64 KiB"),
    ],
    ids=["bomb", "cycle", "dangling", "brackets", "dashes", "braces", "long text", "long bytes"],
)
def test_bombs_are_refused_before_they_unfold(text: str | bytes, said: str) -> None:
    begin = time.process_time()
    assert lines(text) == [said]
    assert time.process_time() - begin < 5


def test_the_organisation_s_default_lies_under_the_repository_s_own() -> None:
    organisation = good("triggers:\n  labels: [sec]\n  dependabot: high\nlimits:\n  files: 3\n")
    config = good("triggers:\n  labels: [vuln]\n", defaults=organisation)
    assert (config.triggers.labels, config.triggers.dependabot) == (("vuln",), AlertThreshold.HIGH)
    assert (config.limits.files, config.limits.lines) == (3, DEFAULTS.limits.lines)
    assert good("", defaults=organisation) == organisation


def test_an_empty_section_inherits_too() -> None:
    organisation = good("limits:\n  files: 3\n")
    assert good("limits:\n", defaults=organisation).limits.files == 3


def test_the_operator_bounds_what_a_repository_may_ask() -> None:
    text = "models:\n  author: huge\nlimits:\n  money: 10\n  minutes: 31\n  tokens: 200001\n"
    assert lines(text, operator=OPERATOR) == [
        "line 2, `models.author`: this model is not allowed by the operator (allowed: `small`, `large`)",
        "line 4, `limits.money`: the operator allows 2 at most",
        "line 5, `limits.minutes`: the operator allows 30 at most",
        "line 6, `limits.tokens`: the operator allows 200000 at most",
    ]
    assert lines("models:\n  reviewer: small\n") == [
        "line 2, `models.reviewer`: this model is not allowed by the operator (allowed: none)"
    ]


def test_what_is_only_inherited_is_no_problem_of_the_repository() -> None:
    organisation = good("models:\n  author: large\n", operator=OPERATOR)
    assert good("limits:\n  files: 2\n", defaults=organisation).models.author == "large"


def test_the_handlers_are_told_what_triggers() -> None:
    identity = AppIdentity(app_id=1, slug="suture", trusted_bots=frozenset({5}))
    told = trigger_config(good(FULL, operator=OPERATOR), identity, OPERATOR)
    assert told == TriggerConfig(
        labels=frozenset({"security", "vulnerability"}),
        advisories=frozenset({AdvisoryTrigger.PUBLISHED}),
        code_scanning=AlertThreshold.HIGH,
        dependabot=AlertThreshold.ANY,
        permission=Permission.ADMIN,
        trusted_bots=frozenset({5, 41898282}),
        models=("small", "large"),
        release_branches=("release/*",),
        app_id=1,
        app_slug="suture",
    )


def test_without_a_file_the_handlers_and_the_run_use_their_own_defaults() -> None:
    identity = AppIdentity(app_id=0, slug="")
    assert trigger_config(DEFAULTS, identity) == TriggerConfig(models=())
    budget = BudgetLimits(tokens=TOKENS[Depth.STANDARD])
    assert run_config(DEFAULTS) == RunConfig(budget=budget)


def test_a_run_is_bounded_by_the_lower_of_both() -> None:
    told = run_config(good(FULL, operator=OPERATOR), operator=Operator(minutes=10, tokens=50_000))
    assert (told.budget.minutes, told.budget.money, told.budget.tokens) == (10, 1.5, 50_000)
    assert told.scope == ScopeLimits(files=3, lines=80, protected=("docs/**",))
    assert (told.build.install, told.build.python, told.ranked_files) == (("pip install -e .",), "3.12", 10)
    assert (told.depth, run_config(DEFAULTS, Depth.QUICK).depth) == (Depth.THOROUGH, Depth.QUICK)


def test_the_published_schema_is_the_model_s() -> None:
    """After a change: ``python -m bot.repo_config.schema``."""
    assert (ROOT / SCHEMA).read_text(encoding="utf-8") == schema_text()


def test_the_guide_s_table_of_keys_is_the_model_s() -> None:
    guide = (ROOT / GUIDE).read_text(encoding="utf-8")
    assert guide == with_keys(guide)
    assert "| `limits.files` | `6` | Files a patch may change. |" in guide


def test_the_guide_s_example_is_a_configuration() -> None:
    guide = (ROOT / GUIDE).read_text(encoding="utf-8")
    example = guide.partition("```yaml\n")[2].partition("```")[0]
    assert good(example).triggers.code_scanning is AlertThreshold.HIGH


def test_the_schema_accepts_what_suture_accepts_and_refuses_unknown_keys() -> None:
    schema = json.loads(schema_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(yaml.safe_load(FULL))] == []
    assert list(validator.iter_errors({"trigers": {}}))


def test_the_schema_explains_every_key() -> None:
    schema = json.loads(schema_text())
    silent = [
        f"{name}.{key}"
        for name, section in schema["$defs"].items()
        for key, value in section.get("properties", {}).items()
        if "description" not in value
    ]
    assert silent == []


def test_a_problem_deeper_than_the_text_is_shown_at_the_nearest_line() -> None:
    tree = read_tree("limits:\n  files: 1\n")
    assert [tree.line_of(path) for path in (("limits", "files", "deeper"), ("limits",), ("other",))] == [
        2,
        1,
        1,
    ]


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("enabledtriggrs:[]{}-\n '\"&*!|>#~0123.\t"), max_size=60))
def test_any_text_is_a_configuration_or_problems(text: str) -> None:
    """Reading never raises, and problems point into the text."""
    found = read_config(text)
    if isinstance(found, ConfigProblems):
        assert found.problems
        assert all(1 <= problem.line <= text.count("\n") + 2 for problem in found.problems)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_configuration_or_problems(content: bytes) -> None:
    assert isinstance(read_config(content), (RepoConfig, ConfigProblems))

"""When a rule speaks, which scopes it offers, and what it refuses to touch."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.domain.patch import Candidate, Declined, Origin
from agent.rules.registry import RULES
from agent.rules.weakness import Fix, WeaknessRule
from agent.syntax.edits import Edit
from tests.unit.rules.build import applied, build_file, build_report, rule_named, texts

UNSAFE = "import yaml\n\n\ndef first(text):\n    return yaml.load(text, Loader=yaml.Loader)\n"
TWO = UNSAFE + "\n\ndef second(text):\n    return yaml.unsafe_load(text)\n"


def test_names_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_report_of_something_else_is_left_alone(rule: WeaknessRule) -> None:
    """The CWE of a report is believed over its words."""
    words = "SQL injection, XSS, ReDoS, path traversal, mktemp, eval, __proto__, yaml, debug mode"
    report = build_report("CWE-1021", title=words)
    assert rule.propose(report, [build_file(UNSAFE)]) == ()


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("yaml-load", "Loading YAML runs code"),
        ("prototype-pollution", "Prototype pollution in set"),
        ("path-traversal", "Directory traversal in the file server"),
        ("shell-injection", "Command injection through the branch name"),
        ("sql-injection", "SQL injection in the search"),
        ("archive-slip", "Zip slip in extract"),
        ("xml-entities", "XXE in the importer"),
        ("open-redirect", "Open redirect after login"),
        ("autoescape", "Cross-site scripting in templates"),
        ("slow-patterns", "ReDoS in the parser"),
        ("timing", "Timing attack on the token"),
        ("weak-randomness", "Predictable session ids"),
        ("tls-verification", "Certificate verification is off"),
        ("temporary-files", "mktemp is used"),
        ("debug-mode", "Debug mode is on"),
        ("deserialization", "eval of the settings"),
    ],
)
@pytest.mark.parametrize("cwes", [(), ("CWE-20",)])
def test_words_count_when_no_weakness_is_named(name: str, title: str, cwes: tuple[str, ...]) -> None:
    """A report without a CWE, or with one that says nothing, is read by its words."""
    rule = rule_named(name)
    assert isinstance(rule, WeaknessRule)
    assert rule.speaks(build_report(*cwes, title=title))
    assert not rule.speaks(build_report(*cwes, title="Wrong total in the invoice"))


def test_scopes_go_from_narrow_to_wide() -> None:
    """First what the report names, then the best file, then every ranked file."""
    files = [build_file(TWO, "a.py"), build_file(UNSAFE, "b.py")]
    items = rule_named("yaml-load").propose(build_report("CWE-502", body="`second` is unsafe"), files)
    changed = [item.changes for item in items if isinstance(item, Candidate)]
    assert [sorted(change) for change in changed] == [["a.py"], ["a.py"], ["a.py", "b.py"]]
    assert [str(change["a.py"]).count("safe_load(text)") for change in changed] == [1, 2, 2]


def test_a_candidate_says_where_and_why() -> None:
    (item,) = applied("yaml-load", build_file(UNSAFE))
    assert isinstance(item, Candidate)
    assert (item.origin, item.source) == (Origin.RULE, "yaml-load")
    assert item.rationale == (
        "Load YAML as plain data (in the best ranked file: module.py:5): "
        "this loader builds any object a document names."
    )


@pytest.mark.parametrize(
    "content",
    [b"def (:\n", b"\x00\x01import yaml", b"# coding: no-such-codec\nimport yaml\n", b"print 'python 2'\n"],
    ids=["broken", "binary", "unknown coding", "python 2"],
)
def test_what_cannot_be_parsed_is_declined(content: bytes) -> None:
    (item,) = applied("yaml-load", build_file(content))
    assert isinstance(item, Declined)
    assert item.reason == "the file is not text in a syntax that can be parsed"


def test_files_of_other_languages_are_passed_over() -> None:
    assert applied("yaml-load", build_file(b"\xff\xfe", "a.rb"), build_file("x", "Makefile")) == ()


def test_a_declared_encoding_is_kept() -> None:
    """Latin-1 bytes around the change come back as they were."""
    before = "# coding: latin-1\n# caf\xe9\nimport yaml\nx = yaml.unsafe_load('\xe9')\n".encode("latin-1")
    (item,) = applied("yaml-load", build_file(before))
    assert isinstance(item, Candidate)
    assert item.changes["module.py"] == before.replace(b"unsafe_load", b"safe_load")


def test_bytes_of_no_encoding_are_kept() -> None:
    """A JavaScript file that is not UTF-8 is edited byte by byte."""
    before = b"// caf\xe9\nexports.f = (t) => eval('(' + t + ')');\n"
    (item,) = applied("deserialization", build_file(before, "module.js"))
    assert isinstance(item, Candidate)
    assert item.changes["module.js"] == b"// caf\xe9\nexports.f = (t) => JSON.parse(t);\n"


def test_typescript_is_read_as_such() -> None:
    before = "export const read = (text: string): unknown => eval('(' + text + ')');\n"
    items = applied("deserialization", build_file(before, "module.ts"))
    assert texts(items, "module.ts") == (
        "export const read = (text: string): unknown => JSON.parse(text);\n",
    )


def test_an_edit_that_breaks_the_file_is_declined() -> None:
    """A rule whose output does not parse is a fault: it is never proposed."""

    def detect(source: object) -> list[Fix]:
        return [Fix(line=1, symbol="", edits=(Edit(start=0, end=0, text="def ("),), reason="broken")]

    rule = WeaknessRule(
        name="broken",
        cwes=frozenset({"CWE-1"}),
        words=rule_named("timing").words,  # type: ignore[attr-defined] # every rule of the registry has it
        detectors={"python": detect},
        summary="Break",
    )
    (item,) = rule.propose(build_report("CWE-1"), [build_file("x = 1\n")])
    assert item == Declined(
        source="broken", path="module.py", line=1, reason="the edits would not leave the file whole"
    )


_FRAGMENTS = st.lists(
    st.sampled_from(
        [
            "x = yaml.load(t, Loader=yaml.Loader)\n",
            "y = yaml.load(t)\n",
            "z = yaml.safe_load(t)\n",
            "# yaml.load(t)\n",
            "s = '''yaml.load(t)'''\n",
            "def f(t):\n    return yaml.unsafe_load(t)\n",
            "é = '😀'\n",
        ]
    ),
    max_size=8,
)


@settings(deadline=None)  # the machine may be busy
@given(_FRAGMENTS, st.sampled_from(["\n", "\r\n"]))
def test_any_file_is_fixed_once_and_whole(fragments: list[str], newline: str) -> None:
    """Whatever stands around: one run fixes all, a second nothing, comments and strings stay."""
    text = "import yaml\n" + "".join(fragments)
    content = text.replace("\n", newline).encode()
    items = applied("yaml-load", build_file(content))
    for fixed in texts(items):
        assert fixed.count(newline) == fixed.count("\n") == text.count("\n")
        assert fixed.count("# yaml.load(t)") == text.count("# yaml.load(t)")
        assert fixed.count("'''yaml.load(t)'''") == text.count("'''yaml.load(t)'''")
        assert applied("yaml-load", build_file(fixed)) == ()
    unsafe = [part for part in fragments if "Loader" in part or part.startswith("y =") or "unsafe" in part]
    assert bool(items) == bool(unsafe)

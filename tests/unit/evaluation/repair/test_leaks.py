from __future__ import annotations

import json

import pytest

from evaluation.repair.leaks import audit, unique_lines
from tests.projects import PYTHON
from tests.repair_cases import FIXED, FIXED_LINE

BEFORE = {"shelf/__init__.py": PYTHON["shelf/__init__.py"].encode()}
AFTER: dict[str, bytes | None] = {"shelf/__init__.py": FIXED.encode()}
UNIQUE = unique_lines(BEFORE, AFTER)


def record(*events: dict[str, object]) -> str:
    return "\n".join(json.dumps(event) for event in events)


def command(*argv: str, stdout: str = "", phase: str = "run") -> dict[str, object]:
    return {"event": "command", "argv": list(argv), "phase": phase, "stdout": stdout, "stderr": ""}


def test_only_long_lines_that_the_fix_adds_are_unique() -> None:
    assert frozenset({FIXED_LINE.strip()}) == UNIQUE


def test_a_line_that_stands_elsewhere_in_the_tree_is_not_unique() -> None:
    elsewhere = {**BEFORE, "other.py": FIXED_LINE.encode()}

    assert unique_lines(elsewhere, AFTER) == frozenset()


def test_lines_that_the_report_gave_are_no_leak() -> None:
    assert unique_lines(BEFORE, AFTER, given=f"try\n{FIXED_LINE}\n") == frozenset()


def test_a_printed_line_of_the_fix_was_seen() -> None:
    found = audit(record(command("cat", "x", stdout=f"1\n{FIXED_LINE}\n")), UNIQUE, {}, calls=0)

    assert [(one.kind, one.where) for one in found.findings] == [("seen", "event 1 (command)")]
    assert not found.clean


def test_a_line_in_the_patch_alone_is_the_runs_own() -> None:
    found = audit(record(command("pytest")), UNIQUE, AFTER, calls=0)

    assert (found.clean, found.own) == (True, 1)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("git log --all -p", "history"),
        ("git -C /work show HEAD~1", "history"),
        ("ls -la .git/objects", "history"),
        ("curl -s https://github.com/acme/shelf/commit/1", "network"),
        ("python3 -c 'import urllib.request; urllib.request.urlopen(\"x\")'", "network"),
        ("pip download shelf==1.0.1", "registry"),
        ("npm view shelf dist.tarball", "registry"),
        ("cat /data/cases/SHELF-1/case.yaml", "evaluator"),
        ("ls /secret/evaluator", "evaluator"),
    ],
)
def test_attempts_are_named_whether_or_not_they_got_anywhere(line: str, kind: str) -> None:
    found = audit(record(command("bash", "-c", line)), UNIQUE, {}, calls=0, paths=["/secret/evaluator"])

    assert kind in {one.kind for one in found.findings}


@pytest.mark.parametrize(
    "line",
    ["pytest -q tests", "git diff", "git status", "node test.js http://localhost:8080/", "cat .gitignore"],
)
def test_ordinary_work_is_no_attempt(line: str) -> None:
    assert audit(record(command("bash", "-c", line)), UNIQUE, {}, calls=0).clean


def test_an_install_may_reach_the_registry() -> None:
    line = command("bash", "-c", "pip install -e . && curl http://x", phase="install")

    assert audit(record(line), UNIQUE, {}, calls=0).clean


def test_model_calls_that_nobody_paid_for_are_hidden_sub_calls() -> None:
    found = audit(record({"event": "model"}, {"event": "model"}), UNIQUE, {}, calls=1)

    assert (found.unpriced, found.clean) == (1, False)
    assert audit(record({"event": "model"}), UNIQUE, {}, calls=1).clean


def test_a_damaged_record_is_read_as_far_as_it_goes() -> None:
    found = audit('{"event": "command", "argv": ["ls"]}\n{"event": "com\n[1]', UNIQUE, {}, calls=0)

    assert (found.events, found.clean) == (3, True)


def test_a_file_that_the_fix_deletes_adds_no_line() -> None:
    assert unique_lines(BEFORE, {"shelf/__init__.py": None}) == frozenset()

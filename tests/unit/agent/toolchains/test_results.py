# ruff: noqa: E501 (a manifest or a row of a table reads better on one line)
"""Results of every runner become one status a test, under ids that are the same in each run."""

from __future__ import annotations

import json

import pytest

from agent.domain.project import TestStatus
from agent.toolchains import results
from agent.toolchains.results import Outcome

P, F, E, S = TestStatus.PASSED, TestStatus.FAILED, TestStatus.ERROR, TestStatus.SKIPPED


def lines(*entries: tuple[str, str, str]) -> str:
    return "\n".join(
        json.dumps({"id": name, "phase": phase, "outcome": outcome}) for name, phase, outcome in entries
    )


def test_the_worst_phase_of_a_test_counts() -> None:
    text = lines(
        ("a", "setup", "passed"), ("a", "call", "failed"), ("a", "teardown", "passed"),
        ("b", "setup", "passed"), ("b", "call", "passed"), ("b", "teardown", "error"),
        ("c", "setup", "skipped"), ("c", "teardown", "passed"),
        ("d", "setup", "passed"), ("d", "call", "skipped"),
        ("cut", "setup", "passed"),
        ("parts", "subtest", "failed"), ("parts", "subtest", "failed"),
        ("", "end", "1"),
    )  # fmt: skip

    assert results.json_lines(text) == Outcome(
        results={"a": F, "b": E, "c": S, "d": S, "parts": F}, ended=True
    )


def test_a_name_that_comes_again_is_numbered_and_addresses_are_left_out() -> None:
    text = lines(("t[<X at 0x7f00aa11bb>]", "call", "passed"), ("t[<X at 0x7f00aa22cc>]", "call", "failed"))
    again = lines(("same", "call", "passed"), ("same", "call", "failed"))

    assert results.json_lines(text).results == {"t[<X at 0x>]": P, "t[<X at 0x>]#2": F}
    assert results.json_lines(again).results == {"same": P, "same#2": F}


def test_lines_that_were_cut_short_or_mean_nothing_are_passed_over() -> None:
    text = lines(("a", "call", "passed"), ("b", "call", "odd")) + '\n[1]\n{"id": "c", "pha'

    assert results.json_lines(text) == Outcome(results={"a": P})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TAP version 13\nok 1 - adds\nnot ok 2 - fails\n1..2", {"adds": P, "fails": F}),
        ("1..3\nok 1 same\nnot ok 2 same\nok\n", {"same": P, "same#2": F, "": P}),
        ("ok 1 - a # SKIP not here\nnot ok 2 - b # TODO later\n1..2", {"a": S, "b": S}),
        ("ok 1 - a # time=12.3ms\n1..1", {"a": P}),
        (
            (
                "TAP version 13\n# Subtest: outer\n    # Subtest: inner\n    ok 1 - inner\n    not ok 2 - plain\n    1..2\n"
                "not ok 1 - outer\nok 2 - alone\n1..2"
            ),
            {"outer > inner": P, "outer > plain": F, "alone": P},
        ),
        (
            (
                "# Subtest: f.js\n    # Subtest: g\n        ok 1 - x\n        1..1\n    ok 1 - g\n    1..1\nok 1 - f.js\n"
                "# Subtest: h.js\n    ok 1 - x\n    1..1\nok 2 - h.js\n1..2"
            ),
            {"f.js > g > x": P, "h.js > x": P},
        ),
        ("# Subtest: open\n    # Subtest: never closed\nok 1 - x\n1..1", {"x": P}),
        ("# Subtest: a\n# Subtest: b\n    ok 1 - y\n    1..1\nok 1 - b\n1..1", {"b > y": P}),
    ],
)
def test_tap_gives_its_leaves(text: str, expected: dict[str, TestStatus]) -> None:
    assert results.tap(text) == Outcome(results=expected, ended=True)


def test_tap_without_a_plan_did_not_end() -> None:
    assert results.tap("ok 1 - a\n") == Outcome(results={"a": P})


def test_vows_lines() -> None:
    text = "\n".join(
        json.dumps(dict(enumerate(line)))
        for line in (
            ["subject", "x"],
            ["vow", {"title": "works", "context": "a", "status": "honored"}],
            ["vow", {"title": "works", "context": "a", "status": "broken"}],
            ["vow", {"title": "errs", "context": None, "status": "errored"}],
            ["vow", {"title": "waits", "context": "a", "status": "pending"}],
            ["vow", {"title": "odd", "context": "a", "status": "?"}],
            ["finish", {"honored": 1}],
            ["vow"],
        )
    )

    assert results.vows(f"{text}\nnot json") == Outcome(
        results={"a > works": P, "a > works#2": F, " > errs": E, "a > waits": S}, ended=True
    )


def test_vitest_document() -> None:
    document = {
        "testResults": [
            {"name": "/work/a.test.ts", "status": "failed", "assertionResults": [
                {"fullName": " adds ", "status": "passed"}, {"fullName": "adds", "status": "failed"},
                {"fullName": "later", "status": "todo"}]},
            {"name": "/work/b.test.ts", "status": "failed", "assertionResults": []},
        ]
    }  # fmt: skip

    assert results.vitest(json.dumps(document)) == Outcome(
        results={"a.test.ts::adds": P, "a.test.ts::adds#2": F, "a.test.ts::later": S, "b.test.ts": E},
        ended=True,
    )
    assert results.vitest("") == Outcome()
    assert results.vitest("[]") == Outcome()


def test_covered_files_are_those_of_which_functions_ran_else_those_loaded() -> None:
    assert results.covered("m a.py\nf b.py\n") == frozenset({"b.py"})
    assert results.covered("m a.py\n") == frozenset({"a.py"})


def test_functions_that_ran_are_read_with_their_lines() -> None:
    text = "f a.py\nd 3 a.py\nd 4 with space.py\nd x a.py\nd 5\n"
    assert results.functions_in(text) == {("a.py", 3), ("with space.py", 4)}

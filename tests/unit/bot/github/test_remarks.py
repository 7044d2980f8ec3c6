"""What a review and failed checks say, bounded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from bot.github.remarks import LONGEST, MOST, failed_checks, review_remarks
from bot.github.reports import is_open
from handlers import subjects

if TYPE_CHECKING:
    from handlers.intents import Subject


def build_check(conclusion: str = "failure", app: str = "ci", **output: Any) -> SimpleNamespace:
    told = {"title": "1 failed", "summary": "test_x", "text": None, "annotations_count": 0, **output}
    notes = [
        SimpleNamespace(annotation_level="failure", path="a.py", start_line=3, message="wrong"),
        SimpleNamespace(annotation_level="notice", path="a.py", start_line=4, message="by the way"),
    ]
    return SimpleNamespace(
        name="unit", conclusion=conclusion, app=SimpleNamespace(slug=app), output=SimpleNamespace(**told),
        get_annotations=lambda: notes,
    )  # fmt: skip


def build_remote(
    checks: list[SimpleNamespace] | None = None, comments: list[dict[str, Any]] | None = None
) -> Any:
    commit = SimpleNamespace(get_check_runs=lambda **_: checks or [])
    requester = SimpleNamespace(requestJsonAndCheck=lambda *_, **__: ({}, comments or []))
    return SimpleNamespace(get_commit=lambda _: commit, requester=requester, url="")


def test_each_remark_is_a_line_with_its_place() -> None:
    comments: list[dict[str, Any]] = [
        {"path": "a.py", "line": 3, "body": "Use join."},
        {"path": "b.py", "line": None, "original_line": 7, "body": None},
        {"path": "c.py", "body": "x" * (2 * LONGEST)},
    ]
    told = review_remarks(build_remote(comments=comments), 1, 2).splitlines()
    assert told[:2] == ["a.py:3: Use join.", "b.py:7: "]
    assert len(told[2]) <= LONGEST + 20
    many = build_remote(comments=[comments[0]] * (2 * MOST))
    assert len(review_remarks(many, 1, 2).splitlines()) == MOST


def test_failed_checks_of_others_tell_what_failed() -> None:
    checks = [
        build_check(annotations_count=2),
        build_check("success", title="fine"),
        build_check(app="suture", title="our own"),
    ]
    told = failed_checks(build_remote(checks), "a" * 40, own="suture")
    assert told.splitlines() == ["Check 'unit': failure", "1 failed", "test_x", "a.py:3: wrong"]


@pytest.mark.parametrize(
    ("subject", "record", "expected"),
    [
        (subjects.issue(1), {"state": "open"}, True),
        (subjects.issue(1), {"state": "closed"}, False),
        (subjects.advisory("GHSA-1"), {"state": "triage"}, True),
        (subjects.advisory("GHSA-1"), {"state": "closed"}, False),
        (subjects.advisory("GHSA-1"), {"state": "published", "withdrawn_at": "2020-01-01"}, False),
        (subjects.dependabot_alert(1), {"state": "dismissed"}, False),
        (subjects.code_scanning_alert(1), {"state": "open"}, True),
    ],
)
def test_a_report_waits_for_an_answer_until_it_is_closed(
    subject: Subject, record: dict[str, str], *, expected: bool
) -> None:
    assert is_open(subject, record) == expected

from __future__ import annotations

import json
from datetime import date

import pytest

from evaluation.repair.memory import Recall, question, read_answer
from tests.repair_cases import FIXED_LINE, build_case

UNIQUE = frozenset({FIXED_LINE.strip()})
DAY = date(2024, 1, 2)


def test_the_question_names_the_flaw_and_nothing_of_the_fix() -> None:
    asked = question(build_case(aliases=("GHSA-1",)))

    assert "acme/shelf" in asked
    assert "SHELF-1, GHSA-1" in asked
    assert "shelf/__init__.py" not in asked


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (json.dumps({"remembered": True, "code": f"x\n{FIXED_LINE}\n"}), Recall.RECALLED),
        (json.dumps({"remembered": False, "code": FIXED_LINE}), Recall.RECALLED),
        ('Sure: {"remembered": true, "code": "if safe:"}', Recall.CLAIMED),
        ('{"remembered": false}', Recall.NOT_RECALLED),
        ("I do not know.", Recall.UNREADABLE),
        ('{"remembered": "yes"}', Recall.UNREADABLE),
        ("{broken", Recall.UNREADABLE),
        ("{broken}", Recall.UNREADABLE),
    ],
)
def test_what_is_in_the_answer_counts_more_than_what_it_claims(answer: str, expected: Recall) -> None:
    assert read_answer(answer, UNIQUE, DAY, None).recall is expected


@pytest.mark.parametrize(
    ("cutoff", "expected"), [(None, None), (date(2024, 1, 2), True), (date(2024, 1, 1), False)]
)
def test_the_fix_is_dated_against_the_cut_off(cutoff: date | None, expected: bool | None) -> None:
    assert read_answer("{}", UNIQUE, DAY, cutoff).before_cutoff is expected

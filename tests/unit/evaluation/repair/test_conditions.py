from __future__ import annotations

import pytest

from agent.domain.project import BuildConfig
from evaluation.ports import RepairerFacts
from evaluation.repair.conditions import Conditions, Shown, build_of, digest_of, report_of
from tests.repair_cases import PROOF, TESTS, build_case

FACTS = RepairerFacts(name="a", version="1")
CASE = build_case(contract="A ValueError is raised.", packages=("pytest<8",), python="3.11")


def test_a_shown_proof_is_the_reporters_snippet() -> None:
    (snippet,) = report_of(CASE, Conditions()).snippets

    assert (snippet.language, snippet.code.strip()) == ("python", PROOF.strip())


def test_a_hidden_proof_is_nowhere_in_the_report() -> None:
    report = report_of(CASE, Conditions(proof=Shown.HIDDEN))

    assert report.snippets == ()
    assert "tempfile" not in report.body


def test_fences_in_a_proof_cannot_end_it() -> None:
    (snippet,) = report_of(build_case(proof="print('''\n````\n''')\n"), Conditions()).snippets

    assert "````" in snippet.code


@pytest.mark.parametrize(("shown", "expected"), [(Shown.SHOWN, True), (Shown.HIDDEN, False)])
def test_pinned_names_are_told_only_when_asked_for(shown: Shown, expected: bool) -> None:
    assert ("A ValueError is raised." in report_of(CASE, Conditions(contract=shown)).body) is expected


def test_a_case_without_pinned_names_tells_none() -> None:
    assert "Names and messages" not in report_of(build_case(), Conditions(contract=Shown.SHOWN)).body


def test_build_instructions_are_given_or_not() -> None:
    assert build_of(CASE, Conditions()) == BuildConfig(packages=("pytest<8",), python="3.11", test=TESTS)
    assert build_of(CASE, Conditions(instructions=Shown.HIDDEN)) == BuildConfig()


def test_the_ground_truth_is_in_no_report() -> None:
    body = report_of(CASE, Conditions()).body

    assert [
        secret for secret in (CASE.fix_commit, CASE.vulnerable_commit, *CASE.test_files) if secret in body
    ] == []


def test_a_result_is_used_again_only_under_the_same_conditions() -> None:
    same = digest_of(Conditions(), FACTS, CASE, "o")

    assert digest_of(Conditions(repetitions=3), FACTS, CASE, "o") == same
    others = {
        digest_of(Conditions(proof=Shown.HIDDEN), FACTS, CASE, "o"),
        digest_of(Conditions(minutes=1), FACTS, CASE, "o"),
        digest_of(Conditions(), RepairerFacts(name="a", version="2"), CASE, "o"),
        digest_of(Conditions(), FACTS, build_case(), "o"),
        digest_of(Conditions(), FACTS, CASE, "p"),
    }
    assert len(others - {same}) == 5

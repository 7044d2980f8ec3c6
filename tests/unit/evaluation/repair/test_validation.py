from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.repair.case import Amendment
from evaluation.repair.phases import PhaseStatus
from evaluation.repair.stored import ValidationShape, read_shape, write_shape
from evaluation.repair.validation import Probe, Probed, Validation, what_is_wrong
from evaluation.repair.validation_table import validation_table
from tests.repair_cases import build_case, build_phases

if TYPE_CHECKING:
    from pathlib import Path

VULNERABLE = Probed(probe=Probe.VULNERABLE, phases=build_phases(developer=PhaseStatus.FAILED))
FIXED = Probed(probe=Probe.FIXED, phases=build_phases())
EMPTY = Probed(probe=Probe.EMPTY, phases=build_phases(proof=PhaseStatus.FAILED))
DELETED = Probed(probe=Probe.DELETED, phases=build_phases(regression=PhaseStatus.TIMEOUT))


def test_a_sound_case_has_nothing_wrong() -> None:
    assert what_is_wrong([VULNERABLE, FIXED, EMPTY, DELETED]) == ()


def test_a_developer_test_that_passes_before_the_fix_says_nothing() -> None:
    before = Probed(probe=Probe.VULNERABLE, phases=build_phases())

    assert what_is_wrong([before, FIXED, EMPTY, DELETED]) == (
        "vulnerable tree: developer must fail, but: passed: developer said so",
    )


def test_a_missing_developer_test_is_no_sound_case() -> None:
    missing = Probed(probe=Probe.FIXED, phases=build_phases(developer=PhaseStatus.MISSING))

    assert what_is_wrong([VULNERABLE, missing, EMPTY, DELETED]) == (
        "upstream fix: developer must pass, but: missing: developer said so",
    )


def test_an_oracle_that_accepts_cheap_patches_is_too_weak() -> None:
    for probe in (Probe.EMPTY, Probe.DELETED):
        accepted = Probed(probe=probe, phases=build_phases())
        faulty = Probed(probe=probe, phases=build_phases(proof=PhaseStatus.PIPELINE))

        assert what_is_wrong([VULNERABLE, FIXED, accepted]) == (
            f"{probe.value}: no phase refuses it, so the oracle is too weak",
        )
        assert len(what_is_wrong([VULNERABLE, FIXED, faulty])) == 1


def test_a_validation_is_kept_whole(tmp_path: Path) -> None:
    validation = Validation(case_id="C", probes=(VULNERABLE, FIXED), wrong=("a",))
    path = tmp_path / "C" / "validation.json"

    write_shape(path, ValidationShape.of(validation, "d"))
    kept = read_shape(path, ValidationShape)

    assert kept is not None
    assert (kept.validation(), kept.digest, kept.holds) == (validation, "d", False)


def test_a_half_written_validation_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "validation.json"
    path.write_text('{"schema_version": 1')

    assert read_shape(path, ValidationShape) is None
    assert read_shape(tmp_path / "missing.json", ValidationShape) is None


def test_the_table_names_what_is_wrong_and_what_was_amended() -> None:
    found = [
        Validation(case_id="C-0", probes=(VULNERABLE, FIXED, EMPTY, DELETED), wrong=()),
        Validation(case_id="C-1", probes=(), wrong=("source: gone",)),
    ]
    cases = [
        build_case(id="C-0", amendments=(Amendment(reason="moved", fields=("poc", "title")),)),
        build_case(id="C-1"),
    ]

    table = validation_table(found, cases)

    assert "| C-0 | yes | pass, pass, pass, fail | pass, pass, pass, pass | proof | regression |" in table
    assert "| C-1 | **no** | - | - | - | - |" in table
    assert "1 of 2 cases hold." in table
    assert "- C-1: source: gone" in table
    assert "- C-0, poc, title: moved" in table

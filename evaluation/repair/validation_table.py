"""The validations as a Markdown table. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.repair.phases import OraclePhase, PhaseStatus
from evaluation.repair.validation import Probe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.repair.case import Case
    from evaluation.repair.validation import Validation

SIGNS = {
    PhaseStatus.PASSED: "pass",
    PhaseStatus.FAILED: "fail",
    PhaseStatus.TIMEOUT: "fail (time)",
    PhaseStatus.PIPELINE: "pipeline",
    PhaseStatus.MISSING: "missing",
    PhaseStatus.NOT_RUN: "-",
}
HEADER = (
    "| case | holds | vulnerable: build, proof, regression, developer | upstream fix: the same four "
    "| empty patch refused by | feature removed refused by |\n|---|---|---|---|---|---|"
)


def validation_table(found: Sequence[Validation], cases: Sequence[Case]) -> str:
    """Return a row a case, then what is wrong, then what was amended."""
    lines = [HEADER, *(_row(one) for one in found), ""]
    holding = sum(1 for one in found if one.holds)
    lines.append(f"{holding} of {len(found)} cases hold.")
    wrong = [f"- {one.case_id}: {text}" for one in found for text in one.wrong]
    lines += ["", "What is wrong:", *wrong] if wrong else []
    amended = [
        f"- {case.id}, {', '.join(change.fields)}: {change.reason}"
        for case in cases
        for change in case.amendments
    ]
    lines += ["", "Amended:", *amended] if amended else []
    return "\n".join(lines) + "\n"


def _row(one: Validation) -> str:
    probes = {probed.probe: probed.phases for probed in one.probes}
    cells = [one.case_id, "yes" if one.holds else "**no**"]
    cells += [
        ", ".join(SIGNS[result.status] for result in probes.get(probe, ())) or "-"
        for probe in (Probe.VULNERABLE, Probe.FIXED)
    ]
    for probe in (Probe.EMPTY, Probe.DELETED):
        refusing = [
            result.phase for result in probes.get(probe, ()) if result.status is not PhaseStatus.PASSED
        ]
        cells.append(_first(refusing))
    return f"| {' | '.join(cells)} |"


def _first(refusing: Sequence[OraclePhase]) -> str:
    return refusing[0].value if refusing else "-"

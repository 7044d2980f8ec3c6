"""Whether a case can be believed: the flaw shows, the upstream fix passes all four phases, cheap answers fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from agent.domain.proof import Verdict
from evaluation.repair.deletion import without_feature
from evaluation.repair.phases import OraclePhase, PhaseResult, PhaseStatus, all_passed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluation.repair.oracle import Judge


class Probe(StrEnum):
    """What a case is tried with."""

    VULNERABLE = "vulnerable tree"
    FIXED = "upstream fix"
    EMPTY = "empty patch"
    DELETED = "feature removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The four phases of one probe."""

    probe: Probe
    phases: tuple[PhaseResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What was seen of a case; it holds when nothing is wrong."""

    case_id: str
    probes: tuple[Probed, ...]
    wrong: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Tell whether results on this case may be believed."""
        return not self.wrong


BAD = frozenset({PhaseStatus.FAILED, PhaseStatus.TIMEOUT})


async def validate(judge: Judge, fix: Mapping[str, bytes | None], tell: Callable[[str], None]) -> Validation:
    """Try a case with the vulnerable tree, the upstream fix, an empty patch and one that removes the feature."""
    probed: list[Probed] = []
    deleted = without_feature(judge.truth.before, fix, judge.case.language)
    plans: Sequence[tuple[Probe, Mapping[str, bytes | None], Verdict, bool]] = (
        (Probe.VULNERABLE, {}, Verdict.VULNERABLE, False),
        (Probe.FIXED, fix, Verdict.SAFE, False),
        (Probe.EMPTY, {}, Verdict.SAFE, True),
        (Probe.DELETED, deleted, Verdict.SAFE, True),
    )
    for probe, changes, wanted, stop in plans:
        tell(probe.value)
        phases = await judge.judge(changes, wanted=wanted, stop=stop)
        probed.append(Probed(probe=probe, phases=phases))
        if phases[0].status is not PhaseStatus.PASSED and probe is Probe.VULNERABLE:
            break
    found = tuple(probed)
    return Validation(case_id=judge.case.id, probes=found, wrong=what_is_wrong(found))


def what_is_wrong(probes: Sequence[Probed]) -> tuple[str, ...]:
    """Return one line for each thing that is not as it must be."""
    judged = {probed.probe: probed.phases for probed in probes}
    wrong = [
        *_unexpected(
            Probe.VULNERABLE, judged.get(Probe.VULNERABLE, ()), fails=frozenset({OraclePhase.DEVELOPER})
        ),
        *_unexpected(Probe.FIXED, judged.get(Probe.FIXED, ()), fails=frozenset()),
    ]
    for probe in (Probe.EMPTY, Probe.DELETED):
        phases = judged.get(probe, ())
        if phases and (all_passed(phases) or not any(result.status in BAD for result in phases)):
            wrong.append(f"{probe.value}: no phase refuses it, so the oracle is too weak")
    return tuple(wrong)


def _unexpected(probe: Probe, phases: Sequence[PhaseResult], *, fails: frozenset[OraclePhase]) -> list[str]:
    wrong = []
    for result in phases:
        as_meant = result.status in BAD if result.phase in fails else result.status is PhaseStatus.PASSED
        if not as_meant:
            expected = "must fail" if result.phase in fails else "must pass"
            said = f"{result.phase.value} {expected}, but: {result.status.value}: {result.reason}"
            wrong.append(f"{probe.value}: {said}")
    return wrong

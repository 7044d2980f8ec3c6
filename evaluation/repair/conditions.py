"""The conditions of a measurement: what a run is shown and how much it may spend. Each is named in the report."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import yaml

from agent.domain.project import BuildConfig
from agent.domain.run import Depth
from agent.reports import read_report

if TYPE_CHECKING:
    from agent.domain.report import Report
    from evaluation.ports import RepairerFacts
    from evaluation.repair.case import Case


class Shown(StrEnum):
    """Whether a run gets something that a reporter may or may not give."""

    SHOWN = "shown"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """``proof``: the proof of concept stands in the report. ``instructions``: packages and the test line are given.

    ``contract``: names and messages that only the developer's tests pin are told. ``repetitions`` runs a case.
    """

    proof: Shown = Shown.SHOWN
    instructions: Shown = Shown.SHOWN
    contract: Shown = Shown.HIDDEN
    depth: Depth = Depth.STANDARD
    minutes: float = 45.0
    repetitions: int = 1


def digest_of(conditions: Conditions, facts: RepairerFacts, case: Case, oracle: str) -> str:
    """Return what a result depends on; a kept result of another one is not used again.

    The number of repetitions is left out: more of them add to the ones that are there.
    """
    told = (
        conditions.proof,
        conditions.instructions,
        conditions.contract,
        conditions.depth,
        conditions.minutes,
    )
    return hashlib.sha256(repr((told, facts, case, oracle)).encode()).hexdigest()[:16]


def report_of(case: Case, conditions: Conditions) -> Report:
    """Return the report that a run gets: the advisory, and beyond it only what is shown."""
    front = yaml.safe_dump({"id": case.id, "cwe": case.cwe, "title": case.title})
    parts = [f"---\n{front}---\n{case.advisory}"]
    if conditions.proof is Shown.SHOWN:
        fence = "`" * (max((len(run) for run in re.findall(r"`+", case.proof)), default=0) + 4)
        parts.append(f"## Proof of concept\n\n{fence}{case.language.value}\n{case.proof}\n{fence}")
    if conditions.contract is Shown.SHOWN and case.contract:
        parts.append(f"## Names and messages\n\n{case.contract}")
    return read_report("\n\n".join(parts), name=f"the report of {case.id}")


def build_of(case: Case, conditions: Conditions) -> BuildConfig:
    """Return the build instructions that a run gets; none when they are hidden."""
    if conditions.instructions is Shown.HIDDEN:
        return BuildConfig()
    return BuildConfig(packages=case.packages, python=case.python, node=case.node, test=case.regression_test)

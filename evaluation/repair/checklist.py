"""The reporting checklist: what a reader must know to believe a figure. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.repair.oracle import PROOF_RUNS

if TYPE_CHECKING:
    from evaluation.ports import RepairerFacts
    from evaluation.repair.conditions import Conditions, Shown
    from evaluation.repair.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One item and what is said of it."""

    item: str
    said: str


def checklist(facts: RepairerFacts, conditions: Conditions, summary: Summary) -> tuple[Checked, ...]:
    """Return the items in the order of the nine known pitfalls, then the rest."""
    prompts = (
        ", ".join(f"{name} {digest}" for name, digest in facts.prompts.items()) or "none: no model is used"
    )
    said = {
        "who repairs": f"{facts.name} {facts.version}",
        "model, cut-off, prices": f"{facts.model or 'none'}; {facts.model_cutoff or 'no cut-off'}; {facts.prices}",
        "prompts with hashes": prompts,
        "tools": ", ".join(facts.tools) or "none stated",
        "build instructions": _shown(conditions.instructions, "packages and test line of the case"),
        "proof of concept": _shown(conditions.proof, "the proof, as the reporter's code in the report"),
        "pinned names and messages": _shown(conditions.contract, "what only the developer's tests pin"),
        "network scope": facts.network or "not stated",
        "history and source": "the tree of the vulnerable commit from git objects: no .git, no tags, no remote; "
        "change-log lines that name the flaw are taken out; the folder's name is the project's",
        "permissions": f"every command of a run and of the oracle in the sandbox ({facts.sandbox}), as an "
        "unprivileged user; cases, proofs and developer's tests are in none of its mounts",
        "hidden sub-calls": "model calls in the record are counted against the price of the run; a difference "
        "marks the result",
        "time limits": f"{conditions.minutes:g} minutes a run; a stopped command or run never counts as passed",
        "test collisions": "existing tests are put back before the regression tests; developer's tests replace or "
        "are merged three ways; what cannot be merged is a pipeline fault",
        "oracle": f"build; proof {PROOF_RUNS} times safe in {PROOF_RUNS} fresh sandboxes; regression tests; "
        "developer's tests of the fix commit; a missing developer's test is not a pass",
        "denominator": f"all {summary.cases} cases, {summary.runs} runs; pipeline and environment faults are tried "
        "once more and then count as not resolved",
        "repetitions": f"{summary.repetitions} a case",
        "leak audit": f"{len(summary.flagged)} runs marked"
        + (f": {', '.join(summary.flagged)}" if summary.flagged else ""),
    }
    return tuple(Checked(item=item, said=text) for item, text in said.items())


def _shown(shown: Shown, what: str) -> str:
    return f"{shown.value}: {what}"

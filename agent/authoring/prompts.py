"""The inputs of this package's prompts, one dataclass a template."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPatch:
    """Input of ``plan_patch``; ``tools`` says whether the project can be searched."""

    tools: bool
    report: str
    proof: str
    feedback: str
    refused: str
    examples: str
    entry_points: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOther:
    """Input of ``plan_other``."""

    report: str
    learned: str
    plans: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRefine:
    """Input of ``plan_refine``."""

    report: str
    learned: str
    diff: str
    failures: str
    feedback: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPatch:
    """Input of ``edit_patch``; ``answer`` and ``problem`` tell of a try that could not be used."""

    style: str
    plan: str
    refusal: str
    paths: str
    new: str
    code: str
    answer: str
    problem: str

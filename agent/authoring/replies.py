"""The shapes of a model's answers here, checked at the edge and turned into the domain at once."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.authoring.domain import Plan, PlanStep, Style, Survey

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")


class StepReply(_Reply):
    """One edit at one place."""

    path: str = Field(description="file, relative to the project")
    line: int = Field(default=0, ge=0, description="line in the file, 0 for a new file")
    symbol: str = ""
    change: str = Field(min_length=3, description="what to change, in words, no code")

    def step(self) -> PlanStep:
        """Return the step with a plain path."""
        path = posixpath.normpath(self.path.strip().strip("`"))
        return PlanStep(path=path, line=self.line, symbol=self.symbol[:120], change=self.change)


class EntryReply(_Reply):
    """A way to the same sink and what was decided on it."""

    place: str = Field(description="path:line and name")
    decision: Literal["change", "covered", "leave"] = Field(
        description="change it; covered by the change elsewhere; leave as it is"
    )
    reason: str

    def line(self) -> str:
        """Return it as one line for people."""
        return f"{_one_line(self.place, 120)}: {self.decision}, {_one_line(self.reason, 160)}"


class PlanReply(_Reply):
    """What was learned, and three plans."""

    root_cause: str
    follows: str = Field(description="the analogous place, path:line, and what it does; or none")
    refusal: str = Field(description="exception or return value and message to use, as there")
    alternative: str = Field(description="the way not taken and why, in one line")
    entry_points: list[EntryReply] = Field(default_factory=list, max_length=20)
    new_files: list[str] = Field(default_factory=list, max_length=1)
    minimal: list[StepReply] = Field(min_length=1, max_length=3)
    standard: list[StepReply] = Field(min_length=1, max_length=3)
    general: list[StepReply] = Field(default_factory=list, max_length=3)

    def survey(self) -> Survey:
        """Return what was learned."""
        return Survey(
            root_cause=_one_line(self.root_cause, 600),
            follows=_one_line(self.follows, 300),
            refusal=_one_line(self.refusal, 400),
            alternative=_one_line(self.alternative, 200),
            entry_points=tuple(entry.line() for entry in self.entry_points),
        )

    def plans(self) -> tuple[Plan, ...]:
        """Return the plans, what a maintainer would merge first."""
        of_style = {
            Style.STANDARD: self.standard,
            Style.GENERAL: self.general,
            Style.MINIMAL: self.minimal,
        }
        return tuple(plan_of(style, steps, self.new_files) for style, steps in of_style.items() if steps)


class OtherPlanReply(_Reply):
    """Another plan, or none when there is no other sound way."""

    steps: list[StepReply] = Field(min_length=1, max_length=3)

    def plan(self) -> Plan:
        """Return the plan."""
        return plan_of(Style.SAMPLED, self.steps, ())


class RefineReply(_Reply):
    """Why the patch failed, and what to do about it."""

    why: str
    steps: list[StepReply] = Field(min_length=1, max_length=2)

    def plan(self) -> Plan:
        """Return the plan."""
        return plan_of(Style.REFINED, self.steps, ())


def plan_of(style: Style, steps: Sequence[StepReply], new: Sequence[str]) -> Plan:
    """Return a plan of the steps; ``new`` counts only where a step speaks of it."""
    made = tuple(step.step() for step in steps)
    wanted = frozenset(posixpath.normpath(path) for path in new)
    return Plan(style=style, steps=made, new=wanted & {step.path for step in made})


def _one_line(text: str, most: int) -> str:
    return " ".join(text.split())[:most]

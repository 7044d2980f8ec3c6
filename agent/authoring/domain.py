"""What a plan of a patch is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Style(StrEnum):
    """How far a candidate goes; ``SAMPLED`` is another way, drawn at a higher temperature."""

    MINIMAL = "minimal"
    STANDARD = "standard"
    GENERAL = "general"
    SAMPLED = "sampled"
    REFINED = "refined"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One edit at one place, in words. ``line`` counts from 1; 0 stands for a file that is to be made."""

    path: str
    line: int
    symbol: str
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was learned of the project before deciding.

    ``follows`` is the analogous place (``path:line``, then why), ``refusal`` how the project turns bad input away
    there (exception or return value, message), ``alternative`` the way not taken and why, ``entry_points`` one line
    for each way to the same sink with what was decided.
    """

    root_cause: str
    follows: str
    refusal: str
    alternative: str
    entry_points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The edits of one candidate, at most three; ``new`` are paths that they make."""

    style: Style
    steps: tuple[PlanStep, ...]
    new: frozenset[str] = field(default_factory=frozenset)

    @property
    def paths(self) -> frozenset[str]:
        """Return the files that the plan may change or make."""
        return frozenset(step.path for step in self.steps)

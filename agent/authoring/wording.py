"""Plans and what was learned, in the words that prompts and people read. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent.authoring.domain import Style

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agent.authoring.domain import Plan, Survey

STYLES: Final[Mapping[Style, str]] = {
    Style.MINIMAL: "Change as little as closes the flaw at its cause.",
    Style.STANDARD: "Write what a maintainer would merge, no more.",
    Style.GENERAL: "Close the class of flaw for every entry point, without new structure.",
    Style.SAMPLED: "Write what a maintainer would merge, no more.",
    Style.REFINED: "The code below is patched already; change only what the plan says.",
}


def steps_text(plan: Plan) -> str:
    """Return the steps as a numbered list."""
    lines = []
    for number, step in enumerate(plan.steps, start=1):
        place = f"{step.path}:{step.line}" if step.line else f"{step.path} (new file)"
        lines.append(f"{number}. {place} {step.symbol}".rstrip() + f": {step.change}")
    return "\n".join(lines)


def plans_text(plans: Iterable[Plan]) -> str:
    """Return several plans under the names of their styles."""
    return "\n".join(f"{plan.style.value}:\n{steps_text(plan)}" for plan in plans)


def survey_text(survey: Survey) -> str:
    """Return what was learned of the project."""
    lines = [
        f"Cause: {survey.root_cause}",
        f"Follows: {survey.follows}",
        f"Bad input is turned away by: {survey.refusal}",
        f"Not taken: {survey.alternative}",
    ]
    return "\n".join([*lines, *(f"Entry point {entry}" for entry in survey.entry_points)])

"""Carry out a plan: ask for edits, apply them, and ask again with the true lines when they do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.authoring.applying import apply_blocks
from agent.authoring.blocks import parse_blocks
from agent.authoring.domain import Style
from agent.authoring.errors import EditError
from agent.authoring.lint import fatal_problems
from agent.authoring.material import code_for, cut
from agent.authoring.prompts import EditPatch
from agent.authoring.wording import STYLES, steps_text
from agent.domain.conversation import ModelRole
from agent.prompts.rendering import render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agent.authoring.domain import Plan, Survey
    from agent.llm.desk import ModelDesk
    from agent.workflow.state import Tools

RETRIES: Final = 5
_ANSWER: Final = 6_000
_WARM: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who writes: a model of a role, at a desk."""

    desk: ModelDesk
    role: ModelRole = ModelRole.AUTHOR
    which: int = 0

    @property
    def name(self) -> str:
        """Return the model's name."""
        models = self.desk.models.get(self.role, ())
        return models[self.which].name if self.which < len(models) else ""


async def edits_for(
    plan: Plan, survey: Survey, author: Author, tools: Tools, read: Callable[[str], bytes | None]
) -> Mapping[str, bytes]:
    """Return the changed files of a plan over what ``read`` gives.

    A try that cannot be applied, does not parse or uses undefined names is told so, at most ``RETRIES`` times;
    then ``EditError`` is raised with the last reason.
    """
    answer, problem = "", ""
    for left in range(RETRIES, -1, -1):
        answer = await _ask(plan, survey, author, read, answer, problem)
        try:
            return changes_of(answer, plan, read, tools)
        except EditError as error:
            tools.trajectory.record(
                "edit_refused", style=plan.style.value, reason=error.reason, tries_left=left
            )
            problem = f"{error.reason}\n{error.shown}".strip()
            if not left:
                raise
    raise AssertionError("the last try returns or raises")


async def _ask(
    plan: Plan,
    survey: Survey,
    author: Author,
    read: Callable[[str], bytes | None],
    answer: str,
    problem: str,
) -> str:
    prompt = EditPatch(
        style=STYLES[plan.style],
        plan=steps_text(plan),
        refusal=f"{survey.refusal} (as in {survey.follows})",
        paths=", ".join(sorted(plan.paths - plan.new)) or "none",
        new=", ".join(sorted(plan.new)),
        code=code_for(plan.steps, survey.follows, read),
        answer=cut(answer, _ANSWER),
        problem=problem,
    )
    temperature = _WARM if plan.style is Style.SAMPLED else 0.0
    return await author.desk.text(
        author.role, render("edit_patch", prompt), temperature=temperature, which=author.which
    )


def changes_of(
    answer: str, plan: Plan, read: Callable[[str], bytes | None], tools: Tools
) -> Mapping[str, bytes]:
    """Return the files that an answer leads to; raise ``EditError`` for one that cannot be used."""
    changes = apply_blocks(parse_blocks(answer), read, allowed=plan.paths - plan.new, new=plan.new)
    if not changes:
        raise EditError("the blocks change nothing; REPLACE must differ from SEARCH")
    problems = fatal_problems({path: read(path) for path in changes}, changes, tools.workspace.tree)
    if problems:
        raise EditError("; ".join(problem.text for problem in problems), shown=problems[0].shown)
    return changes

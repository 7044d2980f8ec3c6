"""The material of a case as prompts carry it, each piece within its bound."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.authoring.excerpts import Span, around, head, listing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent.authoring.domain import PlanStep
    from agent.workflow.state import RunState, Tools

_REPORT: Final = 6_000
_PROOF: Final = 3_000
_FEEDBACK: Final = 2_000
_PLAN_LINES: Final = 260
_EDIT_LINES: Final = 320
_FILES: Final = 4
_CHUNKS: Final = 2
_PLACE: Final = re.compile(r"([\w./@+-]+\.\w+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is known of a case: foreign text, to be quoted."""

    report: str
    proof: str
    code: str
    entry_points: str
    feedback: str


def material(state: RunState, tools: Tools) -> Material:
    """Return the case's material with the code that was found for it."""
    return Material(
        report=report_text(state),
        proof=cut(state.proof.code, _PROOF) if state.proof else "",
        code=listing(_found(state, tools), tools.workspace.read, most_lines=_PLAN_LINES),
        entry_points="\n".join(_entry_points(state)),
        feedback=cut(state.feedback, _FEEDBACK),
    )


def report_text(state: RunState) -> str:
    """Return the report: title, weaknesses, words."""
    report = state.report
    cwes = f"\nWeakness: {', '.join(report.cwes)}" if report.cwes else ""
    return cut(f"{report.title}{cwes}\n\n{report.body}", _REPORT)


def cut(text: str, most: int) -> str:
    """Return ``text``, its middle left out when it is longer than ``most`` characters."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _found(state: RunState, tools: Tools) -> Iterator[Span]:
    """Yield the places that localization found; without them the best parts of the best files."""
    for place in state.places:
        content = tools.workspace.read(place.path)
        if content is not None:
            yield around(place.path, content, place.start_line)
            yield Span(path=place.path, start=place.start_line - 2, end=place.end_line + 2)
    if state.places:
        return
    for file in state.files[:_FILES]:
        best = sorted(file.chunks, key=lambda chunk: -chunk.score)[:_CHUNKS]
        for chunk in best:
            yield Span(path=file.path, start=chunk.start_line, end=min(chunk.end_line, chunk.start_line + 80))
        if not best:
            yield Span(path=file.path, start=1, end=80)


def _entry_points(state: RunState) -> Iterator[str]:
    for place in state.entry_points:
        yield f"{place.path}:{place.start_line} {place.symbol}".rstrip()


def code_for(steps: tuple[PlanStep, ...], follows: str, read: Callable[[str], bytes | None]) -> str:
    """Return the code that an edit needs: around each step, the files' heads, and the place that is followed."""
    spans: list[Span] = []
    for step in steps:
        content = read(step.path)
        if content is not None:
            spans += [head(step.path, content), around(step.path, content, max(1, step.line))]
    if (named := _PLACE.search(follows)) and (content := read(named[1])) is not None:
        line = int(named[2])
        spans.append(Span(path=named[1], start=line - 8, end=line + 16))
    return listing(spans, read, most_lines=_EDIT_LINES)

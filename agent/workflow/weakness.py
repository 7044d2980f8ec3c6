"""The row for flaws that are the code itself, which no variant of an input can show: nothing of them is left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agent.domain.matrix import Row, RowKind, RowStatus
from agent.domain.patch import SourceFile
from agent.rules.remains import remains

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agent.domain.patch import Candidate, Finding
    from agent.ports import Rule
    from agent.rules.remains import Remains
    from agent.workflow.state import RunState, Tools


async def weakness_rows(candidate: Candidate, state: RunState, tools: Tools) -> list[Row]:
    """Return one row for each definitive rule that found something the report is about before the patch."""
    if not any(rule.definitive for rule in tools.rules):
        return []
    paths = sorted(state.covered | set(candidate.changes))
    before = {path: tools.workspace.read(path) for path in paths}
    after = {**before, **candidate.changes}
    proof = state.proof.code if state.proof is not None else ""
    return await asyncio.to_thread(_rows, tools.rules, state, proof, _sources(before), _sources(after))


def _sources(contents: Mapping[str, bytes | None]) -> tuple[SourceFile, ...]:
    return tuple(
        SourceFile(path=path, content=content) for path, content in contents.items() if content is not None
    )


def _rows(
    rules: Iterable[Rule],
    state: RunState,
    proof: str,
    before: tuple[SourceFile, ...],
    after: tuple[SourceFile, ...],
) -> list[Row]:
    seen = ((rule.name, remains(rule, state.report, proof, before, after)) for rule in rules)
    return [_row(name, left) for name, left in seen if left is not None]


def _row(rule: str, left: Remains) -> Row:
    return Row(
        kind=RowKind.WEAKNESS,
        name="the weakness is gone from the code",
        expected=f"{rule} finds nothing more where it found something",
        before=f"found in {_places(left.before)}",
        after=f"still found in {_places(left.after)}" if left.after else "nothing found",
        status=RowStatus.FAILED if left.after else RowStatus.PASSED,
    )


def _places(findings: tuple[Finding, ...], most: int = 3) -> str:
    places = list(dict.fromkeys(f"{finding.path}:{finding.line}" for finding in findings))
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return ", ".join(places[:most]) + more

"""A repair engine that does as it is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agent.domain.matrix import Matrix, Row, RowKind, RowStatus
from agent.domain.patch import Candidate, Origin
from agent.domain.run import Cost, Outcome, RunResult, Stage, StageRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports import RepairRequest


def build_result(outcome: Outcome = Outcome.FIXED, *, content: bytes = b"fixed\n") -> RunResult:
    """Return a result with a one-file patch; ids are filled in by the engine."""
    row = Row(
        kind=RowKind.PROOF,
        name="the proof of concept",
        expected="safe",
        before="vulnerable",
        after="safe",
        status=RowStatus.PASSED,
    )
    patched = outcome in {Outcome.FIXED, Outcome.UNPROVEN}
    return RunResult(
        run_id="",
        report_id="",
        outcome=outcome,
        reason="as scripted",
        stages=(StageRecord(stage=Stage.REPRODUCE, result="reproduced", summary="shown", seconds=0.1),),
        candidate=Candidate(
            origin=Origin.RULE, source="path-join", rationale="as scripted", changes={"app.py": content}
        )
        if patched
        else None,
        matrix=Matrix(rows=(row,)) if patched else None,
        diff="--- a/app.py\n+++ b/app.py\n" if patched else "",
        cost=Cost(calls=1, tokens_in=10, tokens_out=5, money=0.01),
    )


@dataclass(slots=True)
class ScriptedEngine:
    """Returns results in turn, the last one for ever; ``delay`` seconds each, which cancelling cuts short."""

    results: list[RunResult | Exception] = field(default_factory=lambda: [build_result()])
    delay: float = 0.0
    requests: list[RepairRequest] = field(default_factory=list)
    cancelled: int = 0
    running: int = 0
    most_running: dict[str, int] = field(default_factory=dict)
    on_start: Callable[[RepairRequest], None] = lambda _request: None

    async def repair(self, request: RepairRequest) -> RunResult:
        """Do as told."""
        self.requests.append(request)
        self.on_start(request)
        self.running += 1
        if request.observer is not None:
            request.observer.started(Stage.REPRODUCE)
        try:
            await asyncio.sleep(self.delay)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        (request.out / "evidence.md").write_text("# Evidence\n")
        told = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        if isinstance(told, Exception):
            raise told
        return replace(told, run_id=request.run_id, report_id=request.report.id)

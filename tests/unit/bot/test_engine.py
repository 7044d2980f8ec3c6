"""The jobs' engine runs the same repair as the command line, on a checkout of the App."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.config import RunConfig
from agent.domain.run import Depth, Outcome, RunResult
from bot import engine
from bot.engine import WorkshopEngine
from bot.ports import Checkout, RepairRequest
from tests.fakes.workflow import build_report

if TYPE_CHECKING:
    import pytest

    from bot.repair import Repair

RESULT = RunResult(run_id="r1", report_id="x", outcome=Outcome.NO_PATCH, reason="none", stages=())


async def test_a_request_becomes_a_repair_as_the_repository_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tree, history, run id, depth and the repository's own limits reach the workflow."""
    seen: list[Repair] = []

    async def repair(job: Repair, *others: object) -> Any:
        seen.append(job)
        return type("Done", (), {"result": RESULT})

    monkeypatch.setattr(engine, "repair", repair)
    request = RepairRequest(
        run_id="r1",
        report=build_report(),
        checkout=Checkout(tree=Path("tree"), mirror=Path("mirror.git"), branch="main", sha="0" * 40),
        out=Path("out"),
        depth=Depth.QUICK,
        config=RunConfig(refine_rounds=1),
    )
    result = await WorkshopEngine(workshop=object()).repair(request)  # type: ignore[arg-type]
    (job,) = seen
    assert result is RESULT
    assert (job.project, job.history, job.out, job.run_id) == (
        Path("tree"),
        Path("mirror.git"),
        Path("out"),
        "r1",
    )
    assert job.config == RunConfig(refine_rounds=1, depth=Depth.QUICK)

"""Keeps what a run found: the result and its files as artifacts, the figures in its row."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import structlog

from agent.domain.run import Outcome, RunResult
from bot.errors import ArtifactError
from bot.store.codec import decode, encode
from bot.store.runs import UNFINISHED

if TYPE_CHECKING:
    from pathlib import Path

    from bot.jobs.services import Services
    from bot.ports import Checkout
    from bot.store.runs import Run

RESULT = "result.json"
PATCH = "patch.diff"
MOST_FILES = 500
MOST_BYTES = 50_000_000

log = structlog.get_logger(__name__)


def empty_result(run: Run, outcome: Outcome, reason: str) -> RunResult:
    """Return the result of a run that found nothing."""
    return RunResult(run_id=run.id, report_id=run.report_id, outcome=outcome, reason=reason, stages=())


def keep(services: Services, run: Run, checkout: Checkout, result: RunResult, out: Path) -> None:
    """Keep the result, every file of ``out`` and where it was made; then remove ``out``."""
    for name, content in _files(out):
        services.store.runs.attach(run.id, name, services.artifacts.put(content))
    services.store.runs.change(run.id, UNFINISHED, base_branch=checkout.branch, base_sha=checkout.sha)
    keep_result(services, run, result)
    shutil.rmtree(out, ignore_errors=True)


def keep_result(services: Services, run: Run, result: RunResult) -> None:
    """Keep the result alone."""
    artifact = services.artifacts.put(json.dumps(encode(result), sort_keys=True).encode())
    services.store.runs.attach(run.id, RESULT, artifact)
    if result.diff:
        services.store.runs.attach(run.id, PATCH, services.artifacts.put(result.diff.encode()))
    for stage in result.stages:
        detail = f"{stage.stage.value}: {stage.result} ({stage.seconds:.1f} s)"
        services.store.runs.note(run.id, services.now(), "stage", detail)
    services.store.runs.change(
        run.id,
        UNFINISHED,
        outcome=result.outcome.value,
        reason=result.reason,
        result_digest=artifact.digest,
        money=result.cost.money,
        tokens=result.cost.tokens_in + result.cost.tokens_out,
    )


def result_of(services: Services, run: Run | None) -> RunResult | None:
    """Return the kept result of a run; None when there is none or its file is damaged."""
    if run is None or not run.result_digest:
        return None
    try:
        content = services.artifacts.get(run.result_digest)
    except ArtifactError as error:
        log.warning("result_lost", run_id=run.id, error=str(error))
        return None
    return decode(RunResult, json.loads(content))


def _files(out: Path) -> list[tuple[str, bytes]]:
    """Return the regular files of a folder, within limits; links are not followed."""
    found: list[tuple[str, bytes]] = []
    size = 0
    for path in sorted(out.rglob("*")) if out.is_dir() else ():
        if path.is_symlink() or not path.is_file():
            continue
        size += path.stat().st_size
        if len(found) >= MOST_FILES or size > MOST_BYTES:
            log.warning("files_left_out", folder=out.name)
            break
        found.append((path.relative_to(out).as_posix(), path.read_bytes()))
    return found

"""Runs the cases: each in its folder, resumed where it was left, faults of the pipeline tried once more."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agent.domain.run import Outcome
from agent.errors import AgentError
from evaluation.errors import EvaluationError
from evaluation.ports import RepairAnswer, RepairTask
from evaluation.repair.conditions import build_of, digest_of, report_of
from evaluation.repair.errors import ResultsError
from evaluation.repair.leaks import audit, unique_lines
from evaluation.repair.memory import NOTHING, Memory, question, read_answer
from evaluation.repair.phases import OraclePhase, PhaseResult, PhaseStatus, not_run
from evaluation.repair.posing import pose
from evaluation.repair.results import RESULT, ResultShape, result_of
from evaluation.repair.stored import read_shape, write_shape
from evaluation.repair.taxonomy import RERUN, judge_run
from evaluation.repair.validating import ORACLE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from evaluation.ports import MemoryModel, Progress, Repairer
    from evaluation.repair.case import Case
    from evaluation.repair.conditions import Conditions
    from evaluation.repair.posing import Bench, Posed
    from evaluation.repair.validating import Validator

MEMORY_SECONDS = 120.0
GRACE_MINUTES = 10.0
NO_PATCH = tuple(not_run(phase, "there is no patch") for phase in OraclePhase)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairBench:
    """Measures one repairer. ``validator`` says which cases may be believed; None believes all of them.

    ``hidden`` are the evaluator's folders: a run that names one is marked. A run is ended ``grace_minutes`` after
    its own limit, in case it does not keep it.
    """

    bench: Bench
    repairer: Repairer
    conditions: Conditions
    out: Path
    progress: Progress
    validator: Validator | None = None
    memory: MemoryModel | None = None
    cutoff: date | None = None
    hidden: Sequence[Path] = ()
    jobs: int = 1
    grace_minutes: float = GRACE_MINUTES
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def run(self, cases: Sequence[Case]) -> tuple[ResultShape, ...]:
        """Return a result for every case and repetition, in order; every case counts, the invalid ones too."""
        slots = asyncio.Semaphore(self.jobs)
        repetitions = range(1, self.conditions.repetitions + 1)
        wanted = [(case, number) for case in cases for number in repetitions]
        self.progress.begin(len(wanted))
        return tuple(await asyncio.gather(*(self._slot(case, number, slots) for case, number in wanted)))

    async def _slot(self, case: Case, repetition: int, slots: asyncio.Semaphore) -> ResultShape:
        async with slots:
            return await self.result(case, repetition)

    async def result(self, case: Case, repetition: int) -> ResultShape:
        """Return the kept result, or run the case."""
        path = self.out / case.id / f"run-{repetition}" / RESULT
        digest = digest_of(self.conditions, self.repairer.facts, case, ORACLE)
        kept = read_shape(path, ResultShape)
        if kept is not None and kept.digest == digest and kept.ending not in RERUN:
            self.progress.finish(case.id, f"kept: {kept.ending.value}", fresh=False)
            return kept
        result = await self._run(case, repetition, digest, tries=1)
        if result.ending in RERUN:
            self.progress.note(case.id, f"{result.ending.value}: {result.reason}; once more")
            result = await self._run(case, repetition, digest, tries=2)
        write_shape(path, result)
        self.progress.finish(case.id, f"{result.ending.value}: {result.reason}", fresh=True)
        return result

    async def _run(self, case: Case, repetition: int, digest: str, *, tries: int) -> ResultShape:
        started_at, started = datetime.now(UTC), time.monotonic()
        answer, phases = _faulty("the case was not posed"), NO_PATCH
        memory, found, sanitised, oracle = NOTHING, audit("", frozenset(), {}, calls=0), {}, 0.0
        invalid = await self._invalid(case)
        try:
            with pose(case, self.bench) as posed:
                sanitised = {path: list(lines) for path, lines in posed.sanitised.removed.items()}
                answer = await self._answer(posed, repetition)
                spent = time.monotonic() - started
                phases = await self._judged(posed, answer)
                oracle = time.monotonic() - started - spent
                unique = unique_lines(
                    posed.vulnerable,
                    {**posed.fix, **posed.judge.truth.developer_tests},
                    given=report_of(case, self.conditions).body,
                )
                found = audit(
                    answer.trajectory,
                    unique,
                    answer.changes,
                    calls=answer.cost.calls,
                    paths=[str(path) for path in self.hidden],
                )
                memory = await self._remembered(case, unique)
        except EvaluationError as error:
            answer = _faulty(str(error))
        return result_of(
            case,
            answer,
            judge_run(case, answer, phases, invalid=invalid),
            phases,
            found,
            memory,
            repetition=repetition,
            digest=digest,
            started_at=f"{started_at:%Y-%m-%dT%H:%M:%SZ}",
            seconds=time.monotonic() - started - oracle,
            oracle_seconds=oracle,
            tries=tries,
            sanitised=sanitised,
        )

    async def _invalid(self, case: Case) -> tuple[str, ...]:
        if self.validator is None:
            return ()
        async with self._locks.setdefault(case.id, asyncio.Lock()):
            return (await self.validator.validated(case)).wrong

    async def _answer(self, posed: Posed, repetition: int) -> RepairAnswer:
        """Run the repairer; what it raises is a fault of the pipeline, what takes too long a timeout."""
        task = RepairTask(
            tree=posed.tree,
            report=report_of(posed.case, self.conditions),
            out=self.out / posed.case.id / f"run-{repetition}" / "run",
            build=build_of(posed.case, self.conditions),
            depth=self.conditions.depth,
            minutes=self.conditions.minutes,
        )
        self.progress.note(posed.case.id, f"run {repetition} of {self.conditions.repetitions}")
        try:
            async with asyncio.timeout((self.conditions.minutes + self.grace_minutes) * 60):
                return await self.repairer.repair(task)
        except TimeoutError:
            return RepairAnswer(
                outcome=Outcome.CANCELLED, reason=f"not done within {self.conditions.minutes:g} minutes"
            )
        except (AgentError, EvaluationError) as error:
            return _faulty(str(error))

    async def _judged(self, posed: Posed, answer: RepairAnswer) -> tuple[PhaseResult, ...]:
        if not answer.changes:
            return NO_PATCH
        self.progress.note(posed.case.id, "the oracle judges the patch")
        try:
            return await posed.judge.judge(answer.changes)
        except AgentError as error:
            fault = PhaseResult(phase=OraclePhase.BUILD, status=PhaseStatus.PIPELINE, reason=str(error))
            return (fault, *NO_PATCH[1:])

    async def _remembered(self, case: Case, unique: frozenset[str]) -> Memory:
        if self.memory is None:
            return NOTHING
        try:
            async with asyncio.timeout(MEMORY_SECONDS):
                answer = await self.memory.ask(question(case))
        except (TimeoutError, AgentError, EvaluationError) as error:
            answer = f"no answer: {type(error).__name__}"
        return read_answer(answer, unique, case.fix_date, self.cutoff)


def kept_results(out: Path, cases: Sequence[Case]) -> tuple[ResultShape, ...]:
    """Return what an earlier measurement kept of these cases; raise ``ResultsError`` when that is nothing."""
    places = (place for case in cases for place in sorted(out.glob(f"{case.id}/run-*/{RESULT}")))
    found = tuple(result for place in places if (result := read_shape(place, ResultShape)) is not None)
    if not found:
        raise ResultsError(f"{out} holds no results of these cases; give the --out of a measurement")
    return found


def _faulty(reason: str) -> RepairAnswer:
    return RepairAnswer(outcome=Outcome.ERROR, reason=reason)

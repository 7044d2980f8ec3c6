"""Validates many cases: each once, kept in its folder, resumed where it was left."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.repair.errors import SourceError
from evaluation.repair.posing import pose
from evaluation.repair.stored import VALIDATION, ValidationShape, read_shape, write_shape
from evaluation.repair.validation import Validation, validate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluation.ports import Progress
    from evaluation.repair.case import Case
    from evaluation.repair.posing import Bench

ORACLE = "oracle-1"
"""Raised when the oracle changes what it asks: older validations are then made anew."""


def digest_of(case: Case, bench: Bench) -> str:
    """Return what a validation depends on: the case with its texts, the oracle and its limits."""
    return hashlib.sha256(repr((ORACLE, case, bench.limits)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validator:
    """Validates cases on ``bench``; results below ``out/<id>``."""

    bench: Bench
    out: Path
    progress: Progress
    jobs: int = 1

    async def run(self, cases: Sequence[Case]) -> tuple[Validation, ...]:
        """Return the validations in the order of the cases."""
        slots = asyncio.Semaphore(self.jobs)
        self.progress.begin(len(cases))
        return tuple(await asyncio.gather(*(self._one(case, slots) for case in cases)))

    async def _one(self, case: Case, slots: asyncio.Semaphore) -> Validation:
        async with slots:
            return await self.validated(case)

    async def validated(self, case: Case) -> Validation:
        """Return the kept validation of a case, or make it; a pipeline fault is tried once more."""
        path, digest = self.out / case.id / VALIDATION, digest_of(case, self.bench)
        kept = read_shape(path, ValidationShape)
        if kept is not None and kept.digest == digest and kept.holds:
            self.progress.finish(case.id, "kept: holds", fresh=False)
            return kept.validation()
        validation = await self._fresh(case)
        if not validation.holds and "pipeline" in " ".join(validation.wrong):
            validation = await self._fresh(case)
        write_shape(path, ValidationShape.of(validation, digest))
        self.progress.finish(case.id, "holds" if validation.holds else validation.wrong[0], fresh=True)
        return validation

    async def _fresh(self, case: Case) -> Validation:
        try:
            with pose(case, self.bench) as posed:
                return await validate(posed.judge, posed.fix, lambda text: self.progress.note(case.id, text))
        except SourceError as error:
            return Validation(case_id=case.id, probes=(), wrong=(f"source: {error}",))

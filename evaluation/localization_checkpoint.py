"""Measured cases on disk, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.localization_fit import MeasuredCase
from retrieval.files import document

if TYPE_CHECKING:
    from pathlib import Path


def checkpoint_path(folder: Path, case: str, settings: tuple[object, ...]) -> Path:
    """Return where a case measured under these settings is kept; other settings or documents, another place."""
    told = json.dumps([document.FORMAT, *settings], sort_keys=True, default=str)
    return folder / "measured" / hashlib.sha256(told.encode()).hexdigest()[:16] / f"{case}.npz"


def save_case(path: Path, case: MeasuredCase, others: dict[str, object]) -> None:
    """Write beside and move into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = [case.id, case.repository, case.paths, case.names, case.changed, case.missing, others]
    beside = path.with_suffix(".new.npz")
    np.savez(beside, signals=case.signals.astype(np.float32), facts=np.array(json.dumps(facts)))
    beside.replace(path)


def load_case(path: Path) -> tuple[MeasuredCase, dict[str, Any]] | None:
    """Return a kept case, or None."""
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as kept:
        signals = kept["signals"].astype(np.float64)
        identity, repository, paths, names, changed, missing, others = json.loads(str(kept["facts"]))
    case = MeasuredCase(
        id=identity,
        repository=repository,
        paths=tuple(paths),
        names=tuple(names),
        signals=signals,
        changed=tuple(changed),
        missing=missing,
    )
    return case, others

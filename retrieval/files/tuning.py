"""The weight of the past fitted on one repository: its own past fixes asked again, each as of its own time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.domain import FileQuery
from retrieval.files.fusion import side
from retrieval.files.index import snapshot
from retrieval.files.kinds import FileKind
from retrieval.files.past_signals import HISTORY, Past
from retrieval.files.presets import DEFAULT
from retrieval.files.query import parse
from retrieval.files.ranking import scaled
from retrieval.files.signals import LEXICAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retrieval.files.fusion import Preset
    from retrieval.files.snapshot import Snapshot
    from retrieval.files.store import IndexStore
    from retrieval.files.trees import FolderTree, GitTree

    Scores = NDArray[np.float64]

FEWEST = 200
_MOST = 400
_GRID = tuple(step / 20 for step in range(17))
_FACT = "alpha"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What fitting found: the reciprocal rank of past fixes with the preset's alpha and with the best one."""

    fixes: int
    alpha: float
    before: float
    after: float
    kept: bool
    reason: str

    def as_facts(self) -> dict[str, object]:
        """Return it as plain values."""
        return {name: getattr(self, name) for name in ("fixes", "alpha", "before", "after", "kept", "reason")}


def tuned(preset: Preset, store: IndexStore) -> Preset:
    """Return the preset with the alpha that was kept for this repository, if there is one."""
    alpha = store.fact(_FACT)
    return (
        replace(preset, alpha=alpha) if preset.name == DEFAULT.name and isinstance(alpha, float) else preset
    )


def fit_alpha(tree: GitTree | FolderTree, store: IndexStore, preset: Preset = DEFAULT) -> Tuning:
    """Fit alpha on the newest past fixes of the repository and keep it only if it wins on the newer half.

    Each fix is asked by its message against today's files, with only older commits to speak for it. The older
    half of the fixes chooses alpha, the newer half decides whether it is kept.
    """
    asked = _asked(snapshot(tree, store), preset)
    if len(asked) < FEWEST:
        reason = f"{len(asked)} past fixes; at least {FEWEST} are needed"
        return Tuning(fixes=len(asked), alpha=preset.alpha, before=0.0, after=0.0, kept=False, reason=reason)
    older, newer = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    best = max(_GRID, key=lambda alpha: (_quality(older, alpha), -abs(alpha - preset.alpha)))
    before, after = _quality(newer, preset.alpha), _quality(newer, best)
    kept = after > before
    if kept:
        store.put_fact(_FACT, best)
    reason = "better on the newer half" if kept else "no better on the newer half"
    return Tuning(fixes=len(asked), alpha=best, before=before, after=after, kept=kept, reason=reason)


Asked = tuple["Scores", "Scores", "NDArray[np.int64]"]


def _asked(ready: Snapshot, preset: Preset) -> list[Asked]:
    """Return both sides and the changed files for each past fix, oldest first."""
    corpus = ready.corpora[FileKind.SOURCE]
    found: list[Asked] = []
    history = ready.histories[FileKind.SOURCE]
    for at, change in enumerate(ready.log.changes):
        files = np.array([corpus.at[path] for path in change.paths if path in corpus.at], dtype=np.int64)
        if not change.fixes or not 0 < len(files) <= 5 or not change.subject:  # noqa: PLR2004 - larger is no fix
            continue
        parsed = parse(FileQuery(title=change.subject, body=""))
        near = ready.log.nearest(parsed.title, after=at + 1)
        past = Past(history=history, by_title=near, by_body=near, similar=(), at=corpus.at, after=at + 1)
        lexical = {name: LEXICAL[name](parsed, corpus) for name in preset.lexical if name in LEXICAL}
        of_past = {name: HISTORY[name](past) for name in preset.history if name in HISTORY}
        signals, size = scaled(lexical | of_past, preset), len(corpus)
        found.append((side(signals, preset.lexical, size), side(signals, preset.history, size), files))
        if len(found) >= _MOST:
            break
    return found[::-1]


def _quality(asked: list[Asked], alpha: float) -> float:
    """Return the mean reciprocal rank of the first changed file."""
    ranks = []
    for lexical, history, files in asked:
        scores = alpha * history + (1 - alpha) * lexical
        order = np.lexsort((np.arange(len(scores)), -scores))
        ranks.append(1 / (1 + int(np.flatnonzero(np.isin(order, files))[0])))
    return float(np.mean(ranks))

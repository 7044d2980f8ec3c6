"""Past issues on disk: their texts, their vectors and what the embedder learnt, in one folder a generation.

A generation is written whole, then named in the index; a reader sees the old one or the new one.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from typing import TYPE_CHECKING

from retrieval.domain import PastIssue
from retrieval.embedders.svd import SVDEmbedder
from retrieval.errors import IndexDamagedError
from retrieval.files.issues import IssueMemory
from retrieval.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.files.store import IndexStore
    from retrieval.ports import Embedder

_FACT = "issues"
_REFIT = 1.25
"""An embedder that learns is fitted again when the issues have grown by a quarter since."""


def load_memory(store: IndexStore, embedder: Embedder) -> IssueMemory | None:
    """Return the issues kept with vectors of this embedder, or None; raise ``IndexDamagedError``."""
    kept = store.fact(_FACT)
    if not isinstance(kept, dict) or kept["embedder"] != embedder.name or not kept["count"]:
        return None
    folder = store.folder / kept["folder"]
    try:
        rows = json.loads((folder / "issues.json").read_text(encoding="utf-8"))
        issues = [PastIssue(**{**row, "files": tuple(row["files"])}) for row in rows]
        if isinstance(embedder, SVDEmbedder):
            embedder.load(folder / "svd.npz")
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise IndexDamagedError(store.folder) from error
    return IssueMemory(embedder, issues, VectorIndex.load(folder / "vectors.faiss"))


def remember(store: IndexStore, embedder: Embedder, issues: Iterable[PastIssue]) -> IssueMemory:
    """Keep past issues beside the index; only what is new or changed is embedded. Return all of them."""
    given = {issue.id: issue for issue in issues}
    known = load_memory(store, embedder)
    kept = store.fact(_FACT)
    fitted = int(kept["fitted"]) if isinstance(kept, dict) and known else 0
    before = {issue.id: issue for issue in known.issues} if known else {}
    total = before | given
    if known is None or len(total) > fitted * _REFIT:
        memory, fitted = IssueMemory.learn(embedder, list(total.values())), len(total)
    else:
        memory = known.writable()
        memory.add([issue for issue in given.values() if before.get(issue.id) != issue])
    _save(store, memory, fitted)
    return memory


def _save(store: IndexStore, memory: IssueMemory, fitted: int) -> None:
    kept = store.fact(_FACT)
    number = int(kept["number"]) + 1 if isinstance(kept, dict) else 1
    folder = store.folder / f"issues-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    rows = [asdict(issue) for issue in memory.issues]
    (folder / "issues.json").write_text(json.dumps(rows), encoding="utf-8")
    if memory.index is not None:
        memory.index.save(folder / "vectors.faiss")
    if isinstance(memory.embedder, SVDEmbedder) and memory.issues:
        memory.embedder.save(folder / "svd.npz")
    fact = {"number": number, "folder": folder.name, "embedder": memory.embedder.name}
    store.put_fact(_FACT, {**fact, "count": len(memory.issues), "fitted": fitted})
    for old in store.folder.glob("issues-*"):
        if int(old.name.partition("-")[2]) < number - 1:
            shutil.rmtree(old, ignore_errors=True)

"""How the index grows: synthetic repositories of rising size, indexed, changed and asked."""

from __future__ import annotations

import resource
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.domain import FileQuery
from retrieval.files.index import snapshot, update
from retrieval.files.presets import DEFAULT
from retrieval.files.ranking import rank
from retrieval.files.store import IndexStore
from retrieval.files.trees import open_tree

if TYPE_CHECKING:
    from pathlib import Path

WORDS = (
    "cookie",
    "header",
    "parser",
    "login",
    "session",
    "archive",
    "render",
    "query",
    "socket",
    "cache",
    "token",
    "route",
)
CHANGED = 5
_FOLDER = 100
_QUERY = FileQuery(
    title="Cookie header parser accepts invalid session token", body="`parse_cookie_7` trusts it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Processor seconds (git's included) of one repository's index, in steps; memory is the peak so far."""

    files: int
    cold: float
    change: float
    load: float
    query: float
    megabytes: float


def measure_speed(repository: Path, folder: Path) -> Speed:
    """Index a repository from nothing and ask it; nothing is changed in it."""
    store = IndexStore(folder)
    tree = open_tree(repository)
    start = processor_time()
    update(tree, store)
    cold = processor_time() - start
    load, query = _asked(repository, store)
    store.close()
    return Speed(
        files=len(tree.files), cold=cold, change=0.0, load=load, query=query, megabytes=peak_megabytes()
    )


def measure_growth(files: int, folder: Path) -> Speed:
    """Make a repository of ``files`` files, index it, change five of them, index that and ask."""
    work = folder / f"repository-{files}"
    _make(work, files)
    store = IndexStore(folder / f"index-{files}")
    start = processor_time()
    update(open_tree(work), store)
    cold = processor_time() - start
    for number in range(CHANGED):
        (work / _path(number)).write_text(_text(number) + "\nCHANGED = True\n", encoding="utf-8")
    _git(work, "commit", "-q", "-a", "-m", "Change five files")
    start = processor_time()
    done = update(open_tree(work), store)
    change = processor_time() - start
    if done.contents != CHANGED:
        raise AssertionError(f"an update after {CHANGED} changed files read {done.contents}")
    load, query = _asked(work, store)
    store.close()
    return Speed(files=files, cold=cold, change=change, load=load, query=query, megabytes=peak_megabytes())


def _asked(repository: Path, store: IndexStore) -> tuple[float, float]:
    """Return the time to load the index and ask once, and that of the best of five warm queries."""
    start = processor_time()
    ready = snapshot(open_tree(repository), store)
    rank(_QUERY, ready, DEFAULT, k=10)
    load = processor_time() - start
    warm = []
    for _ in range(5):
        start = processor_time()
        rank(_QUERY, ready, DEFAULT, k=10)
        warm.append(processor_time() - start)
    return load, min(warm)


def processor_time() -> float:
    """Return the processor seconds of this process and of the programs it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """Return the most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _make(work: Path, files: int) -> None:
    for number in range(files):
        path = work / _path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(number), encoding="utf-8")
    _git(work, "init", "-q")
    _git(work, "add", "-A")
    _git(work, "commit", "-q", "-m", "Begin")


def _path(number: int) -> str:
    return f"pkg{number // _FOLDER}/{WORDS[number % len(WORDS)]}_{number}.py"


def _text(number: int) -> str:
    """Return a module of twenty functions of its own words: real files share a vocabulary and have names."""
    parts = []
    for at in range(20):
        one, two = WORDS[(number + at) % len(WORDS)], WORDS[(number * 7 + at * 3) % len(WORDS)]
        parts.append(
            f"def {one}_{two}_{number + at}(value_{at}):\n    {two} = load_{one}(value_{at})\n    return {two}\n"
        )
    return "\n\n".join(parts)


def _git(work: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(
        ["git", "-C", str(work), *identity, *arguments], check=True, capture_output=True, timeout=600
    )

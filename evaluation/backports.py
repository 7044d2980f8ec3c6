"""Our backports against those that projects shipped: each recorded cherry-pick is done again and compared."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from agent.patches.backport import BackportError, Picked, backport
from evaluation.errors import EvaluationError
from retrieval.commits.mentions import cited_commits
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.git import GitRepository

_SECONDS = 60.0


class Verdict(StrEnum):
    """How ours compares with theirs."""

    SAME = "the same patch"
    OTHER = "applied, another patch"
    CONFLICT = "conflict, reported"
    ALREADY_THERE = "said to be there already"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One recorded backport, and whether ours touches (or, in a conflict, is stopped by) exactly its files."""

    repository: str
    original: str
    theirs: str
    verdict: Verdict
    same_files: bool


def recorded(repository: GitRepository, limit: int) -> list[tuple[str, str]]:
    """Return the newest commits that say from which commit they were picked, as (original, theirs)."""
    arguments = (
        "log",
        "--branches",
        "--remotes",
        "--tags",
        "--no-merges",
        "--grep=cherry picked from commit",
    )
    pairs: list[tuple[str, str]] = []
    for record in repository.records(*arguments, "-z", "--format=%H%n%B"):
        theirs, _, message = record.decode("utf-8", "replace").strip().partition("\n")
        for cited in sorted(cited_commits(message)):
            original = _known(repository, cited)
            if original and len(pairs) < limit:
                pairs.append((original, theirs))
    return pairs


def replayed(repository: GitRepository, pairs: Sequence[tuple[str, str]]) -> Iterator[Replayed]:
    """Pick each original onto the parent of the recorded backport, and compare."""
    for original, theirs in pairs:
        verdict, files = _replay(repository, original, theirs)
        listed = repository.text("diff-tree", "-r", "--no-commit-id", "--name-only", "-z", theirs).split("\0")
        yield Replayed(
            repository=repository.path.name,
            original=original,
            theirs=theirs,
            verdict=verdict,
            same_files=set(files) == {path for path in listed if path},
        )


def _replay(repository: GitRepository, original: str, theirs: str) -> tuple[Verdict, Sequence[str]]:
    try:
        ours = backport(repository.path, original, f"{theirs}^1")
    except BackportError:
        return Verdict.FAILED, ()
    if ours.outcome is Picked.CONFLICT:
        return Verdict.CONFLICT, ours.conflicts
    if ours.outcome is Picked.ALREADY_THERE:
        return Verdict.ALREADY_THERE, ()
    their_patch = repository.text("diff-tree", "-p", "--binary", theirs).encode("utf-8", "replace")
    same = _patch_id(repository, ours.patch) == _patch_id(repository, their_patch)
    return (Verdict.SAME if same else Verdict.OTHER), ours.files


def _patch_id(repository: GitRepository, patch: bytes) -> bytes:
    """Return git's own name for a change, which heeds neither line numbers nor white space."""
    command = ["git", "-C", str(repository.path), "patch-id", "--stable"]
    done = subprocess.run(command, input=patch, capture_output=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise EvaluationError(f"git patch-id failed in {repository.path.name}.")
    return done.stdout.split(b" ")[0]


def _known(repository: GitRepository, cited: str) -> str | None:
    try:
        return repository.resolve(cited)
    except RetrievalError:
        return None

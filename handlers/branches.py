"""Which branches Suture watches: the default branch, and release branches by their patterns."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handlers.intents import Repository
    from handlers.triggers import TriggerConfig

_HEADS = "refs/heads/"


def branch_of(ref: str) -> str:
    """Return the branch a full ref names, empty for tags and anything else."""
    return ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else ""


def is_watched(ref: str, repository: Repository, config: TriggerConfig) -> bool:
    """Return whether a full ref names the default branch or a release branch."""
    branch = branch_of(ref)
    if not branch or branch.startswith(config.branch_prefix):
        return False
    patterns = config.release_branches
    return branch == repository.default_branch or any(fnmatchcase(branch, pattern) for pattern in patterns)

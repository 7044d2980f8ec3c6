"""What a patch may touch: small, within what was found, and nothing that steers builds or Suture itself."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent.domain.patch import Candidate

NEVER = (
    ".github/*",
    ".gitlab-ci.yml",
    ".circleci/*",
    ".travis.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    ".git/*",
    ".gitmodules",
    ".gitattributes",
    ".pre-commit-config.yaml",
    "CODEOWNERS",
    "docs/CODEOWNERS",
)
"""Workflows, CI, ownership and Suture's own configuration: never changed by Suture."""

LOCK_FILES = frozenset(
    {
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "Pipfile.lock",
        "Cargo.lock",
        "go.sum",
        "composer.lock",
        "Gemfile.lock",
        "pylock.toml",
    }
)

MANIFESTS = frozenset(
    {
        "package.json",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "Pipfile",
        "requirements.txt",
        "go.mod",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "Gemfile",
        "composer.json",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeLimits:
    """Upper bounds of a patch; ``protected`` are further globs that may never change."""

    files: int = 6
    lines: int = 200
    protected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSize:
    """Changed files, and lines added and removed."""

    files: int
    added: int
    removed: int


def diff_size(diff: str) -> DiffSize:
    """Return the size of a patch in git's format."""
    patch = PatchSet(diff.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return DiffSize(files=len(patch), added=patch.added, removed=patch.removed)


def scope_violations(
    candidate: Candidate,
    before: Mapping[str, bytes | None],
    diff: str,
    *,
    planned: frozenset[str],
    limits: ScopeLimits,
) -> tuple[str, ...]:
    """Return why the patch goes too far, one line each; empty when it keeps within its scope.

    ``planned`` are the paths that the ranking and the plan allow.
    """
    found: list[str] = [] if candidate.changes else ["the patch changes nothing"]
    for path, after in candidate.changes.items():
        found += _path_violations(path, planned, limits)
        found += _content_violations(path, before.get(path), after)
    try:
        size = diff_size(diff)
    except UnidiffParseError:
        return (*found, "the patch cannot be read as a diff")
    if size.files > limits.files:
        found.append(f"{size.files} files are changed, at most {limits.files} may be")
    if size.added + size.removed > limits.lines:
        found.append(f"{size.added + size.removed} lines are changed, at most {limits.lines} may be")
    return tuple(found)


def author_may_change(path: str, limits: ScopeLimits) -> bool:
    """Tell whether an author may plan an edit of ``path``: source or documents, nothing that steers or judges."""
    return not _path_violations(path, frozenset({path}), limits) and kind_of(path) is not FileKind.TEST


def _path_violations(path: str, planned: frozenset[str], limits: ScopeLimits) -> list[str]:
    name = path.rsplit("/", 1)[-1]
    if path.startswith("/") or ".." in path.split("/"):
        return [f"{path} is outside of the repository"]
    if any(fnmatch.fnmatchcase(path, glob) for glob in (*NEVER, *limits.protected)):
        return [f"{path} is protected"]
    if name in LOCK_FILES:
        return [f"{path} is a lock file"]
    if name in MANIFESTS:
        return [f"{path} declares dependencies"]
    return [] if path in planned else [f"{path} is not among the files that were found"]


def _content_violations(path: str, before: bytes | None, after: bytes | None) -> list[str]:
    if after is None:
        return [f"{path} would be deleted"]
    if b"\x00" in after:
        return [f"{path} would be binary"]
    if any(mark in after and mark not in (before or b"") for mark in (b"<<<<<<< ", b">>>>>>> ")):
        return [f"{path} holds conflict markers"]
    if before is None:
        return []
    found = []
    if _line_ending(before) != _line_ending(after):
        found.append(f"{path} would change its line endings")
    if before and before.endswith(b"\n") != after.endswith(b"\n"):
        found.append(f"{path} would change its final newline")
    if _encoding(before) == "utf-8" != _encoding(after):
        found.append(f"{path} would no longer be UTF-8")
    return found


def _line_ending(content: bytes) -> str:
    """Return ``crlf``, ``lf``, ``mixed`` or ``none``."""
    crlf = content.count(b"\r\n")
    lf = content.count(b"\n") - crlf
    if crlf and lf:
        return "mixed"
    return "crlf" if crlf else "lf" if lf else "none"


def _encoding(content: bytes) -> str:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "other"
    return "utf-8"

"""The files to be ranked, with their content: a commit of a repository, or a plain folder as it lies there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from retrieval.errors import GitError, NoTreeError
from retrieval.files.kinds import LARGEST_TEXT
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache"})
MOST_FILES = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a file holds, or None where it is too large to be text or is not here."""

    id: str
    content: bytes | None


class Tree(Protocol):
    """Files by path, each with an id that stands for its content."""

    @property
    def files(self) -> Mapping[str, str]:
        """Return path -> content id, in path order."""
        ...

    def contents(self, ids: Iterable[str]) -> Iterator[Content]:
        """Yield what is known of each id; an id without content may be left out."""
        ...


class GitTree:
    """The tree of one commit."""

    def __init__(self, repository: GitRepository, commit: str) -> None:
        self.repository = repository
        self.commit = commit
        self.files: Mapping[str, str] = {file.path: file.blob for file in repository.files(commit)}

    def contents(self, ids: Iterable[str]) -> Iterator[Content]:
        """Yield the content of each blob that is here and not too large."""
        for blob in self.repository.blobs(ids, limit=LARGEST_TEXT):
            yield Content(id=blob.id, content=blob.content)


class FolderTree:
    """A folder as it lies there. Links are not followed; ids are git's, so that both kinds share one index."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: dict[str, str] = {}
        found = {}
        for path in _walk(root):
            name = path.relative_to(root).as_posix()
            found[name] = _blob_id(path)
            self._paths[found[name]] = name
        self.files: Mapping[str, str] = dict(sorted(found.items()))

    def contents(self, ids: Iterable[str]) -> Iterator[Content]:
        """Yield the content of each file that is not too large."""
        for one in ids:
            path = self._root / self._paths[one]
            small = path.stat().st_size <= LARGEST_TEXT
            yield Content(id=one, content=path.read_bytes() if small else None)


def open_tree(path: Path, *, revision: str | None = None) -> GitTree | FolderTree:
    """Return the tree at ``path``: of ``revision`` (or HEAD) if a repository lies exactly there, else the folder.

    Raise ``NoTreeError`` when there is nothing to rank, ``UnknownRevisionError`` for an unknown revision.
    """
    if not path.is_dir():
        raise NoTreeError(f"{path} is not a folder; name a repository or the folder of a project")
    repository = repository_at(path)
    if repository is None and revision is not None:
        raise NoTreeError(f"{path} is no git repository, so there is no {revision!r} in it; leave --at out")
    if repository is None or (revision is None and not repository.has_commits()):
        return FolderTree(path)
    return GitTree(repository, repository.resolve(revision or "HEAD"))


def repository_at(path: Path) -> GitRepository | None:
    """Return the repository whose root or git directory ``path`` is; a folder inside of one does not count."""
    repository = GitRepository(path)
    try:
        git_dir = Path(repository.git_dir).resolve()
    except GitError as error:
        if (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir()):
            raise
        del error
        return None
    here = path.resolve()
    return repository if git_dir == here or (here / ".git").exists() else None


def _walk(root: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                count += 1
                if count > MOST_FILES:
                    raise NoTreeError(f"{root} holds more than {MOST_FILES:,} files; name a smaller folder")
                yield path


def _blob_id(path: Path) -> str:
    digest = sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as opened:
        while block := opened.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

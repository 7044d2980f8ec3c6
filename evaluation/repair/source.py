"""The source that a run may see, and what it may not: sanitised trees, the fix, the developer's tests.

Trees are written from the objects of a repository: no history, no tags, no remote, no configuration, no filter.
Lines of change logs that name the flaw are taken out. Everything else here is ground truth and stays with the
evaluator.
"""

from __future__ import annotations

import io
import os
import re
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from evaluation.repair.errors import SourceError
from retrieval.errors import RetrievalError
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.repair.case import Case

LINK, PROGRAM, PLAIN = "120000", "100755", "100644"
CHANGE_LOGS = re.compile(
    r"(?:^|/)(?:change(?:s|log)?|history|news|releases?|security)(?:\.\w+)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of a commit: its mode as git writes it, and its bytes (the target, for a link)."""

    mode: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sanitised:
    """What was taken out of a tree before a run may see it: path -> lines."""

    removed: Mapping[str, tuple[str, ...]]


def git_directory(repositories: Path, name: str) -> Path:
    """Return the git directory of ``owner/name``; raise ``SourceError``.

    It may lie as ``owner/name``, ``owner/name.git`` or ``owner+name/repo``, bare or not.
    """
    joined = name.replace("/", "+")
    for place in (name, f"{name}.git", f"{name}/.git", f"{joined}/repo", f"{joined}/repo/.git", joined):
        if (repositories / place / "objects").is_dir():
            return repositories / place
    raise SourceError(f"the repository {name} is not below {repositories}; clone it there as {name}.git")


class CaseSource:
    """The repository of one case. Reading raises ``SourceError`` when a commit is not there."""

    def __init__(self, case: Case, repositories: Path) -> None:
        self.case = case
        self._repository = GitRepository(git_directory(repositories, case.repo))
        self._read: dict[str, dict[str, Entry]] = {}

    def entries(self, commit: str) -> dict[str, Entry]:
        """Return every file and link of a commit by its path, as a checkout writes it; submodules are left out."""
        if commit not in self._read:
            self._read[commit] = self._entries(commit)
        return dict(self._read[commit])

    def _entries(self, commit: str) -> dict[str, Entry]:
        try:
            listed = list(self._listed(commit))
            wanted = (blob for _, _, blob in listed)
            contents = {blob.id: blob.content for blob in self._repository.blobs(wanted)}
            written = self._written(commit)
        except RetrievalError as error:
            raise SourceError(f"case {self.case.id}: {error}") from None
        if missing := [path for path, _, blob in listed if contents.get(blob) is None]:
            raise SourceError(f"case {self.case.id}: {missing[0]} of {commit[:12]} is not in the repository")
        return {
            path: Entry(mode=mode, content=with_line_ends(contents[blob] or b"", written.get(path)))
            for path, mode, blob in listed
        }

    def _written(self, commit: str) -> dict[str, bytes]:
        """Return the files as git would write them, with the line ends that the project asks for.

        An archive leaves out and fills in what the project says for releases; only its line ends are taken.
        """
        with self._repository.stream("archive", "--format=tar", self._repository.resolve(commit)) as output:
            archive = io.BytesIO(output.read())
        with tarfile.open(fileobj=archive) as members:
            return {
                member.name: file.read()
                for member in members
                if member.isreg() and (file := members.extractfile(member)) is not None
            }

    def _listed(self, commit: str) -> Iterator[tuple[str, str, str]]:
        resolved = self._repository.resolve(commit)
        for record in self._repository.records("ls-tree", "-r", "-z", "--full-tree", resolved):
            head, _, path = record.partition(b"\t")
            mode, kind, blob = head.decode().split(" ")[:3]
            if kind == "blob":
                yield os.fsdecode(path), mode, blob

    def export(self, commit: str, target: Path) -> Sanitised:
        """Write the tree of a commit into ``target`` with the commit's time, sanitised; return what was taken."""
        entries = self.entries(commit)
        removed = {}
        for path, entry in entries.items():
            if CHANGE_LOGS.search(path) and entry.mode != LINK:
                kept, taken = without_entries(entry.content, self.case.identifiers)
                if taken:
                    entries[path] = Entry(mode=entry.mode, content=kept)
                    removed[path] = taken
        write_tree(entries, target, time=self._repository.commit_time(commit))
        return Sanitised(removed=removed)

    def fix(self) -> dict[str, bytes | None]:
        """Return the upstream fix without its tests: path -> new bytes, None where it deletes the file."""
        return self._changed(self.case.fixed_files)

    def developer_tests(self) -> dict[str, bytes | None]:
        """Return the test files of the upstream fix: path -> bytes, None where it deletes one."""
        return self._changed(self.case.test_files)

    def before(self) -> dict[str, bytes]:
        """Return the files of the vulnerable commit that the fix or its tests change."""
        entries = self.entries(self.case.vulnerable_commit)
        wanted = (*self.case.fixed_files, *self.case.test_files)
        return {path: entries[path].content for path in wanted if path in entries}

    def _changed(self, paths: Sequence[str]) -> dict[str, bytes | None]:
        before, after = self.entries(self.case.vulnerable_commit), self.entries(self.case.fix_commit)
        if unknown := [path for path in paths if path not in before and path not in after]:
            raise SourceError(f"case {self.case.id}: neither commit has {unknown[0]}")
        return {path: after[path].content if path in after else None for path in paths}


def write_tree(entries: Mapping[str, Entry], target: Path, *, time: int) -> None:
    """Write files and links; a link out of the tree is written as it is, and nothing is written through it."""
    for path, entry in sorted(entries.items(), key=lambda item: item[1].mode == LINK):
        if ".." in PurePosixPath(path).parts or ".git" in PurePosixPath(path).parts:
            raise SourceError(f"a commit may not hold the path {path}")
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == LINK:
            place.symlink_to(os.fsdecode(entry.content))
            continue
        place.write_bytes(entry.content)
        place.chmod(stat.S_IRWXU | 0o055 if entry.mode == PROGRAM else 0o644)
        os.utime(place, (time, time))


def without_entries(content: bytes, identifiers: Sequence[str]) -> tuple[bytes, tuple[str, ...]]:
    """Return a change log without the lines that name one of ``identifiers``, and those lines."""
    names = re.compile("|".join(re.escape(name) for name in identifiers), re.IGNORECASE)
    lines = content.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    taken = tuple(line.strip() for line in lines if names.search(line))
    kept = "".join(line for line in lines if not names.search(line))
    return (kept.encode("utf-8", "surrogateescape"), taken) if taken else (content, ())


def with_line_ends(content: bytes, written: bytes | None) -> bytes:
    """Return ``written`` where it differs in line ends alone, otherwise ``content``."""
    if written is None or content.replace(b"\r\n", b"\n") != written.replace(b"\r\n", b"\n"):
        return content
    return written

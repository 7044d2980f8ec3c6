"""Reading git repositories: bare or not, shallow or partial, at any commit, without a checkout.

Every call is a ``git`` program with hooks, filters, external diffs, replacements, the file-system monitor
and every transport off: nothing that a repository configures is run, and nothing is ever fetched.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import IO, TYPE_CHECKING

from retrieval.errors import GitError, GitTimeoutError, NotARepositoryError, UnknownRevisionError
from retrieval.gitlog import LOG_FORMAT, Commit, parse_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_SAFE = (
    "--no-replace-objects",
    "--no-optional-locks",
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.quotePath=false"),
    *("-c", "core.useReplaceRefs=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "safe.directory=*"),  # whoever owns it: nothing of it is run
    *("-c", "diff.renameLimit=1000"),
)
_BLOCK = 1 << 16
_AT_ONCE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFile:
    """A regular file of a commit's tree and the id of its content."""

    path: str
    blob: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """The content of one file, or ``content is None`` where it is larger than was asked for."""

    id: str
    size: int
    content: bytes | None


class GitRepository:
    """One repository on disk, read only. ``seconds`` bounds each call."""

    def __init__(self, path: Path, *, seconds: float = 600.0) -> None:
        self.path = path
        self._seconds = seconds

    @cached_property
    def git_dir(self) -> str:
        """Return the absolute git directory; raise ``NotARepositoryError``."""
        try:
            return self.text("rev-parse", "--absolute-git-dir").strip()
        except GitTimeoutError:
            raise
        except GitError as error:
            raise NotARepositoryError(str(self.path), error.reason) from error

    @cached_property
    def shallow(self) -> bool:
        """Say whether the history was cut when it was cloned."""
        return self.text("rev-parse", "--is-shallow-repository").strip() == "true"

    @cached_property
    def partial(self) -> bool:
        """Say whether contents may be missing because a remote was to send them on demand."""
        promisors = ("config", "--type=bool", "--get-regexp", r"^remote\..*\.promisor$")
        return any(line.endswith(" true") for line in self.text(*promisors, missing="").splitlines())

    def resolve(self, revision: str) -> str:
        """Return the commit id of ``revision``; raise ``UnknownRevisionError``."""
        try:
            return self.text(
                "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
            ).strip()
        except GitTimeoutError:
            raise
        except GitError as error:
            _ = self.git_dir
            raise UnknownRevisionError(revision) from error

    def has_commits(self) -> bool:
        """Say whether HEAD points to a commit: a new repository has none."""
        return bool(self.text("rev-parse", "--verify", "--quiet", "HEAD^{commit}", missing="").strip())

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Say whether ``older`` is reachable from ``newer``; False when git does not know it any more."""
        return self.text("merge-base", "--is-ancestor", older, newer, missing="no") != "no"

    def commit_time(self, revision: str) -> int:
        """Return the committer's time of ``revision`` in seconds since 1970."""
        return int(self.text("show", "-s", "--format=%ct", "--end-of-options", self.resolve(revision)))

    def reachable(self, revision: str, *, excluding: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ids of the commits reachable from ``revision``, newest first."""
        excluded = [f"^{name}" for name in excluding]
        return tuple(self.text("rev-list", self.resolve(revision), *excluded).split())

    def files(self, revision: str) -> Iterator[TreeFile]:
        """Yield the regular files of the tree of ``revision`` in path order; no links, no submodules."""
        for record in self.records("ls-tree", "-r", "-z", "--full-tree", self.resolve(revision)):
            head, _, path = record.partition(b"\t")
            mode, _, blob = head.split(b" ")[:3]
            if mode in {b"100644", b"100755", b"100664"}:
                yield TreeFile(path=os.fsdecode(path), blob=blob.decode())

    def log(self, revision: str, *, excluding: Sequence[str] = (), renames: bool = True) -> Iterator[Commit]:
        """Yield the commits reachable from ``revision``, newest first, each with its changed files.

        A merge carries its difference to the first parent. Renames are found by content; where contents are
        missing, as in a partial clone, only exact ones can be.
        """
        chosen = (self.resolve(revision), *(f"^{name}" for name in excluding))
        given = 0
        try:
            for commit in self._log(*chosen, detect=self._detection(renames=renames)):
                given += 1
                yield commit
        except GitError as error:
            if not renames or "unable to read" not in error.reason:
                raise
            yield from islice(self._log(*chosen, detect="-M100%"), given, None)

    def _detection(self, *, renames: bool) -> str:
        if not renames:
            return "--no-renames"
        return "-M100%" if self.partial else "-M"

    def _log(self, *chosen: str, detect: str) -> Iterator[Commit]:
        safe = ("--no-ext-diff", "--no-textconv", "--no-show-signature")
        shape = ("-z", "--raw", "--no-abbrev", "--diff-merges=first-parent", f"--format={LOG_FORMAT}")
        return parse_log(self.records("log", *safe, *shape, detect, *chosen, "--"))

    def blobs(self, ids: Iterable[str], *, limit: int | None = None) -> Iterator[Blob]:
        """Yield each blob that is present, in the order asked; beyond ``limit`` bytes without its content."""
        wanted = list(dict.fromkeys(ids))
        sizes = self._sizes(wanted)
        small = [blob for blob in wanted if blob in sizes and (limit is None or sizes[blob] <= limit)]
        contents = self._contents(small)
        for blob in wanted:
            if blob in sizes:
                inside = limit is None or sizes[blob] <= limit
                yield Blob(id=blob, size=sizes[blob], content=next(contents) if inside else None)

    def _sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sizes of those that are here; to ask a partial clone for another would fetch it."""
        every = ("cat-file", "--batch-all-objects", "--unordered", "--batch-check")
        listed = (
            self.text(*every) if self.partial else self._fed("cat-file", "--batch-check", ids=ids).decode()
        )
        rows = (line.split(" ") for line in listed.splitlines())
        return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == "blob"}  # noqa: PLR2004 - id, type, size

    def _contents(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Yield contents, a block a call: the time limit is git's, not that of whoever reads."""
        for at in range(0, len(ids), _AT_ONCE):
            feed = "\n".join((*ids[at : at + _AT_ONCE], "")).encode()
            with self.stream("cat-file", "--batch", "--buffer", feed=feed) as output:
                for _ in ids[at : at + _AT_ONCE]:
                    head = output.readline().split(b" ")
                    if len(head) != 3:  # noqa: PLR2004 - id, type, size
                        raise GitError("cat-file", "ended before every content was read")
                    yield output.read(int(head[2]))
                    output.read(1)

    def _fed(self, *arguments: str, ids: Sequence[str]) -> bytes:
        if not ids:
            return b""
        with self.stream(*arguments, "--buffer", feed="\n".join((*ids, "")).encode()) as output:
            return output.read()

    def text(self, *arguments: str, missing: str | None = None) -> str:
        """Run git and return what it printed; ``missing`` stands in when git ends with code 1."""
        try:
            with self.stream(*arguments) as output:
                return output.read().decode("utf-8", "replace")
        except _ExitOneError as error:
            if missing is None:
                raise GitError(error.command, error.reason) from error
            return missing

    def records(self, *arguments: str, separator: bytes = b"\0") -> Iterator[bytes]:
        """Run git and yield its output cut at ``separator``, reading as it comes."""
        with self.stream(*arguments) as output:
            rest = b""
            while block := output.read(_BLOCK):
                *whole, rest = (rest + block).split(separator)
                yield from whole
            if rest:
                yield rest

    @contextmanager
    def stream(self, *arguments: str, feed: bytes | None = None) -> Iterator[IO[bytes]]:
        """Run git and give its output as it comes; raise ``GitError`` or ``GitTimeoutError`` at the end.

        Leaving early stops git and raises nothing.
        """
        with tempfile.TemporaryFile() as complaint, tempfile.TemporaryFile() as source:
            source.write(feed or b"")
            source.seek(0)
            process = self._start(arguments, source, complaint)
            late = threading.Event()
            timer = threading.Timer(self._seconds, _stop, (process, late))
            timer.daemon = True
            timer.start()
            whole = False
            try:
                output = process.stdout
                assert output is not None  # noqa: S101 - a pipe was asked for
                yield output
                whole = not output.read(1)
            finally:
                timer.cancel()
                if not whole:
                    process.kill()
                process.stdout.close() if process.stdout else None
                code = process.wait()
            if late.is_set():
                raise GitTimeoutError(arguments[0], f"stopped after {self._seconds:g} seconds")
            if whole and code != 0:
                complaint.seek(0)
                raise _failure(arguments[0], code, complaint.read(4096))

    def _start(
        self, arguments: Sequence[str], source: IO[bytes], complaint: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        command = ["git", *_SAFE, "-C", str(self.path), *arguments]
        kept = {
            name: os.environ[name]
            for name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")
            if name in os.environ
        }
        environment = {**kept, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
        environment |= {
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_ALLOW_PROTOCOL": "none",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        try:
            return subprocess.Popen(
                command, stdin=source, stdout=subprocess.PIPE, stderr=complaint, env=environment
            )
        except OSError as error:
            raise GitError(arguments[0], f"git cannot be started: {error.strerror}") from error


def _stop(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


class _ExitOneError(GitError):
    """Git's way to answer no."""


def _failure(command: str, code: int, complaint: bytes) -> GitError:
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1].removeprefix("fatal: ") if lines else f"ended with code {code}"
    return _ExitOneError(command, reason) if code == 1 else GitError(command, reason)

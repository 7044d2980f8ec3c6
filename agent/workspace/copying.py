"""Copy a project into a private folder, and make patched copies of it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from agent.errors import ProjectError
from agent.workspace import leftovers
from agent.workspace.listing import Reached, project_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

MAXIMUM_BYTES = 2_000_000_000
MAXIMUM_FILES = 200_000
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A private folder with ``tree``, the project as found, and patched copies beside it.

    Leave it as a context manager and everything is removed.
    """

    root: Path
    tree: Path
    notices: tuple[str, ...] = ()
    lock: int | None = None

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file of the tree, None where there is none; links are not followed."""
        target = self.tree / path
        try:
            if not stat.S_ISREG(target.lstat().st_mode) or not _inside(target, self.tree):
                return None
            return target.read_bytes()
        except (OSError, ValueError):
            return None

    def executable(self, path: str) -> bool:
        """Tell whether a file of the tree may be executed."""
        try:
            return bool((self.tree / path).lstat().st_mode & stat.S_IXUSR)
        except OSError:
            return False

    def patched(self, changes: Mapping[str, bytes | None]) -> Path:
        """Return a new copy of the tree with ``changes`` applied; unchanged files are hard links."""
        folder = Path(tempfile.mkdtemp(prefix="patched-", dir=self.root))
        copy = folder / "tree"
        shutil.copytree(self.tree, copy, symlinks=True, copy_function=_link)
        for path, content in changes.items():
            _replace(copy, path, content)
        return copy

    def discard(self, copy: Path) -> None:
        """Remove a patched copy."""
        shutil.rmtree(copy.parent, ignore_errors=True)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the private folder."""
        shutil.rmtree(self.root, ignore_errors=True)
        if self.lock is not None:
            os.close(self.lock)


def open_workspace(path: Path, *, parent: Path | None = None, without: Path | None = None) -> Workspace:
    """Copy the project at ``path``; raise ``ProjectError`` with one line when that cannot be.

    What killed runs left below ``parent`` is removed first. ``without`` is a folder that is no part of the
    project even if it lies inside: where results go.
    """
    if not path.exists():
        raise ProjectError(f"{path} does not exist; give a git checkout or a folder.")
    if not path.is_dir():
        raise ProjectError(f"{path} is a file; give a git checkout or a folder.")
    if parent is not None:
        leftovers.sweep(parent)
    root = Path(tempfile.mkdtemp(prefix=leftovers.PREFIX, dir=parent))
    lock = leftovers.hold(root)
    try:
        notices = _copy_project(path, root / "tree", _below(path, without))
    except OSError as error:
        _give_up(root, lock)
        if error.errno in _NO_SPACE:
            raise ProjectError(f"no room left below {root.parent}; free some or set TMPDIR.") from None
        raise ProjectError(f"{path} cannot be copied: {error.strerror}.") from None
    except BaseException:
        _give_up(root, lock)
        raise
    return Workspace(root=root, tree=root / "tree", notices=notices, lock=lock)


def _give_up(root: Path, lock: int) -> None:
    shutil.rmtree(root, ignore_errors=True)
    os.close(lock)


def _below(path: Path, folder: Path | None) -> bytes | None:
    """Return how the names of files in ``folder`` begin when it lies inside of ``path``."""
    if (
        folder is None
        or folder.resolve() == path.resolve()
        or not folder.resolve().is_relative_to(path.resolve())
    ):
        return None
    return os.fsencode(folder.resolve().relative_to(path.resolve())) + b"/"


def _copy_project(source: Path, tree: Path, left_out: bytes | None) -> tuple[str, ...]:
    """Copy regular files and links; skip what is unreadable or special, and say so."""
    tree.mkdir()
    skipped = 0
    files = size = 0
    reached = Reached(os.fsencode(source))
    for name in project_files(source):
        if left_out is not None and name.startswith(left_out):
            continue
        if not reached.safely(name):
            skipped += 1
            continue
        origin, target = os.path.join(os.fsencode(source), name), os.path.join(os.fsencode(tree), name)  # noqa: PTH118 (bytes)
        try:
            status = os.lstat(origin)
        except OSError:
            continue  # tracked, but deleted in the checkout
        files, size = files + 1, size + status.st_size
        if files > MAXIMUM_FILES or size > MAXIMUM_BYTES:
            raise ProjectError(
                f"{source.name or source} is too large: more than {MAXIMUM_FILES} files or {MAXIMUM_BYTES // 10**9} GB."
            )
        if not _copy_one(origin, target, status):
            skipped += 1
    if not files:
        raise ProjectError(f"{source.name or source} is empty; give the folder of a project.")
    return (f"skipped {skipped} unreadable or special files",) if skipped else ()


def _copy_one(origin: bytes, target: bytes, status: os.stat_result) -> bool:
    """Copy one file or link with its time, which tells the project's age; False when neither or unreadable."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        return True  # a submodule: listed by git, not part of this repository
    os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120 (bytes)
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(origin), target)  # noqa: PTH115, PTH211 (bytes)
        return True
    if not stat.S_ISREG(mode):
        return False
    try:
        shutil.copyfile(origin, target, follow_symlinks=False)
    except PermissionError:
        return False
    os.chmod(target, 0o755 if mode & stat.S_IXUSR else 0o644)  # noqa: PTH101 (bytes)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    return True


def _link(source: str, target: str) -> None:
    os.link(source, target, follow_symlinks=False)


def _replace(copy: Path, path: str, content: bytes | None) -> None:
    """Write a changed file anew, so that the hard link's other end stays as it is."""
    target = copy / path
    if not _inside(target, copy):
        raise ProjectError(f"a patch may not write outside of the tree: {path}")
    mode = stat.S_IMODE(target.lstat().st_mode) if target.exists() and not target.is_symlink() else 0o644
    target.unlink(missing_ok=True)
    if content is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(mode)


def _inside(target: Path, root: Path) -> bool:
    return target.parent.resolve().is_relative_to(root.resolve())

"""Brings a commit to a release branch: picked in a clone that is thrown away, its origin kept, nothing guessed.

The source repository is only read. A pick that conflicts is reported with the commands that do it by hand; a result
that holds a conflict marker is never given out.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from agent.errors import AgentError

_SECONDS = 300.0
_CLONE_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "gc.auto=0")
_MARKER = re.compile(rb"^(?:<{7} |>{7} |\|{7} )", re.MULTILINE)
_IDENTITY = {"GIT_COMMITTER_NAME": "Suture", "GIT_COMMITTER_EMAIL": "suture@localhost"}


class BackportError(AgentError):
    """The repository, the commit or the branch cannot be used; the message says which and why."""


class Picked(StrEnum):
    """What became of a pick."""

    APPLIED = "applied"
    ALREADY_THERE = "already_there"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backport:
    """A commit on one branch. ``patch`` is ``git format-patch`` output when it was applied.

    For a conflict ``conflicts`` names the files and ``commands`` are what to type in the repository.
    """

    branch: str
    commit: str
    outcome: Picked
    reason: str
    patch: bytes = b""
    files: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def backport(repository: Path, commit: str, branch: str) -> Backport:
    """Pick ``commit`` onto ``branch`` and return what came of it; raise ``BackportError``."""
    name = _resolved(repository, commit)
    base = _resolved(repository, branch)
    if _answers(repository, "merge-base", "--is-ancestor", name, base):
        return _already(branch, name, f"{branch} contains the commit")
    with tempfile.TemporaryDirectory(prefix="suture-backport-") as folder:
        clone = Path(folder) / "clone"
        options = [part for setting in _CLONE_SETTINGS for part in ("-c", setting)]
        _git(Path(folder), "clone", "-q", "--shared", "--no-checkout", *options, str(repository), str(clone))
        _git(clone, "checkout", "-q", "--detach", base)
        return _pick(clone, name, branch, base)


def _pick(clone: Path, name: str, branch: str, base: str) -> Backport:
    mainline = _mainline(clone, name)
    done = _run(clone, "cherry-pick", "-x", "--allow-empty", *mainline, name)
    if done.returncode == 0:
        return _applied(clone, name, branch, base)
    unmerged = _paths(clone, "diff", "--name-only", "-z", "--diff-filter=U")
    if unmerged:
        return Backport(
            branch=branch,
            commit=name,
            outcome=Picked.CONFLICT,
            reason=f"{len(unmerged)} of its files conflict with {branch}",
            conflicts=unmerged,
            commands=_by_hand(name, branch, mainline, unmerged),
        )
    if not _paths(clone, "status", "--porcelain", "-z", "--untracked-files=no"):
        return _already(branch, name, f"the change is on {branch} already, under another commit")
    raise BackportError(f"{name[:12]} cannot be picked onto {branch}: {_last_line(done.stderr)}.")


def _applied(clone: Path, name: str, branch: str, base: str) -> Backport:
    files = _paths(clone, "diff", "--name-only", "-z", base, "HEAD")
    if not files:
        return _already(branch, name, "the commit changes nothing here")
    marked = [path for path in files if _gained_marker(clone, path, base)]
    if marked:
        raise BackportError(f"{name[:12]} brings a conflict marker into {marked[0]}: it is not given out.")
    patch = _git(clone, "format-patch", "--stdout", "--no-signature", "--binary", "-1", "HEAD")
    reason = f"picked onto {branch} without conflict"
    return Backport(
        branch=branch, commit=name, outcome=Picked.APPLIED, reason=reason, patch=patch, files=files
    )


def _gained_marker(clone: Path, path: str, base: str) -> bool:
    """Say whether a file has more conflict markers than the branch had: some projects test with them."""
    before, after = (_run(clone, "show", f"{revision}:{path}").stdout for revision in (base, "HEAD"))
    return len(_MARKER.findall(after)) > len(_MARKER.findall(before))


def _mainline(clone: Path, name: str) -> tuple[str, ...]:
    """Return the option a merge needs: its change is the difference to its first parent."""
    parents = _git(clone, "rev-list", "--parents", "-n", "1", name).split()[1:]
    return ("-m", "1") if len(parents) > 1 else ()


def _by_hand(name: str, branch: str, mainline: tuple[str, ...], unmerged: tuple[str, ...]) -> tuple[str, ...]:
    local = f"backport-{name[:12]}-{re.sub(r'[^A-Za-z0-9.]+', '-', branch).strip('-.')}"
    return (
        shlex.join(("git", "switch", "-c", local, branch)),
        shlex.join(("git", "cherry-pick", "-x", *mainline, name)),
        f"# resolve: {shlex.join(unmerged)}",
        shlex.join(("git", "add", "--", *unmerged)),
        "git cherry-pick --continue",
    )


def _already(branch: str, name: str, reason: str) -> Backport:
    return Backport(branch=branch, commit=name, outcome=Picked.ALREADY_THERE, reason=reason)


def _resolved(repository: Path, revision: str) -> str:
    done = _run(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if done.returncode:
        said = _last_line(done.stderr) or f"it has no commit or branch {revision!r}"
        raise BackportError(f"{repository.name} cannot be used: {said}.")
    return done.stdout.decode().strip()


def _answers(repository: Path, *arguments: str) -> bool:
    return _run(repository, *arguments).returncode == 0


def _paths(clone: Path, *arguments: str) -> tuple[str, ...]:
    return tuple(os.fsdecode(part) for part in _git(clone, *arguments).split(b"\0") if part)


def _git(folder: Path, *arguments: str) -> bytes:
    done = _run(folder, *arguments)
    if done.returncode:
        raise BackportError(f"git {arguments[0]} failed: {_last_line(done.stderr)}.")
    return done.stdout


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git with nothing of the repository's own programs: no hooks, no network, no configuration but ours."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    environment = kept | _IDENTITY | {"HOME": os.devnull, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1"}
    environment |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "file", "GIT_TERMINAL_PROMPT": "0"}
    environment |= {"GIT_EDITOR": "true", "GIT_CONFIG_GLOBAL": os.devnull}
    command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise BackportError(f"git {arguments[0]} took longer than {_SECONDS:g} seconds.") from None
    except OSError as error:
        raise BackportError(f"{folder.name} cannot be used: {error.strerror}.") from error


def _last_line(complaint: bytes) -> str:
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ").rstrip(".") if lines else ""

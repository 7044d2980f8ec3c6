"""The shell program that runs inside: unpack the tree, say ready, run the command, send files back. Pure."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def unpacking(root: str = "/") -> str:
    """Return the step that unpacks the tar archives on standard input below ``root``."""
    return (
        f"tar --extract --file=- --directory={shlex.quote(root)} --ignore-zeros "
        "--no-same-owner --preserve-permissions --warning=none"
    )


def inside(*, cwd: str, ready: str, unpack: str, collect: str = "") -> str:
    """Return the program; the command itself is its positional arguments, so nothing of it is parsed.

    ``ready`` is printed on the error stream when all is set up: whatever came before it is a fault of the
    sandbox, whatever comes after belongs to the command. ``collect`` is the last step, if there is one.
    """
    steps = [
        "umask 022",
        f"{unpack} || exit 125" if unpack else "",
        f"cd -- {shlex.quote(cwd)} || exit 125",
        f"printf %s {shlex.quote(ready)} >&2",
    ]
    if collect:
        steps += ['"$@" </dev/null', "code=$?", collect, 'exit "$code"']
    else:
        steps += ['exec "$@" </dev/null']
    return "\n".join(step for step in steps if step)


def collecting(paths: Sequence[str], *, to: str, root: str = "/work") -> str:
    """Return the step that writes ``paths`` (relative to ``root``, or absolute) as a tar stream to ``to``.

    What is missing is passed over; hard links come as files.
    """
    names = " ".join(shlex.quote(path) for path in paths)
    return (
        f"tar --create --file={shlex.quote(to)} --directory={shlex.quote(root)} --absolute-names "
        f"--format=gnu --hard-dereference --ignore-failed-read --warning=none -- {names} 2>/dev/null"
    )

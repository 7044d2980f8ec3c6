"""A test line that runs only some files. Pure."""

from __future__ import annotations

import posixpath
import shlex
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from agent.toolchains.recognise import runner_of
from agent.toolchains.shell import parse, pieces, plain, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.toolchains.snapshot import Snapshot

VALUE_OPTIONS = frozenset(
    {
        *(
            "-k",
            "-m",
            "-o",
            "-p",
            "-c",
            "-W",
            "--deselect",
            "--ignore",
            "--rootdir",
            "--confcutdir",
            "--require",
            "-r",
        ),
        *(
            "--reporter",
            "-R",
            "--config",
            "--timeout",
            "-t",
            "-g",
            "--grep",
            "--file",
            "--import",
            "--loader",
            "--ui",
        ),
        *("--settings", "--pattern", "--override-ini", "--opts", "--extension", "--spec"),
    }
)


def narrowed(line: str, only: Sequence[str], snapshot: Snapshot) -> str:
    """Return ``line`` with its paths replaced by the files ``only``; options and their values stay.

    A line that starts no known runner, or a test program of the project's own, is returned as it is.
    """
    *before, last = pieces(line) or ("",)
    folder = plain(words(before[-1])[1]) if before and before[-1].startswith("cd ") else ""
    command = parse(last)
    own_program = command.name == "python" and command.words[1:2] != ("-m",)
    if not runner_of(command) or own_program:
        return line
    head = 3 if command.name == "python" else 1
    kept: list[str] = []
    pending = list(command.words[head:])
    while pending:
        word = pending.pop(0)
        if plain(word) in VALUE_OPTIONS and pending:
            kept += [word, pending.pop(0)]
        elif word.startswith("-") or not _is_path(plain(word), folder, snapshot):
            kept.append(word)
    files = [shlex.quote(posixpath.relpath(path, folder) if folder else path) for path in only]
    rest = " ".join([*command.assignments, *command.words[:head], *kept, *files])
    return " && ".join([*before, rest])


def _is_path(word: str, folder: str, snapshot: Snapshot) -> bool:
    path = posixpath.normpath(posixpath.join(folder, word.partition("::")[0]))
    return path == "." or snapshot.exists(path) or any(fnmatchcase(known, path) for known in snapshot.paths)

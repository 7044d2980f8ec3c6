"""Follows a command through what it stands for (Makefile target, script file, tox, npm script …). Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING

from agent.toolchains.recognise import runner_of
from agent.toolchains.shell import Command, parse, pieces, plain

if TYPE_CHECKING:
    from agent.toolchains.snapshot import Snapshot

MAX_DEPTH = 6
MAX_STEPS = 300
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
ASSIGNED = re.compile(r"^\s*(?:export\s+)?(\w+)=[\"']?([\w./ -]*)[\"']?\s*$", re.MULTILINE)
VARIABLE = re.compile(r"\$[({](\w+)[)}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One simple command, the folder it runs in, where it was read, and the test runner it starts, if any."""

    command: Command
    folder: str
    origin: str
    runner: str = ""

    @property
    def line(self) -> str:
        """Return it as one shell line from the root of the tree."""
        return f"cd {self.folder} && {self.command.line}" if self.folder else self.command.line


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a command stands for: more shell text, and where that was read."""

    text: str
    origin: str
    folder: str = ""


Expander = Callable[[Command, str, "Snapshot"], "Sequence[Body] | None"]


def expand(body: Body, snapshot: Snapshot, expanders: Sequence[Expander]) -> tuple[Step, ...]:
    """Return the simple commands that a script comes down to, in order; cycles and floods are cut."""
    steps: list[Step] = []
    for step in _expand(body, snapshot, expanders, 0):
        steps.append(step)
        if len(steps) >= MAX_STEPS:
            break
    return tuple(steps)


def _expand(body: Body, snapshot: Snapshot, expanders: Sequence[Expander], depth: int) -> Iterator[Step]:
    folder = body.folder
    for piece in pieces(body.text):
        command = parse(piece)
        if command.name == "cd" and len(command.words) > 1:
            folder = _joined(folder, plain(command.words[1]))
            continue
        bodies = _bodies(command, folder, snapshot, expanders) if depth < MAX_DEPTH else None
        if bodies is None:
            yield Step(command=command, folder=folder, origin=body.origin, runner=runner_of(command))
            continue
        for inner in bodies:
            yield from _expand(inner, snapshot, expanders, depth + 1)


def _bodies(
    command: Command, folder: str, snapshot: Snapshot, expanders: Sequence[Expander]
) -> Sequence[Body] | None:
    return next((found for one in expanders if (found := one(command, folder, snapshot)) is not None), None)


def _joined(folder: str, more: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, more))
    return "" if path == "." or path.startswith(("..", "/", "$", "~")) else path


def make(command: Command, folder: str, snapshot: Snapshot) -> Sequence[Body] | None:
    """Expand ``make TARGET`` to the recipes of its prerequisites and its own."""
    if command.name not in {"make", "gmake", "$(MAKE)"}:
        return None
    name, text = next(
        ((path, text) for file in MAKEFILES if (text := snapshot.text(path := posixpath.join(folder, file)))),
        ("", ""),
    )
    targets = [word for word in command.words[1:] if not word.startswith("-") and "=" not in word] or ["all"]
    rules = makefile_rules(text)
    lines = [line for target in targets for line in _recipe(target, rules, frozenset())]
    return [Body(text="\n".join(lines), origin=name, folder=folder)] if lines else []


def _recipe(target: str, rules: dict[str, tuple[list[str], list[str]]], seen: frozenset[str]) -> list[str]:
    if target in seen or target not in rules:
        return []
    needs, recipe = rules[target]
    return [line for need in needs for line in _recipe(need, rules, seen | {target})] + recipe


def makefile_rules(text: str) -> dict[str, tuple[list[str], list[str]]]:
    """Return target -> (prerequisites, recipe lines) with simple variables filled in."""
    joined = re.sub(r"\\\r?\n\s*", " ", text)
    variables = dict(re.findall(r"^(\w+)\s*[:?+]?=[ \t]*(.*)$", joined, re.MULTILINE))
    variables.pop("MAKE", None)

    def filled(line: str) -> str:
        for _round in range(4):
            line = VARIABLE.sub(lambda m: "make" if m[1] == "MAKE" else variables.get(m[1], ""), line)
        return line.replace("$$", "$")

    rules: dict[str, tuple[list[str], list[str]]] = {}
    recipe: list[str] = []
    for line in joined.splitlines():
        if line.startswith("\t"):
            recipe.append(filled(line.strip().lstrip("@-+ ")))
        elif match := re.match(r"^([\w./ -]+?)\s*:(?![:=])([^=]*)$", line):
            needs = filled(match[2].split("#", maxsplit=1)[0]).split()
            names = match[1].split()
            recipe = rules[names[0]][1] if names[0] in rules else []
            for name in names:
                rules[name] = ([*rules.get(name, ([], recipe))[0], *needs], recipe)
    return rules


def script_file(command: Command, folder: str, snapshot: Snapshot) -> Sequence[Body] | None:
    """Expand a shell script of the tree to its text."""
    rest = [plain(word) for word in command.words]
    if rest[:1] in (["bash"], ["sh"]):
        rest = list(dropwhile(lambda word: word.startswith("-"), rest[1:]))
    if not rest:
        return None
    path = posixpath.normpath(posixpath.join(folder, rest[0]))
    text = snapshot.text(path)
    is_script = path.endswith(".sh") or (text.startswith("#!") and "sh" in text.partition("\n")[0])
    if not text or not is_script:
        return None
    return [Body(text=_arguments(text, rest[1:]), origin=path, folder=folder)]


def _arguments(text: str, values: list[str]) -> str:
    # a later assignment inside an ``if`` (a local virtual environment) does not run here: the first counts
    known = dict(reversed(ASSIGNED.findall(text)))
    filled = re.sub(r"\"?\$(?:@|\*)\"?", " ".join(values), text)
    return re.sub(
        r"\$\{?(\w+)\}?", lambda match: "" if match[1] == "PREFIX" else known.get(match[1], match[0]), filled
    )

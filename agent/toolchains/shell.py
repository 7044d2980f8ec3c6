"""Shell lines as far as detection needs them: simple commands, their words, wrappers taken off. Pure."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
KEYWORDS = frozenset(
    {"then", "do", "else", "if", "!", "{", "(", "time", "exec", "command", "sudo", "env", "-", "@"}
)
PACKAGE_RUNNERS = {
    "npx": 1, "bunx": 1, "uv": 2, "poetry": 2, "pdm": 2, "pipenv": 2, "rye": 2, "xvfb-run": 1, "cross-env": 1,
    "dotenv": 1, "nyc": 1, "c8": 1, "env-cmd": 1,
}  # fmt: skip
VALUE_OPTIONS = frozenset(
    {
        *("--with", "--extra", "--group", "--only-group", "--python", "-p", "--package", "--cov-config"),
        *("--report-dir", "--reporter", "-r", "--report", "--dir", "-x", "--config"),
    }
)
COVERAGE_OPTIONS = frozenset(
    {"--source", "--rcfile", "--include", "--omit", "--concurrency", "--context", "--data-file"}
)
BIN_FOLDER = re.compile(r"^(?:\.{0,2}/)*node_modules/(?:\.bin/|mocha/bin/)")
PYTHON = re.compile(r"^(?:\{envpython\}|\S*/)?(?:python|pypy)[\d.]*$|^\{envpython\}$|^py$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command: ``NAME=value`` words, then words, each as it was written."""

    assignments: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the program, empty for none."""
        return plain(self.words[0]) if self.words else ""

    @property
    def line(self) -> str:
        """Return the command as a shell line."""
        return " ".join((*self.assignments, *self.words))


def pieces(script: str) -> tuple[str, ...]:
    """Return a script's simple commands in order, split outside quotes at ``&& || ; |`` and line ends."""
    joined = re.sub(r"\\\r?\n\s*", " ", script)
    found, current, quote = [], "", ""
    index = 0
    while index < len(joined):
        char = joined[index]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in ";\n" or (char in "&|" and not current.endswith((">", "<"))):
            found.append(current)
            current, char = "", ""
        elif char == "#" and (not current or current[-1].isspace()):
            index = _line_end(joined, index)
            continue
        current += char
        index += 1
    found.append(current)
    return tuple(piece.strip() for piece in found if piece.strip())


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def words(piece: str) -> tuple[str, ...]:
    """Return the words of one simple command with their quotes, so that joining them says the same."""
    return tuple(
        match.group() for match in re.finditer(r"(?:'[^']*'|\"[^\"]*\"|\{[^{}]*\}|[^\s'\"])+", piece)
    )


def plain(word: str) -> str:
    """Return a word without quotes, unchanged when its quotes do not close."""
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word


def parse(piece: str) -> Command:
    """Return one simple command without programs that only wrap it (``npx``, ``coverage run``, ``nyc``)."""
    rest = list(words(piece))
    assignments: list[str] = []
    while rest:
        head = plain(rest[0])
        if ASSIGNMENT.match(rest[0]):
            assignments.append(rest.pop(0))
        elif head in KEYWORDS:
            rest.pop(0)
        elif (inner := _unwrapped(head, rest)) is not None:
            rest = inner
        else:
            break
    return Command(assignments=tuple(assignments), words=tuple(_normal(rest)))


def _unwrapped(head: str, rest: list[str]) -> list[str] | None:
    if head == "istanbul" and rest[1:2] == ["cover"]:
        return [word for word in _after_options(rest[2:]) if word != "--"]
    if PYTHON.match(head) and "coverage" in rest[1:5] and "run" in rest[1:6]:
        return _coverage(rest[rest.index("run") + 1 :])
    if head == "coverage" and rest[1:2] == ["run"]:
        return _coverage(rest[2:])
    if head in {"yarn", "pnpm"} and rest[1:2] == ["exec"]:
        return rest[2:]
    size = PACKAGE_RUNNERS.get(head, 0)
    if not size or (size == 2 and rest[1:2] != ["run"]):  # noqa: PLR2004 (the runner and its word "run")
        return None
    return _after_options(rest[size:]) or None


def _coverage(rest: list[str]) -> list[str]:
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        rest = rest[2:] if rest[0] in COVERAGE_OPTIONS else rest[1:]
    return ["python", *rest]


def _after_options(rest: list[str]) -> list[str]:
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in VALUE_OPTIONS and "=" not in rest[0] else rest[1:]
    return rest


def _normal(rest: list[str]) -> list[str]:
    if not rest:
        return rest
    head = BIN_FOLDER.sub("", plain(rest[0]))
    if PYTHON.match(head):
        head = "python"
    return [{"_mocha": "mocha", "py.test": "pytest", "py": "python"}.get(head, head), *rest[1:]]

"""What makes an edit unusable before anything runs: it does not parse, or uses unknown names or modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.authoring.matching import numbered
from agent.patches.capabilities import new_modules
from agent.syntax.faults import fault_of
from agent.syntax.source import language_of
from agent.syntax.undefined import undefined_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_AROUND: Final = 4
_MOST: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why an edit cannot stay, with the lines in question."""

    text: str
    shown: str = ""


def fatal_problems(
    before: Mapping[str, bytes | None], after: Mapping[str, bytes], tree: Path
) -> tuple[Problem, ...]:
    """Return what an edit broke that was whole before; a file that did not parse before is not judged."""
    found: list[Problem] = []
    for path, content in after.items():
        found += _of_file(path, _text(before.get(path) or b""), _text(content), tree)
    return tuple(found[:_MOST])


def _of_file(path: str, before: str, after: str, tree: Path) -> list[Problem]:
    language = language_of(path)
    if language is None or fault_of(before, language) is not None:
        return []
    if fault := fault_of(after, language):
        line, words = fault
        return [Problem(text=f"{path}:{line} does not parse: {words}", shown=_lines(after, line))]
    undefined = [
        Problem(text=f"{path}:{line} uses {name}, which nothing defines", shown=_lines(after, line))
        for line, name in undefined_names(path, before, after)
    ]
    unknown = [
        Problem(text=f"{path} imports {name}, which the project does not use: no new dependency")
        for name in new_modules(path, before, after, tree)
    ]
    return undefined + unknown


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _lines(text: str, line: int) -> str:
    return numbered(text.split("\n"), line - 1 - _AROUND, line + _AROUND)

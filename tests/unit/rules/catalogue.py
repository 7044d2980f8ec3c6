"""The catalogue of before and after texts: Markdown files that people can read and check."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "data" / "rules"
_BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)
_DECLINED = re.compile(r"^declined in line (?P<line>\d+): (?P<reason>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A text, what the rule makes of it (candidates in their order), and where it declines."""

    rule: str
    name: str
    path: str
    before: str
    after: tuple[str, ...]
    declined: tuple[tuple[int, str], ...]

    def __str__(self) -> str:
        return f"{self.rule}: {self.name}"


def cases() -> list[Case]:
    return [case for file in sorted(FOLDER.glob("*.md")) for case in _cases(file)]


def _cases(file: Path) -> list[Case]:
    _, *sections = file.read_text("utf-8").split("\n## ")
    return [_case(file.stem, section) for section in sections]


def _case(rule: str, section: str) -> Case:
    blocks = list(_BLOCK.finditer(section))
    declined = tuple((int(match["line"]), match["reason"]) for match in _DECLINED.finditer(section))
    if len(blocks) == 1 and not declined and "\nuntouched" not in section:
        raise AssertionError(f"{rule}: a case says nothing of its outcome: {section[:40]}")
    return Case(
        rule=rule,
        name=section.splitlines()[0],
        path="module.py" if blocks[0]["language"] == "python" else "module.js",
        before=blocks[0]["code"],
        after=tuple(block["code"] for block in blocks[1:]),
        declined=declined,
    )

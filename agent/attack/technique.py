"""A technique: how one weakness class is attacked, and the forms the attack is known in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.syntax.edits import Edit

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent.attack.program import Literal, Program

    Rewrite = Callable[[Program], list[Edit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way to write an attack: a rewriting of the program's payload literals."""

    name: str
    rewrite: Rewrite


@dataclass(frozen=True, slots=True, kw_only=True)
class Technique:
    """The forms of one weakness class; ``harmless`` are the forms that take the attack out."""

    name: str
    cwes: frozenset[str]
    payload: re.Pattern[str]
    forms: tuple[Form, ...]
    harmless: tuple[Form, ...] = ()


def each(
    name: str,
    pattern: str | tuple[str, ...],
    replacement: str,
    *,
    whole: bool = False,
    exclusive: bool = False,
) -> Form:
    r"""Return the form that replaces ``pattern``, of several the first that is found, in every literal.

    ``replacement`` may hold ``\g<group>``; what the group matched is kept as written, everything else is
    escaped for the literal. ``whole`` leaves literals alone that are joined to others by an operator. With
    ``exclusive`` the first pattern that is found anywhere is the only one used, else the first in each literal.
    """
    patterns = (pattern,) if isinstance(pattern, str) else pattern
    expressions = [re.compile(one) for one in patterns]

    def rewrite(program: Program) -> list[Edit]:
        literals = [literal for literal in program.literals if not (whole and literal.joined)]
        found = [_replacements(literals, expression, replacement) for expression in expressions]
        if exclusive:
            return next((edits for edits in found if edits), [])
        return list({edit.start: edit for edits in reversed(found) for edit in edits}.values())

    return Form(name=name, rewrite=rewrite)


def _replacements(literals: list[Literal], expression: re.Pattern[str], replacement: str) -> list[Edit]:
    edits = []
    for literal in literals:
        text = _replaced(literal, expression, replacement)
        if text != literal.raw:
            edits.append(Edit(start=literal.start, end=literal.start + len(literal.raw), text=text))
    return edits


def _replaced(literal: Literal, expression: re.Pattern[str], replacement: str) -> str:
    return expression.sub(lambda match: _expand(literal, match, replacement), literal.raw)


def _expand(literal: Literal, match: re.Match[str], replacement: str) -> str:
    parts = re.split(r"\\g<(\w+)>", replacement)
    return "".join(
        literal.put(part) if index % 2 == 0 else match[part] or "" for index, part in enumerate(parts)
    )


def renamed(name: str, pattern: str, suffix: str = "2") -> Form:
    """Return the form that renames what group ``word`` finds in a payload, everywhere in the program.

    A patch that knows only the reported name does not see the renamed one.
    """
    expression = re.compile(pattern)

    def rewrite(program: Program) -> list[Edit]:
        words = {match["word"] for literal in program.literals for match in expression.finditer(literal.raw)}
        edits: list[Edit] = []
        for word in sorted(words, key=len)[-1:]:
            whole = re.compile(rf"(?<![\w$]){re.escape(word)}(?![\w$])")
            for literal in program.literals:
                for match in whole.finditer(literal.raw):
                    end = literal.start + match.end()
                    edits.append(Edit(start=end, end=end, text=suffix))
            edits += _identifiers(program, word, suffix)
        return edits

    return Form(name=name, rewrite=rewrite)


def _identifiers(program: Program, word: str, suffix: str) -> list[Edit]:
    kinds = ("property_identifier", "shorthand_property_identifier")
    found = [
        node for kind in kinds if program.language != "python" for node in program.root.find_all(kind=kind)
    ]
    ends = [node.range().end.index for node in found if node.text() == word]
    return [Edit(start=end, end=end, text=suffix) for end in ends]

"""Which oracle reads a weakness, and whether a snippet attacks at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from agent.attack import paths, prototype
from agent.attack.markup import SCRIPT
from agent.attack.objects import EXPRESSION, YAML
from agent.attack.program import program_of
from agent.attack.shell import TECHNIQUE as SHELL

if TYPE_CHECKING:
    from collections.abc import Sequence


class Kind(StrEnum):
    """The runtime oracles."""

    PROTOTYPE = "prototype"
    COMMAND = "command"
    CODE = "code"
    OUTSIDE = "outside"
    TIME = "time"
    MARKUP = "markup"


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleClass:
    """An oracle for a snippet; ``armed`` says that the snippet holds an attack of the kind."""

    kind: Kind
    armed: bool


_CWES: Final = {
    Kind.PROTOTYPE: prototype.TECHNIQUE.cwes,
    Kind.COMMAND: frozenset({"CWE-77", "CWE-78"}),
    Kind.CODE: frozenset({"CWE-94", "CWE-95", "CWE-96", "CWE-502", "CWE-913", "CWE-1336"}),
    Kind.OUTSIDE: paths.TECHNIQUE.cwes,
    Kind.TIME: frozenset({"CWE-1333", "CWE-400", "CWE-407", "CWE-674", "CWE-730"}),
    Kind.MARKUP: SCRIPT.cwes,
}
_PICKLED: Final = re.compile(r"__reduce(?:_ex)?__|\bpickle\b|\bcos\\n|posix\\n")
_LONG: Final = re.compile(r"\.repeat\(|\*\s*(?:\d[\d_]{2,}|\(|[A-Za-z_])|\d[\d_]{2,}\s*\*|.{400}")
_LANGUAGES: Final = {
    Kind.PROTOTYPE: {"javascript"},
}


def oracle_class(language: str, cwes: Sequence[str], code: str) -> OracleClass | None:
    """Return the oracle for the report's weakness; without a CWE the attack in the snippet decides."""
    fitting = [kind for kind in Kind if language in _LANGUAGES.get(kind, {"python", "javascript"})]
    for kind in fitting:
        if _CWES[kind] & set(cwes):
            return OracleClass(kind=kind, armed=_attacks(kind, language, code))
    if cwes:
        return None
    unnamed = [kind for kind in fitting if kind is not Kind.TIME and _attacks(kind, language, code)]
    return OracleClass(kind=unnamed[0], armed=True) if unnamed else None


def _attacks(kind: Kind, language: str, code: str) -> bool:
    if kind is Kind.TIME:
        return _LONG.search(code) is not None
    if kind is Kind.CODE and _PICKLED.search(code):
        return True
    patterns = {
        Kind.PROTOTYPE: [prototype.TECHNIQUE.payload],
        Kind.COMMAND: [SHELL.payload],
        Kind.CODE: [EXPRESSION.payload, YAML.payload],
        Kind.OUTSIDE: [paths.TECHNIQUE.payload],
        Kind.MARKUP: [SCRIPT.payload],
    }[kind]
    program = program_of(code, language)
    literals = program.literals if program is not None else ()
    return any(pattern.search(literal.raw) for pattern in patterns for literal in literals)

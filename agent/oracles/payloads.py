"""Payloads aimed at what an oracle watches: a marker file, a file outside of every folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.attack.program import program_of
from agent.attack.technique import each

if TYPE_CHECKING:
    from agent.attack.technique import Rewrite

MARKER: Final = "/tmp/suture-marker"  # noqa: S108 - inside the sandbox, where /tmp is private
OUTSIDE: Final = "/tmp/suture-outside/secret.txt"  # noqa: S108
# deep enough for any folder a project or a snippet makes
_UP: Final = "../" * 16

_COMMAND: Final = each(
    "marker",
    (
        r"(?P<open>(?:;|\|\|?|&&?|\\n)\s*)(?P<old>\w[^;|&`#'\"\\]*?)(?P<close>\s*(?:(?:;|#|\||\\?['\"]).*)?)$",
        r"(?P<open>`)[^`]+(?P<close>`)",
        r"(?P<open>\$\()[^()]+(?P<close>\))",
    ),
    rf"\g<open>touch {MARKER}\g<close>",
)
_PATH: Final = each("outside", r"(?P<lead>[/\w.-]*?)(?:\.\.[/\\])+[\w./\\-]+$", rf"{_UP}{OUTSIDE[1:]}")


def aimed_at_marker(code: str, language: str) -> str:
    """Return the program with its injected commands replaced by one that makes the marker file."""
    return _rewritten(code, language, _COMMAND.rewrite)


def aimed_outside(code: str, language: str) -> str:
    """Return the program with its escaping paths led to the watched file."""
    return _rewritten(code, language, _PATH.rewrite)


def _rewritten(code: str, language: str, rewrite: Rewrite) -> str:
    program = program_of(code, language)
    if program is None:
        return code
    edits = rewrite(program)
    return program.edited(edits) or code


def words_of(code: str) -> tuple[str, ...]:
    """Return names that code inside literals uses and ordinary text does not."""
    return tuple(dict.fromkeys(re.findall(r"__\w+__|\b(?:system|popen|check_output|getcwd|environ)\b", code)))

"""Command injection: the ways to begin a second command."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Technique, each

# a metacharacter, the foreign command, and what ends it
_OPEN: Final = r"(?:;|\|\|?|&&?|\\n)\s*"
_LAST: Final = rf"{_OPEN}(?P<command>(?!\s*#)[^;|&`#'\"\\]+?)\s*(?:(?:;|#|\||\\?['\"]).*)?$"
_TICKS: Final = r"`(?P<command>[^`]+)`"
_PAREN: Final = r"\$\((?P<command>[^()]+)\)"


TECHNIQUE: Final = Technique(
    name="command injection",
    cwes=frozenset({"CWE-77", "CWE-78", "CWE-88"}),
    payload=re.compile(r"[;|&`\n]\s*\w|\$\(|\\n\s*\w"),
    forms=(
        each("substitution", _LAST, r"$(\g<command>)", whole=True),
        each("backticks", _LAST, r"`\g<command>`", whole=True),
        each("substitution instead of backticks", _TICKS, r"$(\g<command>)"),
        each("backticks instead of substitution", _PAREN, r"`\g<command>`"),
        each("a command after it", (_TICKS, _PAREN), r"; \g<command> ;"),
        each("a semicolon", rf"^(?P<lead>[^;]*?){_OPEN}", r"\g<lead>; "),
        each("a new line", rf"^(?P<lead>[^;|&]*?){_OPEN}", "\\g<lead>\n"),
        each("a pipe", rf"^(?P<lead>[^;|&]*?){_OPEN}", r"\g<lead>| "),
        each("in the background", rf"^(?P<lead>[^;|&]*?){_OPEN}", r"\g<lead>& "),
        each("on failure", rf"^(?P<lead>[^;|&]*?){_OPEN}", r"\g<lead>|| "),
        each("on success", rf"^(?P<lead>[^;|&]*?){_OPEN}", r"\g<lead>&& "),
        each("out of single quotes", _LAST, r"'; \g<command>; '", whole=True),
        each("out of double quotes", _LAST, r'"; \g<command>; "', whole=True),
        each("substitution inside the word", _LAST, r"x$(\g<command>)x", whole=True),
    ),
    harmless=(each("no second command", (_LAST, _TICKS, _PAREN), "", whole=True),),
)

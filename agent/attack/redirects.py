"""Open redirect: addresses that look local and are not."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Form, Technique, each, renamed

_FOREIGN: Final = r"^(?:https?:)?[/\\]{2,}(?P<host>[\w.-]+\.\w+)"
# where the program names its own host too, the attacker's is the one whose name says so
_NAMED: Final = _FOREIGN.replace(
    "(?P<host>", r"(?P<host>(?=[\w.-]*(?:evil|attack|malicious|hack|phish|bad|foreign))"
)
_HOSTS: Final = (_NAMED, _FOREIGN)


def _form(name: str, written: str) -> Form:
    return each(name, _HOSTS, written, exclusive=True)


TECHNIQUE: Final = Technique(
    name="open redirect",
    cwes=frozenset({"CWE-601"}),
    payload=re.compile(_FOREIGN),
    forms=(
        _form("no scheme", r"//\g<host>"),
        _form("with a scheme", r"https://\g<host>"),
        _form("another scheme", r"ftp://\g<host>"),
        _form("three slashes", r"///\g<host>"),
        _form("a backslash", "/\\\\g<host>"),
        _form("two backslashes", "\\\\\\g<host>"),
        _form("a scheme in another case", r"HTTPS://\g<host>"),
        _form("a scheme without slashes", r"https:\g<host>"),
        _form("a user before the host", r"https://local@\g<host>"),
        _form("a tab after the slash", "/\t/\\g<host>"),
        renamed("another host", r"^(?:https?:)?//(?P<word>[\w-]+)\.", "2"),
    ),
    harmless=(each("a local address", tuple(rf"{host}[^\s]*" for host in _HOSTS), "/local", exclusive=True),),
)

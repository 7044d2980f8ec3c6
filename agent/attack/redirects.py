"""Open redirect: addresses that look local and are not."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Technique, each, renamed

_FOREIGN: Final = r"^(?:https?:)?[/\\]{2,}(?P<host>[\w.-]+\.\w+)"

TECHNIQUE: Final = Technique(
    name="open redirect",
    cwes=frozenset({"CWE-601"}),
    payload=re.compile(_FOREIGN),
    forms=(
        each("no scheme", _FOREIGN, r"//\g<host>"),
        each("with a scheme", _FOREIGN, r"https://\g<host>"),
        each("another scheme", _FOREIGN, r"ftp://\g<host>"),
        each("three slashes", _FOREIGN, r"///\g<host>"),
        each("a backslash", _FOREIGN, "/\\\\g<host>"),
        each("two backslashes", _FOREIGN, "\\\\\\g<host>"),
        each("a scheme in another case", _FOREIGN, r"HTTPS://\g<host>"),
        each("a scheme without slashes", _FOREIGN, r"https:\g<host>"),
        each("a user before the host", _FOREIGN, r"https://local@\g<host>"),
        each("a tab after the slash", _FOREIGN, "/\t/\\g<host>"),
        renamed("another host", r"^(?:https?:)?//(?P<word>[\w-]+)\.", "2"),
    ),
    harmless=(each("a local address", rf"{_FOREIGN}[^\s]*", "/local"),),
)

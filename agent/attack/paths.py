"""Path traversal and archive slip: other spellings of a path that leads out."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Technique, each, renamed

_UP: Final = r"(?<![\w.%])\.\./"

_CLIMB: Final = r"(?<![\w.%])(?:\./+)*\.\./+(?:\.{1,2}/+)*"

TECHNIQUE: Final = Technique(
    name="path traversal",
    cwes=frozenset({"CWE-22", "CWE-23", "CWE-24", "CWE-29", "CWE-35", "CWE-36", "CWE-59", "CWE-73"}),
    payload=re.compile(r"\.\.[/\\%]|%2e|^/(?:etc|tmp|proc)/"),
    forms=(
        each("from a folder that is left again", rf"(?P<up>{_UP})", r"x/../\g<up>"),
        each("through the present folder", rf"^(?P<lead>/?)(?P<up>{_UP})", r"\g<lead>./\g<up>"),
        each("doubled separators", _UP, "..//"),
        each("doubled dots that a filter halves", _UP, "....//"),
        each("encoded dots", _UP, "%2e%2e/"),
        each("encoded separator", _UP, "..%2f"),
        each("encoded twice", _UP, "%252e%252e%252f"),
        each("backslashes", _UP, "..\\"),
        each("a separator in front", rf"^(?P<up>{_UP})", r"/\g<up>"),
        each("separators in front", rf"^/?(?P<up>{_UP})", r"//\g<up>"),
        each("an absolute path with steps", r"^/(?P<top>etc|tmp|proc)/", r"/\g<top>/../\g<top>/"),
        each("an absolute path with two separators", r"^/(?P<top>etc|tmp|proc)/", r"//\g<top>/"),
        renamed("another file", r"\.\./(?:[^/\s{}]*/)*(?P<word>[\w-]+)(?:\.\w+)?$"),
    ),
    harmless=(
        each("a file inside", _CLIMB, ""),
        each("a folder inside", _CLIMB, "inside/"),
    ),
)

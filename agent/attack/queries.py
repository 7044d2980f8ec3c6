"""SQL injection: the ways out of a literal."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Technique, each, renamed

_OUT: Final = r"\\?['\"]\)?\s*(?:OR|or|Or|AND|UNION|;|--|/\*|\|\|).*$"

TECHNIQUE: Final = Technique(
    name="SQL injection",
    cwes=frozenset({"CWE-89", "CWE-943", "CWE-564"}),
    payload=re.compile(_OUT),
    forms=(
        each("equal texts", _OUT, "' OR '1'='1"),
        each("equal numbers and a comment", _OUT, "' OR 1=1 -- "),
        each("no white space", _OUT, "'/**/OR/**/1=1/**/--"),
        each("another case", _OUT, "' oR 'a'='a"),
        each("a condition without equals", _OUT, "' OR 1 LIKE 1 -- "),
        each("double quotes", _OUT, '" OR "1"="1'),
        each("out of a bracket", _OUT, "') OR ('1'='1"),
        each("a leading text", rf"^(?P<lead>[^'\"]*)(?P<out>{_OUT})", r"nobody\g<out>"),
        renamed("another name", rf"^(?P<word>\w{{3,}})(?={_OUT})"),
    ),
    harmless=(each("a plain value", _OUT, ""),),
)

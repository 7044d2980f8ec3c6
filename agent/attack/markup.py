"""Markup: external entities, and script that reaches a page."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Technique, each

_SCRIPT: Final = r"<script[^>]*>(?P<code>.*?)</script>"
_HANDLER: Final = (
    r"<(?:img|svg|body|video|input)\b[^>]*?\son\w+\s*=\s*(?:\\?['\"])?"
    r"(?P<code>[\w.]+\([^)]*\))(?:\\?['\"])?[^>]*>"
)


ENTITY: Final = Technique(
    name="XML entities",
    cwes=frozenset({"CWE-611", "CWE-776", "CWE-827"}),
    payload=re.compile(r"<!DOCTYPE|<!ENTITY"),
    forms=(
        each("public identifier", r"\bSYSTEM\s+(?=\\?['\"])", "PUBLIC 'x' "),
        each("another entity name", r"(?P<lead><!ENTITY\s+|&)(?P<word>\w+)(?=[\s;])", r"\g<lead>\g<word>2"),
        each("another element name", r"<!DOCTYPE\s+\w+", "<!DOCTYPE other"),
        each("with a declaration", r"^(?P<all>\s*<!DOCTYPE)", r"<?xml version='1.0'?>\g<all>"),
        each("through a second entity", r"\]\s*>", "<!ENTITY again '&#38;'>]>"),
    ),
    harmless=(
        each("no declaration of a document type", r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|&(?!lt|gt|amp)\w+;", ""),
    ),
)

SCRIPT: Final = Technique(
    name="script in a page",
    cwes=frozenset({"CWE-79", "CWE-80", "CWE-83", "CWE-116"}),
    payload=re.compile(r"<script|on\w+\s*=|javascript:|<svg|<img", re.IGNORECASE),
    forms=(
        each("an image that fails", _SCRIPT, r"<img src=x onerror=\g<code>>"),
        each("a drawing that loads", _SCRIPT, r"<svg/onload=\g<code>>"),
        each("another case", r"(?P<lead></?)script", r"\g<lead>ScRiPt"),
        each("out of an attribute", rf"(?P<all>{_SCRIPT})", r'">\g<all>'),
        each("out of an attribute in single quotes", rf"(?P<all>{_SCRIPT})", r"'>\g<all>"),
        each("a script", _HANDLER, r"<script>\g<code></script>"),
        each("a tab between", r"\s(?P<handler>on\w+)\s*=", "\t\\g<handler>="),
        each("a slash between", r"\s(?P<handler>on\w+)\s*=", r"/\g<handler>="),
        each("another handler", r"\bonerror(?=\s*=)", "onload"),
        each("a scheme with another case", r"javascript:", "JaVaScRiPt:"),
        each("a scheme with white space", r"javascript:", "java\tscript:"),
    ),
    harmless=(each("plain text", (_SCRIPT, _HANDLER, "javascript:"), "text"),),
)

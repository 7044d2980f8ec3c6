"""Code execution: YAML tags, evaluated expressions, pickled calls."""

from __future__ import annotations

import re
from typing import Final

from agent.attack.technique import Technique, each

_APPLY: Final = r"!!python/object/(?:apply|new):"

YAML: Final = Technique(
    name="YAML tags",
    cwes=frozenset({"CWE-502", "CWE-20", "CWE-94"}),
    payload=re.compile(r"!!(?:python|js)/|tag:yaml\.org"),
    forms=(
        each("object/new", r"!!python/object/apply:", "!!python/object/new:"),
        each("object/apply", r"!!python/object/new:", "!!python/object/apply:"),
        each("tag written out", r"!!python/(?P<rest>[\w./:]+)", r"!<tag:yaml.org,2002:python/\g<rest>>"),
        each("inside a list", rf"^(?P<all>{_APPLY}.*)$", r"[\g<all>]"),
        each("inside a mapping", rf"^(?P<all>{_APPLY}.*)$", r"{a: \g<all>}"),
        each("as a key's value", rf"(?P<lead>:\s+|-\s+)(?P<all>{_APPLY}.*)$", r"\g<lead>[\g<all>]"),
        each("js function written out", r"!!js/(?P<rest>\w+)", r"!<tag:yaml.org,2002:js/\g<rest>>"),
    ),
    harmless=(each("plain data", r"!!(?:python|js)/[\w./:]+\s*", ""),),
)

EXPRESSION: Final = Technique(
    name="evaluated expressions",
    cwes=frozenset({"CWE-94", "CWE-95", "CWE-96", "CWE-913", "CWE-1336"}),
    payload=re.compile(r"__import__|__class__|__builtins__|require\(|process\.|child_process|open\("),
    forms=(
        each("in parentheses", r"^(?P<all>.*(?:__import__|require\(|process\.).*)$", r"(\g<all>)"),
        each("inside a list", r"^(?P<all>.*__import__.*)$", r"[\g<all>][0]"),
        each("by a lambda", r"^(?P<all>.*__import__.*)$", r"(lambda: \g<all>)()"),
        each("with spaces", r"__import__\(", "__import__ ("),
        each("without the name of the import", r"__import__\(", "__builtins__['__import__']("),
        each(
            "by attribute name",
            r"__import__\((?P<name>[^()]+)\)\.(?P<attribute>\w+)",
            r"getattr(__import__(\g<name>), '\g<attribute>')",
        ),
        each("by a name in brackets", r"process\.(?P<name>\w+)", r"process['\g<name>']"),
        each("by the global object", r"(?<![\w.])process\.", "globalThis.process."),
        each("after a comma", r"^(?P<all>.*(?:require\(|process\.).*)$", r"0, \g<all>"),
        each(
            "by a function", r"^(?P<all>.*(?:require\(|process\.).*)$", r"(function () { return \g<all> })()"
        ),
    ),
    harmless=(each("a number", r"^.*(?:__import__|__class__|require\(|process\.).*$", "[1, 2]"),),
)

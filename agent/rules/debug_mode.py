"""Debug mode on: a production server shows its inside, and with Werkzeug runs code for visitors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import replace
from agent.syntax.nodes import callee, keyword, line_of, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_REASON: Final = "debug mode shows the program's inside to visitors"
_SETTINGS: Final = re.compile(
    r"^(?:DEBUG|DEBUG_PROPAGATE_EXCEPTIONS|TEMPLATE_DEBUG|app\.debug)$|\.config\[['\"]DEBUG['\"]\]$"
)
_STARTS: Final = re.compile(r"(?:^|\.)(?:run|run_simple|Application|Flask|FastAPI|Starlette|Sanic|run_app)$")


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield servers started in debug mode and the settings that say so."""
    for node in walk(source.root):
        if node.kind() == "call" and _STARTS.search(callee(node)):
            for name in ("debug", "use_debugger"):
                given = keyword(node, name)
                value = given.field("value") if given is not None else None
                if value is not None and value.text() == "True":
                    yield _fix(value, "False")
        elif node.kind() == "assignment":
            left, right = node.field("left"), node.field("right")
            if (
                left is not None
                and right is not None
                and _SETTINGS.search(left.text())
                and right.text() == "True"
            ):
                yield _fix(right, "False")


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield error pages with stack traces, switched on for every environment."""
    for node in walk(source.root):
        key, value = (node.field("key"), node.field("value")) if node.kind() == "pair" else (None, None)
        name = key.text().strip("'\"") if key is not None else ""
        if value is not None and name in {"dumpExceptions", "showStack", "debug"} and value.text() == "true":
            yield _fix(value, "false")


def _fix(node: SgNode, text: str) -> Fix:
    return Fix(line=line_of(node), symbol=symbol_of(node), edits=(replace(node, text),), reason=_REASON)


RULE = WeaknessRule(
    name="debug-mode",
    cwes=frozenset({"CWE-489", "CWE-215", "CWE-11"}),
    words=re.compile(
        r"debug(?:ger)? (?:mode|enabled|console|left|on\b)|debug=True|DEBUG = True", re.IGNORECASE
    ),
    detectors={"python": _python, "javascript": _javascript},
    summary="Leave debug mode off",
    definitive=True,
    shared=frozenset({"CWE-215", "CWE-11"}),
)

"""Template escaping off: values reach a page as markup."""

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

_ENVIRONMENTS: Final = re.compile(
    r"^(?:jinja2\.)?(?:Environment|Template|SandboxedEnvironment|jinja2\.sandbox\.\w+)$"
)
_REASON: Final = "the template writes values into the page as they are"
_OPTIONS: Final = {"noEscape": "false", "autoescape": "true"}


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield Jinja environments that do not escape."""
    if "jinja2" not in source.text:
        return
    for node in walk(source.root):
        if node.kind() != "call" or not _ENVIRONMENTS.match(callee(node)):
            continue
        given, holder = keyword(node, "autoescape"), node.field("arguments")
        value = given.field("value") if given is not None else None
        if value is not None and value.text() == "False":
            yield _fix(value, "True")
        elif given is None and holder is not None and "**" not in holder.text():
            yield _fix(holder, _with_option(holder))


def _with_option(holder: SgNode) -> str:
    """Return the arguments with escaping on, in the layout they have."""
    inside = holder.text()[1:-1]
    if not inside.strip():
        return "(autoescape=True)"
    body = inside.rstrip()
    end = inside[len(body) :]
    if body.endswith(","):
        last = re.search(r"\r?\n[ \t]*(?=\S[^\n]*$)", body)
        return f"({body}{last[0] if last is not None else ' '}autoescape=True,{end})"
    return f"({body}, autoescape=True{end})"


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield the options of Handlebars and Nunjucks that turn escaping off."""
    if not re.search(r"handlebars|nunjucks|swig|mustache", source.text, re.IGNORECASE):
        return
    for node in walk(source.root):
        key, value = (node.field("key"), node.field("value")) if node.kind() == "pair" else (None, None)
        wanted = _OPTIONS.get(key.text().strip("'\"")) if key is not None else None
        if value is not None and wanted is not None and value.text() in {"true", "false"} - {wanted}:
            yield _fix(value, wanted)


def _fix(node: SgNode, text: str) -> Fix:
    return Fix(line=line_of(node), symbol=symbol_of(node), edits=(replace(node, text),), reason=_REASON)


RULE = WeaknessRule(
    name="autoescape",
    cwes=frozenset({"CWE-79", "CWE-80", "CWE-116"}),
    words=re.compile(r"autoescape|cross[\s-]site scripting|\bXSS\b|noEscape", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Escape what templates write",
)

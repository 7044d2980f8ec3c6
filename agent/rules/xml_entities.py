"""XML external entities: parsers that fetch what a document names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import replace
from agent.syntax.nodes import arguments, callee, is_constant, keyword, line_of, positional, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_READS: Final = frozenset({"parse", "fromstring", "XML", "iterparse", "fromstringlist"})
_REASON: Final = "the parser replaces entities, also those that name files or addresses"


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield lxml parsers and readings; the standard library's own parser is declined."""
    lxml = _lxml_name(source.text)
    for node in walk(source.root):
        if node.kind() != "call":
            continue
        owner, _, name = callee(node).rpartition(".")
        if lxml and owner == lxml:
            yield from _lxml(node, name, lxml)
        elif (
            re.fullmatch(
                r"(?:ET|ElementTree|xml\.etree\.ElementTree|minidom|xml\.dom\.minidom|pulldom)", owner
            )
            and name in {*_READS, "parseString"}
            and owner != lxml
        ):
            yield Refusal(
                line=line_of(node),
                reason="the standard parser expands entities without limit; refusing them needs another library",
            )
        elif (
            name == "setFeature"
            and len(positional(node)) > 1
            and "feature_external" in positional(node)[0].text()
        ):
            yield from _feature(node)


def _lxml_name(text: str) -> str:
    """Return the local name of ``lxml.etree``, or an empty string."""
    match = re.search(
        r"^\s*(?:from lxml import (?:\w+,\s*)*etree(?: as (\w+))?|import lxml\.etree as (\w+))",
        text,
        re.MULTILINE,
    )
    if match is not None:
        return match[1] or match[2] or "etree"
    return "lxml.etree" if re.search(r"^\s*import lxml\.etree\s*$", text, re.MULTILINE) else ""


def _lxml(call: SgNode, name: str, lxml: str) -> Iterator[Fix]:
    """Yield a parser's entity option, and a parser for a reading that has none."""
    if name in {"XMLParser", "ETCompatXMLParser"}:
        option = keyword(call, "resolve_entities")
        value = option.field("value") if option is not None else None
        if value is not None and value.text() not in {"True", "1"}:
            return
        if value is not None:
            yield _fix(call, replace(value, "False").text, call, value)
        else:
            holder = call.field("arguments")
            if holder is not None:
                inside = holder.text()[1:-1].strip().rstrip(",")
                text = f"({inside}, resolve_entities=False)" if inside else "(resolve_entities=False)"
                yield _fix(call, text, call, holder)
    elif name == "iterparse" and keyword(call, "resolve_entities") is None and positional(call):
        last = arguments(call)[-1]
        yield _fix(call, f"{last.text()}, resolve_entities=False", call, last)
    elif (
        name in _READS - {"iterparse"}
        and len(positional(call)) == 1
        and keyword(call, "parser") is None
        and not is_constant(positional(call)[0])
    ):
        last = arguments(call)[-1]
        yield _fix(call, f"{last.text()}, parser={lxml}.XMLParser(resolve_entities=False)", call, last)


def _fix(call: SgNode, text: str, place: SgNode, node: SgNode) -> Fix:
    return Fix(line=line_of(call), symbol=symbol_of(place), edits=(replace(node, text),), reason=_REASON)


def _feature(call: SgNode) -> Iterator[Fix]:
    value = positional(call)[1]
    if value.text() in {"True", "1"}:
        yield _fix(call, "False", call, value)


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield the options of libxmljs that expand entities and load what they name."""
    if "libxml" not in source.text:
        return
    for node in walk(source.root):
        key, value = (node.field("key"), node.field("value")) if node.kind() == "pair" else (None, None)
        if (
            key is not None
            and value is not None
            and key.text().strip("'\"") in {"noent", "dtdload"}
            and value.text() == "true"
        ):
            yield _fix(node, "false", node, value)


RULE = WeaknessRule(
    name="xml-entities",
    cwes=frozenset({"CWE-611", "CWE-776", "CWE-827"}),
    words=re.compile(r"\bXXE\b|external entit|XML entit|billion laughs", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Read XML without external entities",
)

"""Code from data: ``eval``, ``pickle`` and their like on input."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import replace
from agent.syntax.imports import python_module
from agent.syntax.nodes import arguments, callee, is_constant, line_of, positional, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_BUILDS: Final = re.compile(
    r"^(?:c?[Pp]ickle|dill|cloudpickle|marshal|shelve|jsonpickle|joblib)\.(?:loads?|open|decode|Unpickler)$"
)
_REASON: Final = "eval runs whatever code the text holds"


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield evaluations that literals satisfy, and decline what builds objects by design."""
    for node in walk(source.root):
        if node.kind() != "call":
            continue
        name = callee(node)
        if name == "eval" and positional(node) and not is_constant(positional(node)[0]):
            yield _literal(source, node)
        elif _BUILDS.match(name) and positional(node) and not is_constant(positional(node)[0]):
            yield Refusal(
                line=line_of(node),
                reason=f"{name} builds any object; another format is for people to decide",
            )
        elif name == "exec" and positional(node) and not is_constant(positional(node)[0]):
            yield Refusal(line=line_of(node), reason="exec runs code by design; there is no safe form of it")


def _literal(source: Source, call: SgNode) -> Fix | Refusal:
    """Return ``ast.literal_eval`` for an evaluation of text alone; one with names needs them."""
    target = call.field("function")
    if len(arguments(call)) != 1 or target is None:
        return Refusal(
            line=line_of(call), reason="eval is given names to use, so it is more than a reader of literals"
        )
    module, needed = python_module(source, "ast")
    edits = (replace(target, f"{module}.literal_eval"), *needed)
    return Fix(line=line_of(call), symbol=symbol_of(call), edits=edits, reason=_REASON)


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``eval('(' + text + ')')``, which reads JSON, and decline the rest."""
    for node in walk(source.root):
        kind = node.kind()
        if (
            kind == "call_expression"
            and callee(node) in {"eval", "window.eval", "global.eval"}
            and arguments(node)
        ):
            yield from _json(node, arguments(node)[0])
        elif kind == "call_expression" and callee(node) == "vm.runInThisContext":
            yield Refusal(line=line_of(node), reason="a script is run by design; there is no safe form of it")
        elif kind == "call_expression" and callee(node).endswith("serialize.unserialize"):
            yield Refusal(
                line=line_of(node),
                reason="unserialize builds functions; another format is for people to decide",
            )
        elif kind in {"new_expression", "call_expression"} and callee(node) == "Function":
            yield from _function(node)


def _json(call: SgNode, text: SgNode) -> Iterator[Fix | Refusal]:
    if is_constant(text):
        return
    match = re.fullmatch(
        r"""(['"`])\(\1\s*\+\s*(?P<text>.+?)\s*\+\s*(['"`])\)\3|`\(\$\{(?P<filled>[^{}]+)\}\)`""",
        text.text(),
        re.DOTALL,
    )
    if match is None:
        yield Refusal(line=line_of(call), reason="what eval is to compute cannot be told from here")
        return
    inside = match["text"] or match["filled"]
    yield Fix(
        line=line_of(call),
        symbol=symbol_of(call),
        edits=(replace(call, f"JSON.parse({inside})"),),
        reason=_REASON,
    )


def _function(node: SgNode) -> Iterator[Fix | Refusal]:
    """Yield ``new Function('return ' + text)()``, which reads a literal too."""
    handed = arguments(node)
    if not handed or is_constant(handed[-1]):
        return
    match = re.fullmatch(
        r"""(['"`])return\s+\(?\1\s*\+\s*(?P<text>[\w$.\[\]]+)(?:\s*\+\s*(['"`])\)?;?\3)?""",
        handed[-1].text(),
    )
    outer = node.parent()
    while outer is not None and outer.kind() == "parenthesized_expression":
        outer = outer.parent()
    if (
        match is None
        or len(handed) != 1
        or outer is None
        or outer.kind() != "call_expression"
        or arguments(outer)
    ):
        yield Refusal(
            line=line_of(node), reason="a function is built from text by design; there is no safe form of it"
        )
        return
    edits = (replace(outer, f"JSON.parse({match['text']})"),)
    yield Fix(
        line=line_of(node),
        symbol=symbol_of(node),
        edits=edits,
        reason="Function runs whatever code the text holds",
    )


RULE = WeaknessRule(
    name="deserialization",
    cwes=frozenset({"CWE-94", "CWE-95", "CWE-96", "CWE-502"}),
    words=re.compile(r"\beval\b|\bexec\(|\bpickle|deseriali[sz]|code (?:execution|injection)", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Read data as data",
)

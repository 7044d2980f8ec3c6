"""TLS without verification: any certificate is taken for the server's."""

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

_REQUESTS: Final = re.compile(
    r"(?:^|\.)(?:get|post|put|patch|delete|head|options|request|send|stream|urlopen|Client|AsyncClient|Session|connect)$"
)
_TOKENS: Final = re.compile(r"(?:^|\.)(?:jwt|jws|jose)\b|decode$", re.IGNORECASE)
_REASON: Final = "any certificate is accepted, so anybody on the way can answer for the server"
_OPTIONS: Final = {"rejectUnauthorized": "true", "strictSSL": "true", "insecure": "false"}


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield requests and contexts that verify nothing."""
    for node in walk(source.root):
        if node.kind() == "call" and _REQUESTS.search(callee(node)) and not _TOKENS.search(callee(node)):
            yield from _keyword(node, "verify", "False", "True")
            yield from _keyword(node, "verify_ssl", "False", "True")
        elif node.kind() == "attribute" and node.text() == "ssl._create_unverified_context":
            yield _fix(node, "ssl.create_default_context")
        elif node.kind() == "assignment":
            yield from _context(node)


def _keyword(call: SgNode, name: str, wrong: str, right: str) -> Iterator[Fix]:
    given = keyword(call, name)
    value = given.field("value") if given is not None else None
    if value is not None and value.text() == wrong:
        yield _fix(value, right)


def _context(node: SgNode) -> Iterator[Fix]:
    """Yield assignments that take checks away from a context, or from every session."""
    left, right = node.field("left"), node.field("right")
    if left is None or right is None:
        return
    if left.text().endswith(".check_hostname") and right.text() == "False":
        yield _fix(right, "True")
    elif left.text().endswith(".verify_mode") and right.text().endswith("CERT_NONE"):
        yield _fix(right, right.text().replace("CERT_NONE", "CERT_REQUIRED"))
    elif re.search(r"(?:session|client)\w*\.verify$", left.text(), re.IGNORECASE) and right.text() == "False":
        yield _fix(right, "True")


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield options that turn verification off, here or for the whole process."""
    for node in walk(source.root):
        key, value = (node.field("key"), node.field("value")) if node.kind() == "pair" else (None, None)
        if key is not None and value is not None:
            wanted = _OPTIONS.get(key.text().strip("'\""))
            if wanted is not None and value.text() in {"true", "false"} - {wanted}:
                yield _fix(value, wanted)
        left, right = (
            (node.field("left"), node.field("right"))
            if node.kind() == "assignment_expression"
            else (None, None)
        )
        if (
            left is not None
            and right is not None
            and "NODE_TLS_REJECT_UNAUTHORIZED" in left.text()
            and "0" in right.text()
        ):
            yield _fix(right, right.text().replace("0", "1"))


def _fix(node: SgNode, text: str) -> Fix:
    return Fix(line=line_of(node), symbol=symbol_of(node), edits=(replace(node, text),), reason=_REASON)


RULE = WeaknessRule(
    name="tls-verification",
    cwes=frozenset({"CWE-295", "CWE-297", "CWE-599"}),
    words=re.compile(
        r"certificate (?:verif|valid|check)|verify=False|rejectUnauthorized|(?:TLS|SSL) verif"
        r"|man[\s-]in[\s-]the[\s-]middle",
        re.IGNORECASE,
    ),
    detectors={"python": _python, "javascript": _javascript},
    summary="Verify certificates",
    definitive=True,
)

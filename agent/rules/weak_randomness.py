"""Weak randomness: secrets drawn from a generator whose next value can be computed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import replace
from agent.syntax.imports import javascript_module
from agent.syntax.nodes import callee, line_of, statement_of, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_SECRET: Final = re.compile(
    r"token|secret|passw|passphrase|pwd|salt|nonce|otp|session|csrf|api_?key|credential|cookie|captcha|invite|reset|uuid|auth",
    re.IGNORECASE,
)
_DRAWS: Final = frozenset(
    {
        "choice",
        "choices",
        "randint",
        "randrange",
        "random",
        "sample",
        "getrandbits",
        "uniform",
        "shuffle",
        "randbytes",
    }
)
_REASON: Final = "a secret is drawn from a generator whose values can be predicted"


def _is_secret(node: SgNode) -> bool:
    """Whether names around a draw say that a secret is made."""
    statement = statement_of(node)
    return (
        _SECRET.search(symbol_of(node) + " " + (statement.text() if statement is not None else ""))
        is not None
    )


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield draws for secrets; the system's generator has the same methods and needs no new import."""
    if re.search(r"^\s*import random\s*$", source.text, re.MULTILINE) is None:
        return
    for node in walk(source.root):
        target = node.field("function") if node.kind() == "call" else None
        owner, _, name = callee(node).rpartition(".") if target is not None else ("", "", "")
        if target is not None and owner == "random" and name in _DRAWS and _is_secret(node):
            edit = replace(target, f"random.SystemRandom().{name}")
            yield Fix(line=line_of(node), symbol=symbol_of(node), edits=(edit,), reason=_REASON)
        elif owner == "random" and name == "seed" and _is_secret(node):
            yield Refusal(
                line=line_of(node), reason="a seeded generator repeats itself; a secret must not need a seed"
            )


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``Math.random()`` for secrets: the same range of numbers from the system's generator."""
    for node in walk(source.root):
        if node.kind() != "call_expression" or callee(node) != "Math.random" or not _is_secret(node):
            continue
        module, needed = javascript_module(source, "crypto")
        text = f"({module}.randomBytes(6).readUIntBE(0, 6) / 0x1000000000000)"
        yield Fix(
            line=line_of(node), symbol=symbol_of(node), edits=(replace(node, text), *needed), reason=_REASON
        )


RULE = WeaknessRule(
    name="weak-randomness",
    cwes=frozenset({"CWE-330", "CWE-331", "CWE-335", "CWE-338", "CWE-340", "CWE-1241"}),
    words=re.compile(
        r"predictable|weak random|insecure random|Math\.random|pseudo-?random|low entropy", re.IGNORECASE
    ),
    detectors={"python": _python, "javascript": _javascript},
    summary="Draw secrets from the system's generator",
    definitive=True,
    shared=frozenset({"CWE-340"}),
)

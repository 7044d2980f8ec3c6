"""Open redirect: an address from the request decides where the browser goes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import insert_lines_before
from agent.syntax.imports import python_module
from agent.syntax.nodes import (
    arguments,
    callee,
    function_of,
    is_constant,
    line_of,
    positional,
    statement_of,
    symbol_of,
    walk,
)
from agent.syntax.style import end_of_statement, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

# a path of this site, absolute or relative: no scheme, no second slash at its start, no control character that a
# browser would drop
_LOCAL: Final = r"(?=.)(?!\.*/[/\\])[\w.~%-]*(?:[/?#][^\x00-\x1f]*)?"
_GUARDED: Final = re.compile(
    r"url_has_allowed_host|is_safe_url|netloc|urlsplit|urlparse|new URL\(|hostname|\(\?!(?:\[|\\\.\*)"
)
_CALLS: Final = re.compile(r"(?:^|\.)(?:redirect|HttpResponseRedirect|RedirectResponse|HTTPFound|seeother)$")
_REASON: Final = "the address comes from outside and may name another host"


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield redirects to a local variable that the function took from its request or parameters."""
    for node in walk(source.root):
        if node.kind() != "call" or not _CALLS.search(callee(node)) or not positional(node):
            continue
        target, statement, function = positional(node)[0], statement_of(node), function_of(node)
        if (
            is_constant(target)
            or function is None
            or _GUARDED.search(function.text())
            or not _is_foreign(target, function)
        ):
            continue
        if statement is None or target.kind() != "identifier":
            yield Refusal(
                line=line_of(node), reason=f"{_REASON}; give it a name, then it can be checked before use"
            )
            continue
        module, needed = python_module(source, "re")
        name = target.text()
        lines = [f'if {module}.fullmatch(r"{_LOCAL}", {name} or "") is None:', f'{source.unit}{name} = "/"']
        edits = (insert_lines_before(source, statement, lines), *needed)
        yield Fix(line=line_of(node), symbol=symbol_of(node), edits=edits, reason=_REASON)


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield ``res.redirect(name)`` where the name holds something of the request."""
    for node in walk(source.root):
        if node.kind() != "call_expression" or not re.match(
            r"(?:res|response|ctx|reply)\.redirect$", callee(node)
        ):
            continue
        target, statement, function = (arguments(node) or [node])[-1], statement_of(node), function_of(node)
        if (
            function is None
            or is_constant(target)
            or _GUARDED.search(function.text())
            or not _is_foreign(target, function)
        ):
            continue
        if statement is None or target.kind() != "identifier" or _is_fixed(function, target.text()):
            yield Refusal(
                line=line_of(node), reason=f"{_REASON}; give it a variable, then it can be checked before use"
            )
            continue
        name, end = target.text(), end_of_statement(source)
        local = _LOCAL.replace("/", r"\/")
        test = f"/^{local}$/.test({name} || {quoted(source, '')})"
        line = f"if (!{test}) {name} = {quoted(source, '/')}{end}"
        yield Fix(
            line=line_of(node),
            symbol=symbol_of(node),
            edits=(insert_lines_before(source, statement, [line]),),
            reason=_REASON,
        )


def _is_foreign(target: SgNode, function: SgNode) -> bool:
    """Whether the address was read from a request, here or where its name was assigned."""
    request = re.compile(
        r"\b(?:request|req|ctx|query|params|GET|POST|args|form|cookies|headers|self\.get_argument)\b"
    )
    name = target.text()
    if request.search(name):
        return True
    made = re.findall(rf"(?<![\w.]){re.escape(name)}\s*=(?!=)\s*([^\n]+)", function.text())
    return any(request.search(value) for value in made) or (
        target.kind() == "identifier"
        and re.search(r"next|url|return|target|redirect|dest|goto|continue", name, re.IGNORECASE) is not None
        and any(
            re.search(rf"\b{re.escape(name)}\b", holder.text())
            for holder in [function.field("parameters")]
            if holder
        )
    )


def _is_fixed(function: SgNode, name: str) -> bool:
    return re.search(rf"\bconst\s+{re.escape(name)}\b", function.text()) is not None


RULE = WeaknessRule(
    name="open-redirect",
    cwes=frozenset({"CWE-601"}),
    words=re.compile(
        r"open[\s-]redirect|unvalidated redirect|redirect(?:s|ed)? to (?:an )?(?:arbitrary|external|other)",
        re.IGNORECASE,
    ),
    detectors={"python": _python, "javascript": _javascript},
    summary="Redirect within the site only",
)

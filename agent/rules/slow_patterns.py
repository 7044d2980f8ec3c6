"""Catastrophic regular expressions: found always, changed only where the new one provably matches the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import Edit, replace
from agent.syntax.nodes import arguments, callee, line_of, positional, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_ATOM: Final = r"(?:\\[wWdDsS]|\\[.^$|()\[\]{}*+?/\\-]|\[(?:\\.|[^\]\\])+\]|[A-Za-z0-9_])"
# (?:a+)+ and its like: one atom repeated within a group that captures nothing and is repeated itself
_NESTED: Final = re.compile(rf"\(\?:(?P<atom>{_ATOM})(?P<inner>[+*])\)(?P<outer>[+*])(?![?+*])")
# a+a*: the same atom twice
_TWICE: Final = re.compile(rf"(?P<atom>{_ATOM})(?P<first>[+*])(?P=atom)(?P<second>[+*])(?![?+*{{])")
_SUSPECT: Final = re.compile(
    r"\((?:\?:)?[^()]*[+*]\)?(?:[^()]*)\)[+*{]"  # a repeated group with a repetition inside
    r"|\((?:\?:)?(?P<word>[^()|]+)\|(?:[^()]*\|)?(?P=word)[^()]*\)[+*]"  # alternatives that begin alike
    r"|\.\*[^()|]*\.\*[^()|]*\.\*"
    r"|(?:\\s|\[[^\]]*\\s[^\]]*\])[+*]\$"
)
_CALLS: Final = re.compile(
    r"^(?:re|regex)\.(?:compile|match|search|fullmatch|sub|subn|split|findall|finditer)$"
)
_DECLINE: Final = (
    "matching may take time out of all proportion; no rewriting is known here that surely matches the same"
)


def flattened(pattern: str) -> str:
    """Return the pattern with nested and doubled repetitions of one atom made single.

    ``(?:a+)+`` and ``(?:a+)*`` match the same texts as ``a+`` and ``a*``, at the same places, because the group
    holds one atom and captures nothing; ``a+a*`` is ``a+``. ``a+a+`` needs two and stays.
    """
    for expression, written in ((_NESTED, _nested), (_TWICE, _single)):
        at = 0
        while (match := expression.search(pattern, at)) is not None:
            text = written(match)
            if _is_plain(pattern, match.start()) and text != match[0]:
                pattern = pattern[: match.start()] + text + pattern[match.end() :]
                at = 0
            else:
                at = match.start() + 1
    return pattern


def _is_plain(pattern: str, index: int) -> bool:
    """Whether ``index`` lies outside of a character class and is not escaped."""
    inside, at = False, 0
    while at < index:
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] == "[" and not inside:
            inside = True
            at += pattern[at + 1 : at + 2] in {"]", "^"}
        elif pattern[at] == "]":
            inside = False
        at += 1
    return at == index and not inside


def _nested(match: re.Match[str]) -> str:
    return match["atom"] + ("+" if match["inner"] == match["outer"] == "+" else "*")


def _single(match: re.Match[str]) -> str:
    if match["first"] == match["second"] == "+":
        return match[0]
    return match["atom"] + ("+" if "+" in match["first"] + match["second"] else "*")


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield literal patterns given to the ``re`` module."""
    for node in walk(source.root):
        if node.kind() == "call" and _CALLS.match(callee(node)) and positional(node):
            pattern = positional(node)[0]
            content = [child for child in pattern.children() if child.kind() == "string_content"]
            if pattern.kind() == "string" and len(content) == 1 and pattern.text()[:1] in "rR'\"":
                yield from _judged(pattern, content[0].text(), content[0])


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield regular expression literals, and those that only trim."""
    for node in walk(source.root):
        if node.kind() == "call_expression" and (trimmed := _trimmed(node)) is not None:
            yield trimmed
        elif node.kind() == "regex":
            pattern = node.field("pattern")
            holder = node.parent()
            call = holder.parent() if holder is not None else None
            if pattern is not None and (
                call is None or call.kind() != "call_expression" or _trimmed(call) is None
            ):
                yield from _judged(node, pattern.text(), pattern)


def _trimmed(call: SgNode) -> Fix | None:
    r"""Return ``text.replace(/\s+$/, '')`` as the method that does the same in linear time."""
    target, handed = call.field("function"), arguments(call)
    if target is None or not callee(call).endswith(".replace") or len(handed) != 2:  # noqa: PLR2004
        return None
    methods = {r"/\s+$/": "trimEnd", r"/\s*$/": "trimEnd", r"/^\s+|\s+$/g": "trim", r"/^\s*|\s*$/g": "trim"}
    method = methods.get(handed[0].text())
    owner = target.field("object")
    if method is None or owner is None or handed[1].text() not in {"''", '""'}:
        return None
    edits = (replace(call, f"{owner.text()}.{method}()"),)
    reason = "looking for white space at the end starts anew at every white space"
    return Fix(line=line_of(call), symbol=symbol_of(call), edits=edits, reason=reason)


def _judged(node: SgNode, pattern: str, place: SgNode) -> Iterator[Fix | Refusal]:
    better = flattened(pattern)
    if better != pattern and _SUSPECT.search(better) is None:
        edit: Edit = replace(place, better)
        reason = "a repetition of a repetition tries every way to divide a text"
        yield Fix(line=line_of(node), symbol=symbol_of(node), edits=(edit,), reason=reason)
    elif _SUSPECT.search(pattern) is not None:
        yield Refusal(line=line_of(node), reason=_DECLINE)


RULE = WeaknessRule(
    name="slow-patterns",
    cwes=frozenset({"CWE-1333", "CWE-730", "CWE-407"}),
    words=re.compile(r"\bReDoS\b|regular expression denial|catastrophic backtracking", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Match in linear time",
)

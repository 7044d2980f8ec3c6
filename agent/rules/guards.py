"""Guards against property names that lead to a prototype, written in the style of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent.syntax.edits import Edit, insert_lines_after, insert_lines_before, line_start
from agent.syntax.nodes import FUNCTIONS, inner, statement_of, walk
from agent.syntax.style import end_of_statement, quoted

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from agent.syntax.source import Source

MAGIC: Final = ("__proto__", "constructor", "prototype")
_DEEP: Final = 8
"""Columns allowed for the indentation of a line that is put in."""
LOOPS: Final = frozenset({"for_in_statement", "for_statement", "while_statement", "do_statement"})
_ITERATES: Final = re.compile(r"\.(?:forEach|reduce|reduceRight|map|every|some|each)$")
_KEEPS_ARRAY: Final = re.compile(
    r"(?:forEach|reduce|reduceRight|map|every|some|each|slice|filter|concat|reverse)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A check of ``key`` in ``owner``.

    ``site`` is the loop or iterating call, ``many`` says that ``key`` is the array of all keys, ``leaves``
    that the whole function must be left and not only the present round. ``target`` is the object that is walked
    into under the key, ``value`` what a merge would carry there; empty when they cannot be told.
    """

    owner: SgNode
    site: SgNode | None
    key: str
    many: bool
    leaves: bool
    target: str = ""
    value: str = ""

    def edit(self, source: Source) -> Edit | None:
        """Return the insertion, or None where no statement can stand."""
        if self.site is None:
            return self._at_start(source)
        if self.many:
            at = statement_of(self.site)
            lines = _check_of_all(source, self.site, self.key, refusal_of(source, self.owner))
            return insert_lines_before(source, at, lines) if at else None
        return self._in_round(source, self.site)

    def _in_round(self, source: Source, site: SgNode) -> Edit | None:
        """Return the check as the first statement of a loop body or callback."""
        callback = (
            next((node for node in walk(site) if node.kind() in FUNCTIONS), None)
            if site.kind() == "call_expression"
            else None
        )
        body = callback.field("body") if callback is not None else site.field("body")
        if body is None or body.kind() != "statement_block":
            return None
        end = end_of_statement(source)
        if not self.leaves:
            action = f"continue{end}" if callback is None else f"return{end}"
        else:
            action = refusal_of(source, self.owner) if callback is None else thrown(source)
        declared = _declaration(body, self.key)
        return _placed(source, body, declared, self._check(source, action))

    def _check(self, source: Source, action: str) -> list[str]:
        """Return the condition that this one key leads to a prototype, with what is done then."""
        listed = bool(self.value)  # keys of an object are texts already
        inherited = (
            f"typeof {self.target}[{self.key}] === {quoted(source, 'function')}" if self.target else ""
        )
        carried = f"typeof {self.value} === {quoted(source, 'object')}" if self.value else ""
        narrow = [word for word in (inherited, carried) if word]
        magic, below = _tests(source, self.key if listed else f"String({self.key})", *narrow)
        one = f"if ({magic} || {below}) {action}"
        if len(one) + _DEEP <= source.width:
            return [one]
        return [f"if ({magic} ||", f"{source.unit}{below}) {action}"]

    def _at_start(self, source: Source) -> Edit | None:
        body = self.owner.field("body")
        if body is None or body.kind() != "statement_block":
            return None
        declared = _declaration(body, self.key)
        return _placed(source, body, declared, self._check(source, refusal_of(source, self.owner)))


def _placed(source: Source, body: SgNode, declared: SgNode | None, lines: list[str]) -> Edit | None:
    if declared is not None:
        return insert_lines_after(source, declared, lines)
    return first_in(source, body, lines)


def _declaration(body: SgNode, key: str) -> SgNode | None:
    """Return the statement directly in ``body`` that declares ``key``."""
    for statement in body.named_children():
        if statement.kind() in {"variable_declaration", "lexical_declaration"}:
            for node in statement.named_children():
                name = node.field("name")
                if name is not None and name.text() == key:
                    return statement
    return None


def first_in(source: Source, body: SgNode, lines: list[str]) -> Edit | None:
    """Return the edit that makes ``lines`` the first statement of a block."""
    statements = list(body.named_children())
    start = body.range().start.index
    if statements and line_start(source.text, statements[0].range().start.index) > start:
        return insert_lines_before(source, statements[0], lines)
    return Edit(start=start + 1, end=start + 1, text=f" {' '.join(line.strip() for line in lines)}")


def _tests(source: Source, key: str, *narrow: str) -> tuple[str, str]:
    """Return the conditions that ``key`` is a way to a prototype: at once, or by the constructor.

    ``__proto__`` always is. ``constructor`` is one where it is walked into and not written: ``narrow`` says when.
    ``prototype`` leads on only from a constructor, which is not reached then, so it stays an ordinary name.
    """
    by = " && ".join([f"{key} === {quoted(source, 'constructor')}", *narrow])
    return f"{key} === {quoted(source, '__proto__')}", f"({by})" if narrow else by


def _check_of_all(source: Source, site: SgNode, keys: str, action: str) -> list[str]:
    """Return the lines that take ``action`` when a name in the array ``keys`` leads to a prototype.

    Where the walk surely stops before the last name, ``constructor`` may stand there: it is only written.
    """
    name = "part" if keys != "part" else "item"
    short = _stops_before_last(site, keys)
    position = "at" if keys != "at" else "index"
    narrow = [f"{position} < {keys}.length - 1"] if short else []
    test = " || ".join(_tests(source, f"String({name})", *narrow))
    parameters = f"{name}, {position}" if short else name
    if "=>" not in source.text:
        body = f"{source.unit}return {test}{end_of_statement(source)}"
        return [f"if ({keys}.some(function ({parameters}) {{", body, f"}})) {action}"]
    head = f"if ({keys}.some({f'({parameters})' if short else parameters} =>"
    one = f"{head} {test})) {action}"
    return [one] if len(one) + _DEEP <= source.width else [head, f"{source.unit}{test})) {action}"]


def _stops_before_last(site: SgNode, keys: str) -> bool:
    """Whether a walk leaves out the last name of the array, which is then there to be written."""
    name = re.escape(keys)
    if site.kind() == "call_expression":
        return re.match(rf"{name}\.slice\(0,\s*-1\)", site.text()) is not None
    holder = site.field("condition")
    condition = holder.text() if holder is not None else ""
    return re.search(rf"<\s*{name}\.length\s*-\s*1\b|\b{name}\.length\s*>\s*1\b", condition) is not None


def thrown(source: Source) -> str:
    """Return the statement that refuses loudly."""
    message = quoted(source, "Refusing a property name that leads to a prototype")
    return f"throw new Error({message}){end_of_statement(source)}"


def refusal_of(source: Source, owner: SgNode) -> str:
    """Return the statement that leaves ``owner`` the way it leaves already, else one that throws."""
    values = [
        node.named_children()[0].text() if node.named_children() else ""
        for node in inner(owner)
        if node.kind() == "return_statement"
    ]
    body = owner.field("body")
    end = end_of_statement(source)
    if body is None or body.kind() != "statement_block":
        return thrown(source)
    if not any(values):
        return f"return{end}"
    if "false" in values:
        return f"return false{end}"
    parameters = owner.field("parameters")
    names = {node.text() for node in walk(parameters)} if parameters is not None else set()
    if len(set(values)) == 1 and values[0] in names:
        return f"return {values[0]}{end}"
    return thrown(source)


def is_dynamic(subscript: SgNode) -> bool:
    """Whether ``o[key]`` is computed from something that may be any name."""
    index = subscript.field("index")
    return index is not None and index.kind() in {"identifier", "subscript_expression", "member_expression"}


def iteration_of(node: SgNode) -> SgNode | None:
    """Return the nearest loop or iterating call around ``node``, within the function it serves."""
    for above in node.ancestors():
        if above.kind() in LOOPS:
            return above
        if above.kind() in FUNCTIONS:
            call = _iterating_call(above)
            if call is None:
                return None
            return call
    return None


def owner_of(node: SgNode) -> SgNode | None:
    """Return the innermost function around ``node`` that is not the callback of an iteration."""
    return next(
        (above for above in node.ancestors() if above.kind() in FUNCTIONS and _iterating_call(above) is None),
        None,
    )


def _iterating_call(function: SgNode) -> SgNode | None:
    holder = function.parent()
    call = holder.parent() if holder is not None and holder.kind() == "arguments" else None
    target = call.field("function") if call is not None and call.kind() == "call_expression" else None
    return call if target is not None and _ITERATES.search(target.text()) else None


def base_name(call: SgNode) -> str | None:
    """Return the array an iterating call starts from: ``keys`` of ``keys.slice(0, -1).forEach``, not of ``split``."""
    node: SgNode | None = call
    while node is not None and node.kind() in {"call_expression", "member_expression"}:
        method = node.field("property")
        if method is not None and not _KEEPS_ARRAY.match(method.text()):
            return None
        node = node.field("function") if node.kind() == "call_expression" else node.field("object")
    return (
        node.text()
        if node is not None and node.kind() == "identifier" and not node.text()[0].isupper()
        else None
    )

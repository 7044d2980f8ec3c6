"""Prototype pollution: the ways to a prototype, and the places a key can stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.attack.technique import Form, Technique, each, renamed
from agent.syntax.edits import Edit, replace
from agent.syntax.nodes import callee

if TYPE_CHECKING:
    from agent.attack.program import Literal, Program

_MAGIC: Final = r"(?:__proto__|constructor\.prototype)"


def _elements(program: Program, name: str) -> list[Literal]:
    """Return the literals that are exactly ``name`` as an element of an array."""
    found = []
    for literal in program.literals:
        parent = literal.node.parent()
        if literal.raw == name and parent is not None and parent.kind() == "array":
            found.append(literal)
    return found


def _constructor_elements(program: Program) -> list[Edit]:
    return [
        replace(item.node, f"{item.mark}constructor{item.mark}, {item.mark}prototype{item.mark}")
        for item in _elements(program, "__proto__")
    ]


def _proto_elements(program: Program) -> list[Edit]:
    edits = []
    for item in _elements(program, "constructor"):
        comma = item.node.next()
        after = comma.next() if comma is not None else None
        if after is not None and after.text().strip("'\"") == "prototype":
            end = after.range().end.index
            edits.append(Edit(start=item.start - 1, end=end, text=f"{item.mark}__proto__{item.mark}"))
    return edits


def _wrapped_elements(program: Program) -> list[Edit]:
    found = [item for name in ("__proto__", "constructor") for item in _elements(program, name)]
    return [replace(item.node, f"[{item.node.text()}]") for item in found]


def _unwrapped_elements(program: Program) -> list[Edit]:
    edits = []
    for name in ("__proto__", "constructor"):
        for item in _elements(program, name):
            holder = item.node.parent()
            outer = holder.parent() if holder is not None else None
            if (
                holder is not None
                and outer is not None
                and outer.kind() == "array"
                and len(holder.named_children()) == 1
            ):
                edits.append(replace(holder, item.node.text()))
    return edits


def _shown(form: Form) -> Form:
    """Return the form with what the program made shown at its end, so that a value that is missing is seen."""

    def rewrite(program: Program) -> list[Edit]:
        edits, names = form.rewrite(program), _made(program)
        calls = [edit for changed in edits[:1] for edit in _printed(program, changed)]
        if not edits or not (names or calls):
            return []
        if not names:
            return [*edits, *calls]
        values = ", ".join(f"() => {name}" for name in names)
        text = (
            f"process.on('exit', () => {{ for (const value of [{values}]) "
            "try { console.log(JSON.stringify(value())) } catch { console.log('none') } });\n"
        )
        start = _after_directives(program)
        return [*edits, *calls, Edit(start=start, end=start, text=text)]

    return Form(name=form.name, rewrite=rewrite)


def _printed(program: Program, changed: Edit) -> list[Edit]:
    """Return the edits that print what a call of the top level returns and nobody keeps."""
    for statement in program.root.named_children():
        span = statement.range()
        if statement.kind() == "expression_statement" and span.start.index < changed.start < span.end.index:
            call = statement.named_children()[0]
            start, end = call.range().start.index, call.range().end.index
            if call.kind() == "call_expression" and not callee(call).startswith(("console.", "process.")):
                text = "console.log(JSON.stringify("
                return [Edit(start=start, end=start, text=text), Edit(start=end, end=end, text="))")]
    return []


def _made(program: Program) -> list[str]:
    """Return the variables of the program's top level, modules left out."""
    names = []
    for statement in program.root.named_children():
        if statement.kind() not in {"lexical_declaration", "variable_declaration"}:
            continue
        for declared in statement.named_children():
            name, value = declared.field("name"), declared.field("value")
            if name is not None and name.kind() == "identifier" and "require(" not in (value or name).text():
                names.append(name.text())
    return names


def _after_directives(program: Program) -> int:
    """Return where the first statement begins that is no directive such as ``'use strict'``."""
    for statement in program.root.named_children():
        first = next(iter(statement.named_children()), None)
        if statement.kind() not in {"comment", "hash_bang_line"} and (
            statement.kind() != "expression_statement" or first is None or first.kind() != "string"
        ):
            return statement.range().start.index
    return len(program.code)


# a name that leads nowhere from an ordinary object; a patch that refuses it breaks ordinary use
_NAMED: Final = (
    each("the harmless name prototype", rf"(?<![\w\[\"']){_MAGIC}(?:\.\w+)+", "prototype", whole=True),
    each("the harmless name prototype, as JSON", r"\"__proto__\"(?=\s*:)", '"prototype"'),
)

TECHNIQUE: Final = Technique(
    name="prototype pollution",
    cwes=frozenset({"CWE-1321", "CWE-915", "CWE-843"}),
    payload=re.compile(r"__proto__|constructor\b.*\bprototype|^constructor$"),
    forms=(
        each(
            "through the constructor",
            r"(?<![\w\[\"'])__proto__(?=[.\s=])",
            "constructor.prototype",
            whole=True,
        ),
        each("through the constructor, in brackets", r"\[__proto__\]", "[constructor][prototype]"),
        each("through the constructor, as a pointer", r"/__proto__/", "/constructor/prototype/"),
        each(
            "through the constructor, as JSON",
            r"\"__proto__\"\s*:\s*(?P<inside>\{[^{}]*\})",
            r'"constructor": {"prototype": \g<inside>}',
        ),
        each("through __proto__", r"(?<![\w\[\"'])constructor\.prototype", "__proto__"),
        each("through __proto__, in brackets", r"\[constructor\]\[prototype\]", "[__proto__]"),
        Form(name="through the constructor, as elements", rewrite=_constructor_elements),
        Form(name="through __proto__, as an element", rewrite=_proto_elements),
        Form(name="key wrapped in an array", rewrite=_wrapped_elements),
        Form(name="key not wrapped in an array", rewrite=_unwrapped_elements),
        each(
            "one level deeper",
            rf"(?<![\w\[\"'.])(?P<magic>{_MAGIC})(?=[.\s=])",
            r"deep.\g<magic>",
            whole=True,
        ),
        each("one level deeper, as JSON", r"^(?P<all>\s*\{.*__proto__.*\}\s*)$", r'{"deep": \g<all>}'),
        renamed(
            "another property",
            r"(?:__proto__|prototype)[\"'\]]*\s*[.\[:]\s*\{?\s*[\"']?(?P<word>[A-Za-z]\w{2,})",
        ),
    ),
    harmless=(
        *(_shown(form) for form in _NAMED),
        each("an ordinary key", rf"{_MAGIC}|^constructor$", "plain"),
        each("an ordinary name beside it", rf"(?<![\w\[\"']){_MAGIC}\.(?P<rest>\w+)", r"\g<rest>"),
    ),
)

"""Unsafe YAML: a loader that builds any object the document names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent.rules.weakness import Fix, Refusal, WeaknessRule
from agent.syntax.edits import Edit, indent_at, line_start, replace
from agent.syntax.nodes import arguments, callee, keyword, line_of, positional, symbol_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from agent.syntax.source import Source

_UNSAFE: Final = frozenset(
    {"Loader", "UnsafeLoader", "FullLoader", "CLoader", "CUnsafeLoader", "CFullLoader"}
)
_SAFE: Final = {"load": "safe_load", "load_all": "safe_load_all", "unsafe_load": "safe_load", "full_load": "safe_load",
                "unsafe_load_all": "safe_load_all", "full_load_all": "safe_load_all"}  # fmt: skip
_FROM_YAML: Final = re.compile(r"from yaml\s+import\s+[(\w]")
_REASON: Final = "this loader builds any object a document names"


def _python(source: Source) -> Iterator[Fix | Refusal]:
    """Yield loads with an unsafe loader, and loader classes built on one."""
    module, names = _yaml_names(source.root)
    if not module and not names:
        return
    for node in walk(source.root):
        if node.kind() == "call" and (edits := _call_edits(source, node, module, names)):
            yield Fix(line=line_of(node), symbol=symbol_of(node), edits=edits, reason=_REASON)
        elif node.kind() == "class_definition":
            yield from _loader_class(node, module, names)


def _yaml_names(root: SgNode) -> tuple[str, dict[str, str]]:
    """Return the name of the yaml module here, and local names imported from it with their own names."""
    module, names = "", {}
    for node in walk(root):
        if node.kind() == "import_statement" and (
            match := re.search(r"\bimport yaml(?: as (\w+))?$", node.text())
        ):
            module = match[1] or "yaml"
        elif node.kind() == "import_from_statement" and re.match(
            r"from yaml(?:\.loader)?\s+import\b", node.text()
        ):
            for name, alias in re.findall(r"(\w+)(?:\s+as\s+(\w+))?", node.text().split("import", 1)[1]):
                names[alias or name] = name
    return module, names


def _call_edits(source: Source, call: SgNode, module: str, names: dict[str, str]) -> tuple[Edit, ...]:
    """Return the edits that make one call safe, none when it is no load or safe already."""
    target = call.field("function")
    if target is None or not positional(call):
        return ()
    owner, _, name = callee(call).rpartition(".")
    name = name if owner else names.get(name, "")
    if (owner and owner != module) or name not in _SAFE:
        return ()
    loader = _loader(call) if name in {"load", "load_all"} else None
    if loader is not None and not _is_unsafe(loader, module, names):
        return ()
    if not (owner or module):
        return _imported(source, call, name, names)
    return (replace(target, f"{owner or module}.{_SAFE[name]}"), *_without(source, loader))


def _imported(source: Source, call: SgNode, name: str, names: dict[str, str]) -> tuple[Edit, ...]:
    """Return the edits for a function imported by name: the safe one of its kind is imported beside it."""
    target, loader = call.field("function"), _loader(call)
    if name not in {"load", "load_all"}:
        safe, needed = _safe_name(source, names, _SAFE[name])
        return (replace(target, safe), *needed) if target is not None else ()
    safe, needed = _safe_name(source, names, "SafeLoader")
    if loader is not None:
        return (replace(loader, safe), *needed)
    last = arguments(call)[-1]
    return (replace(last, f"{last.text()}, Loader={safe}"), *needed)


def _safe_name(source: Source, names: dict[str, str], wanted: str) -> tuple[str, tuple[Edit, ...]]:
    """Return the local name of something of the yaml module, with the edit that imports it when it is not yet."""
    known = next((local for local, own in names.items() if own == wanted), None)
    if known is not None:
        return known, ()
    statement = next(node for node in walk(source.root) if _is_yaml_import(node))
    last = statement.named_children()[-1]
    start = line_start(source.text, last.range().start.index)
    own_line = not source.text[start : last.range().start.index].strip()
    gap = f"{source.newline}{indent_at(source.text, start)}" if own_line else " "
    return wanted, (replace(last, f"{last.text()},{gap}{wanted}"),)


def _is_yaml_import(node: SgNode) -> bool:
    return node.kind() == "import_from_statement" and _FROM_YAML.match(node.text()) is not None


def _loader(call: SgNode) -> SgNode | None:
    given = keyword(call, "Loader")
    if given is not None:
        return given.field("value")
    return positional(call)[1] if len(positional(call)) > 1 else None


def _is_unsafe(loader: SgNode, module: str, names: dict[str, str]) -> bool:
    owner, _, name = loader.text().rpartition(".")
    return name in _UNSAFE if owner == module and owner else names.get(loader.text(), "") in _UNSAFE


def _without(source: Source, loader: SgNode | None) -> tuple[Edit, ...]:
    """Return the edit that takes the loader argument out with the comma before it."""
    if loader is None:
        return ()
    parent = loader.parent()
    node = parent if parent is not None and parent.kind() == "keyword_argument" else loader
    span = node.range()
    comma = source.text.rfind(",", 0, span.start.index)
    return (Edit(start=comma, end=span.end.index, text=""),)


def _loader_class(node: SgNode, module: str, names: dict[str, str]) -> Iterator[Fix]:
    """Yield loader classes whose base is an unsafe loader of the module."""
    bases = node.field("superclasses")
    for base in bases.named_children() if bases is not None else ():
        if module and _is_unsafe(base, module, names) and base.text().startswith(f"{module}."):
            name = "CSafeLoader" if base.text().rpartition(".")[2].startswith("C") else "SafeLoader"
            yield Fix(
                line=line_of(node),
                symbol=symbol_of(base),
                edits=(replace(base, f"{module}.{name}"),),
                reason=_REASON,
            )


def _javascript(source: Source) -> Iterator[Fix | Refusal]:
    """Yield js-yaml loads that take the full schema of version 3; version 4 keeps what it has."""
    match = re.search(
        r"([\w$]+)\s*=\s*require\(\s*['\"]js-yaml['\"]\s*\)|import\s+(?:\*\s*as\s+)?([\w$]+)\s+from\s+['\"]js-yaml['\"]",
        source.text,
    )
    if match is None:
        return
    module = match[1] or match[2]
    for node in walk(source.root):
        if node.kind() != "call_expression" or callee(node) not in {f"{module}.load", f"{module}.loadAll"}:
            continue
        yield from _schema(node, module)


def _schema(call: SgNode, module: str) -> Iterator[Fix | Refusal]:
    """Yield the safe schema by name: version 3 obeys it, in version 4 it is undefined, which means the safe default."""
    handed = arguments(call)
    safe = f"schema: {module}.DEFAULT_SAFE_SCHEMA"
    if len(handed) == 1 and callee(call).endswith(".load"):
        edit = replace(handed[0], f"{handed[0].text()}, {{ {safe} }}")
    elif handed and handed[-1].kind() == "object" and "schema" not in handed[-1].text():
        inside = handed[-1].text()[1:].lstrip()
        edit = replace(handed[-1], f"{{ {safe}{' ' if inside == '}' else ', '}{inside}")
    elif handed and "SCHEMA" in handed[-1].text() and "FULL" not in handed[-1].text():
        return
    else:
        yield Refusal(
            line=line_of(call), reason="the schema is chosen elsewhere; name DEFAULT_SAFE_SCHEMA there"
        )
        return
    yield Fix(
        line=line_of(call),
        symbol=symbol_of(call),
        edits=(edit,),
        reason="the default schema of js-yaml 3 builds functions",
    )


RULE = WeaknessRule(
    name="yaml-load",
    cwes=frozenset({"CWE-502"}),
    words=re.compile(r"\byaml\b", re.IGNORECASE),
    detectors={"python": _python, "javascript": _javascript},
    summary="Load YAML as plain data",
)

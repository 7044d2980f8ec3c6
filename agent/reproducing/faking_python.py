"""What a Python proof may not do. Pure."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PATH_WRITERS: Final = frozenset(
    {"write_text", "write_bytes", "unlink", "rename", "symlink_to", "touch", "rmdir", "hardlink_to"}
)
_WRITERS: Final = frozenset(
    {
        f"os.{name}"
        for name in ("remove", "unlink", "rename", "replace", "symlink", "link", "truncate", "rmdir")
    }
    | {f"shutil.{name}" for name in ("copy", "copy2", "copyfile", "copytree", "move", "rmtree")}
)
_EXITS: Final = frozenset({"sys.exit", "os._exit", "exit", "quit", "SystemExit"})
_PRINTS: Final = frozenset(
    {"print", "pprint", "pprint.pprint", "sys.stdout.write", "json.dumps", "str", "repr"}
)
_PATCHERS: Final = frozenset({"patch", "patch.object", "patch.dict", "patch.multiple", "setattr"})


def faults(code: str, project: Collection[str]) -> Iterator[str]:
    """Yield what the program may not do and does, one line each."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError) as error:
        yield f"the program does not parse: {error}"
        return
    nodes = list(ast.walk(tree))
    yield from _exits(nodes)
    ours = _imported(nodes, project)
    inside = _tree_names(nodes)
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _call(node, ours, inside, project)
        for target in _targets(node):
            yield from _assignment(target, ours)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("/proc/"):
            yield "the program reads /proc; use a file that it made itself"


def _exits(nodes: list[ast.AST]) -> Iterator[str]:
    """Tell of an exit code that cannot depend on what was seen: there is one for vulnerable and one for safe."""
    codes = [
        node.args[0] if node.args else ast.Constant(0)
        for node in nodes
        if isinstance(node, ast.Call) and _name(node.func) in _EXITS
    ]
    literal = {code.value for code in codes if isinstance(code, ast.Constant)}
    if not codes:
        yield "the program never sets its exit code: 0 when vulnerable, 1 when safe"
    elif all(isinstance(code, ast.Constant) for code in codes) and not {0, 1} <= literal:
        yield "the exit code does not depend on what was seen: 0 when vulnerable, 1 when safe"


def _imported(nodes: list[ast.AST], project: Collection[str]) -> frozenset[str]:
    """Return the names that modules of the project are bound to."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {
                (item.asname or item.name).partition(".")[0]
                for item in node.names
                if item.name.partition(".")[0] in project
            }
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in project:
            names |= {item.asname or item.name for item in node.names}
    return frozenset(names)


def _tree_names(nodes: list[ast.AST]) -> frozenset[str]:
    """Return the names of variables that hold a path into the project."""
    names: set[str] = set()
    for _ in range(3):  # a path is joined in few steps
        for node in nodes:
            if isinstance(node, ast.Assign) and _in_tree(node.value, frozenset(names)):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(names)


def _in_tree(node: ast.AST, names: frozenset[str]) -> bool:
    """Tell whether an expression is a path into the project; a call of other code gives something else."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and (
            node.value in {"CASE_TREE", "/work"} or node.value.startswith("/work/")
        )
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Call):
        called = _name(node.func).rpartition(".")[2]
        if called not in {
            "join",
            "Path",
            "get",
            "getenv",
            "str",
            "abspath",
            "joinpath",
            "resolve",
            "getcwd",
            "cwd",
        }:
            return False
        return called in {"getcwd", "cwd"} or any(
            _in_tree(child, names) for child in ast.iter_child_nodes(node)
        )
    return any(_in_tree(child, names) for child in ast.iter_child_nodes(node))


def _call(
    node: ast.Call, ours: frozenset[str], inside: frozenset[str], project: Collection[str]
) -> Iterator[str]:
    name = _name(node.func)
    if _written(node, name, inside):
        yield "the program writes into the project; use a temporary folder"
    if _is_patch(name) and node.args and _names_project(node.args[0], ours, project):
        yield "the program replaces code of the project"
    if name in _PRINTS and any(_whole_environment(part) for part in node.args):
        yield "the program prints the environment"


def _written(node: ast.Call, name: str, inside: frozenset[str]) -> bool:
    """Tell whether a call writes at a path into the project."""
    if name in {"open", "io.open"}:
        return bool(node.args) and _writes(node) and _in_tree(node.args[0], inside)
    if name in _WRITERS:
        return any(_in_tree(part, inside) for part in node.args[-1:])
    method = isinstance(node.func, ast.Attribute) and node.func.attr in _PATH_WRITERS
    return method and _in_tree(node.func.value, inside)  # type: ignore[attr-defined] # it is an attribute


def _is_patch(name: str) -> bool:
    return any(name == one or name.endswith(f".{one}") for one in _PATCHERS)


def _writes(node: ast.Call) -> bool:
    modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
    return any(isinstance(mode, ast.Constant) and set("wax+") & set(str(mode.value)) for mode in modes)


def _names_project(node: ast.AST, ours: frozenset[str], project: Collection[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.partition(".")[0] in project
    return _root(node) in ours


def _whole_environment(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _name(node.func) in {
            "dict",
            "str",
            "repr",
            "json.dumps",
            "os.environ.items",
            "os.environ.copy",
        } and ("environ" in ast.dump(node))
    return isinstance(node, ast.Attribute) and _name(node) == "os.environ"


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else []


def _assignment(target: ast.expr, ours: frozenset[str]) -> Iterator[str]:
    if isinstance(target, ast.Attribute) and _root(target) in ours:
        yield "the program replaces code of the project"
    if isinstance(target, ast.Subscript) and _name(target.value) == "sys.modules":
        yield "the program replaces modules"


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _name(node: ast.AST) -> str:
    """Return a dotted name, or as much of its end as is one."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts += [node.id] if isinstance(node, ast.Name) else []
    return ".".join(reversed(parts))

"""What a changed file reaches for that it did not before: modules that neither language nor project has."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from typing import TYPE_CHECKING, Final

from agent.syntax.source import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_REQUIRED: Final = re.compile(r"""\b(?:require\(|from\s+|import\s+|import\()\s*['"]([^'"]+)['"]""")
_NODE: Final = frozenset({
    "assert", "async_hooks", "buffer", "child_process", "cluster", "constants", "crypto", "dgram", "dns", "events",
    "fs", "http", "http2", "https", "module", "net", "os", "path", "perf_hooks", "process", "punycode",
    "querystring", "readline", "stream", "string_decoder", "timers", "tls", "tty", "url", "util", "v8", "vm",
    "worker_threads", "zlib",
})  # fmt: skip
_MANIFESTS: Final = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "Pipfile", "package.json")
_LONGEST: Final = 2_000_000


def new_modules(path: str, before: str, after: str, tree: Path) -> tuple[str, ...]:
    """Return the top-level modules that ``after`` imports, ``before`` does not, and nothing here provides.

    Provided is what the language has, what lies in the tree, and what one of the project's manifests names.
    """
    if language_of(path) == "python":
        fresh = sorted(set(_python(after)) - set(_python(before)) - sys.stdlib_module_names)
    else:
        fresh = sorted(set(_javascript(after)) - set(_javascript(before)) - _NODE)
    return tuple(name for name in fresh if not _is_provided(name, tree))


def _python(text: str) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the project's own strings
        try:
            nodes = list(ast.walk(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError):
            return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _javascript(text: str) -> Iterator[str]:
    for named in _REQUIRED.findall(text):
        if named.startswith((".", "/", "node:")):
            continue
        parts = named.split("/")
        yield "/".join(parts[:2]) if named.startswith("@") else parts[0]


def _is_provided(name: str, tree: Path) -> bool:
    places = (
        tree / name,
        tree / f"{name}.py",
        tree / "src" / name,
        tree / "src" / f"{name}.py",
        tree / "lib" / name,
    )
    return any(place.exists() for place in places) or any(
        re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", _text(tree / manifest)) for manifest in _MANIFESTS
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace") if path.stat().st_size < _LONGEST else ""
    except OSError:
        return ""

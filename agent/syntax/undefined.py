"""Names that an edit uses and nothing defines: what would only fail when the line runs. Pure.

Python is read by pyflakes, which knows its scopes. In JavaScript and TypeScript a name counts when the file binds
it nowhere, uses it nowhere before the edit, and neither the language nor its hosts have it: rather one too few.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING, Final

from ast_grep_py import SgRoot
from pyflakes.checker import Checker
from pyflakes.messages import UndefinedLocal, UndefinedName

from agent.syntax.nodes import walk
from agent.syntax.source import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")
_KNOWN: Final = frozenset(
    """
    undefined NaN Infinity globalThis global window self document navigator location this super arguments
    Object Function Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError
    URIError Number BigInt Math Date String RegExp Array Map Set WeakMap WeakSet WeakRef ArrayBuffer
    SharedArrayBuffer Atomics DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array
    Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array JSON Promise Proxy Reflect Intl Iterator
    eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent escape
    unescape console process Buffer require module exports __dirname __filename setTimeout clearTimeout
    setInterval clearInterval setImmediate clearImmediate queueMicrotask structuredClone fetch Headers Request
    Response FormData Blob File URL URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event
    EventTarget MessageChannel performance crypto atob btoa XMLHttpRequest WebSocket Node Element HTMLElement
    DOMParser localStorage sessionStorage requestAnimationFrame cancelAnimationFrame describe it test expect
    before after beforeEach afterEach beforeAll afterAll jest vi suite
    """.split()  # noqa: SIM905 - a hundred names are read more easily so
)
_BINDERS: Final = frozenset({
    "variable_declarator", "function_declaration", "generator_function_declaration", "class_declaration",
    "class", "function_expression", "generator_function", "function", "enum_declaration", "import_alias",
    "internal_module", "module", "function_signature", "abstract_class_declaration", "type_parameter",
})  # fmt: skip
_PATTERNS: Final = frozenset({
    "formal_parameters", "import_clause", "import_specifier", "namespace_import", "catch_clause",
    "array_pattern", "object_pattern", "rest_pattern", "assignment_pattern", "labeled_statement",
})  # fmt: skip


def undefined_names(path: str, before: str, after: str) -> tuple[tuple[int, str], ...]:
    """Return line and name of each undefined name that ``after`` has and ``before`` had not, in file order.

    Both texts must parse; a file of another language has none.
    """
    language = language_of(path)
    if language == "python":
        known = {name for _, name in _python(before)}
        return tuple(found for found in _python(after) if found[1] not in known)
    if language is None:
        return ()
    return tuple(_javascript(before, after, language))


def _python(text: str) -> list[tuple[int, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the project's own strings
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return []
    found = [
        (message.lineno, str(message.message_args[0]))
        for message in Checker(tree).messages
        if isinstance(message, (UndefinedName, UndefinedLocal))
    ]
    return sorted(dict.fromkeys(found))


def _javascript(before: str, after: str, language: str) -> Iterator[tuple[int, str]]:
    root = SgRoot(after, language).root()
    fine = _KNOWN | set(_WORD.findall(before)) | set(_bound(root))
    seen: set[str] = set()
    for node in walk(root):
        name = node.text()
        if node.kind() == "identifier" and name not in fine and name not in seen:
            seen.add(name)
            yield node.range().start.line + 1, name


def _bound(root: SgNode) -> Iterator[str]:
    """Yield every name that a declaration, a parameter, an import or a pattern anywhere in the file binds."""
    for node in walk(root):
        if node.kind() in _BINDERS:
            named = node.field("name")
            yield from _names(named) if named is not None else ()
        elif node.kind() in _PATTERNS:
            yield from _names(node)
        elif node.kind() == "arrow_function":
            single = node.field("parameter")
            yield from _names(single) if single is not None else ()
        elif node.kind() in {"for_in_statement", "assignment_expression"}:
            left = node.field("left")
            yield from _names(left) if left is not None and node.kind() == "for_in_statement" else ()


def _names(node: SgNode) -> Iterator[str]:
    kinds = {"identifier", "shorthand_property_identifier_pattern", "type_identifier"}
    yield from (child.text() for child in walk(node) if child.kind() in kinds)

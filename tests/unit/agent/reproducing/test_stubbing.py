"""Stubs do nothing, keep the file parsing, and touch the wanted functions only."""

from __future__ import annotations

import pytest

from agent.domain.place import Place
from agent.reproducing.stubbing import Stub, reached_in, stubbed
from agent.syntax.source import parses


@pytest.mark.parametrize(
    ("path", "text", "lines", "expected"),
    [
        ("a.py", "def f():\n    return 1\n", {1}, "def f():\n    return\n    return 1\n"),
        ("a.py", "def f(): return 1\n", {1}, "def f(): return; return 1\n"),
        ("a.py", "@d\ndef f():\n    '''Doc.'''\n", {1}, "@d\ndef f():\n    return\n    '''Doc.'''\n"),
        (
            "a.py",
            "def f():\n    def g():\n        pass\n    g()\n",
            {1, 2},
            "def f():\n    return\n    def g():\n        pass\n    g()\n",
        ),
        ("a.js", "function f (a) { g() }\n", {1}, "function f (a) { return; g() }\n"),
        ("a.js", "const f = a => g(a)\n", {1}, "const f = a => { return; }\n"),
        (
            "a.js",
            "class A {\n  m () {\n    g()\n  }\n}\n",
            {2},
            "class A {\n  m () { return;\n    g()\n  }\n}\n",
        ),
    ],
)
def test_a_function_returns_at_once(path: str, text: str, lines: set[int], expected: str) -> None:
    changes = stubbed({(path, line) for line in lines}, lambda _path: text.encode(), Stub.RETURNS)
    assert changes == {path: expected.encode()}
    raising = stubbed({(path, line) for line in lines}, lambda _path: text.encode(), Stub.RAISES)
    assert parses(raising[path].decode(), "python" if path.endswith("py") else "javascript")


def test_a_function_without_a_body_is_left_alone() -> None:
    text = b"abstract class A {\n  m (): void {\n  }\n}\ndeclare function f (): void\n"
    changes = stubbed({("a.ts", 2), ("a.ts", 5)}, lambda _path: text, Stub.RETURNS)
    assert changes == {"a.ts": text.replace(b"void {\n", b"void { return;\n")}


def test_line_ends_are_kept() -> None:
    changes = stubbed({("a.py", 1)}, lambda _path: b"def f():\r\n    return 1\r\n", Stub.RETURNS)
    assert changes == {"a.py": b"def f():\r\n    return\r\n    return 1\r\n"}


@pytest.mark.parametrize("given", [None, b"\0", b"def (", b"x = 1\n"])
def test_what_cannot_be_stubbed_is_left_out(given: bytes | None) -> None:
    assert stubbed({("a.py", 1)}, lambda _path: given, Stub.RAISES) == {}


SOURCE = (
    b"def before(): pass\n@one(\n  1)\ndef sink():\n    def inner(): pass\n    inner()\ndef after(): pass\n"
)


@pytest.mark.parametrize("content", [SOURCE, None])
def test_only_functions_that_ran_within_the_sinks_are_stubbed(content: bytes | None) -> None:
    sink = Place(path="a.py", start_line=4, end_line=6, symbol="sink")
    ran = {("a.py", 1), ("a.py", 2), ("a.py", 5), ("a.py", 7), ("b.py", 5)}
    expected = {("a.py", 2), ("a.py", 5)} if content else {("a.py", 5)}
    assert reached_in([sink], ran, lambda _path: content) == expected

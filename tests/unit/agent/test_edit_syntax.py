"""What tells edits apart, and what they leave undefined."""

from __future__ import annotations

import pytest

from agent.syntax.faults import fault_of
from agent.syntax.shape import shape_of
from agent.syntax.undefined import undefined_names


@pytest.mark.parametrize(
    ("path", "one", "other", "same"),
    [
        ("a.py", b"x = 1\n", b"x  =  1  # one\n", True),
        ("a.py", b"x = 1\n", b"x = 2\n", False),
        ("a.js", b"let x = 1;\n", b"/* a */ let x  = 1; // b\n", True),
        ("a.js", b"let x = 1;\n", b"let x = 2;\n", False),
        ("a.txt", b"a\n\n  b\n", b"a\nb\n", True),
        ("a.py", b"x = (\n", b"  x = (\n\n", True),
        ("a.py", b"\xef\xbb\xbfx = 1\n", b"x = 1\n", True),
    ],
)
def test_comments_and_white_space_make_no_other_program(
    path: str, one: bytes, other: bytes, *, same: bool
) -> None:
    assert (shape_of(path, one) == shape_of(path, other)) == same


def test_a_deleted_file_has_no_shape() -> None:
    assert shape_of("a.py", None) == ""


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("a.py", "", "import os\nos.sep\nmissing()\n", ((3, "missing"),)),
        ("a.py", "odd()\n", "odd()\nodd(1)\n", ()),
        ("a.py", "", "def f(x):\n    return x + y\n", ((2, "y"),)),
        ("a.py", "x = (", "y", ((1, "y"),)),
        ("a.js", "", "const fs = require('fs');\nfs.x(); missing();\n", ((2, "missing"),)),
        ("a.js", "old();", "old(); old();", ()),
        ("a.js", "", "function f({a, b}, ...rest) { return a + b + rest; }", ()),
        (
            "a.js",
            "",
            "import {x as y, z} from 'm';\nfor (const k of y) z(k);\ntry {} catch (e) { z(e); }",
            (),
        ),
        ("a.js", "", "const g = v => v + w;\nfor (i in g) i;", ((1, "w"),)),
        ("a.ts", "", "class A<T> { m(p: T) { return p; } }\nenum E { B }\nnew A(); E.B;", ()),
        ("a.txt", "", "anything", ()),
    ],
)
def test_a_name_that_nothing_defines_is_found_once(
    path: str, before: str, after: str, expected: tuple[tuple[int, str], ...]
) -> None:
    assert undefined_names(path, before, after) == expected


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [
        ("x = 1\n", "python", None),
        ("x = 1\ny = (\n", "python", 2),
        ("let a = ;\n", "javascript", 1),
        ("x\0", "python", 1),
    ],
)
def test_a_fault_names_its_line(text: str, language: str, line: int | None) -> None:
    found = fault_of(text, language)
    assert (found[0] if found else None) == line

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.files.outline import outline

PYTHON = """import os

class Reader(Base):
    limit = 3

    @property
    def size(self):
        def inner(): ...
        return 1

    async def read(self): ...

if os:
    def helper():
        pass
"""
SCRIPT = """(function (root, factory) {
  root.x = factory()
})(this, function () {
  function parse (text) { return text }
  const trim = (s) => s.trim()
  exports.get = function (a) { return a }
  class Box { open () { return 1 } }
  return { set: function (v) { return v } }
})
"""


def named(path: str, text: str) -> list[tuple[str, str, int, int]]:
    return [
        (one.name, one.kind, one.start_line, one.end_line)
        for one in outline(path, text)
        if one.kind != "module"
    ]


def test_python_classes_methods_and_functions_are_found_with_their_lines() -> None:
    assert named("a.py", PYTHON) == [
        ("Reader", "class", 3, 11),
        ("Reader.size", "function", 7, 9),
        ("Reader.read", "function", 11, 11),
        ("helper", "function", 14, 15),
    ]


def test_script_functions_are_found_inside_of_module_wrappers_and_behind_names() -> None:
    assert [(name, kind) for name, kind, _, _ in named("a.js", SCRIPT)] == [
        ("parse", "function"),
        ("trim", "function"),
        ("exports.get", "function"),
        ("Box", "class"),
        ("Box.open", "function"),
        ("set", "function"),
    ]


def test_typescript_interfaces_count_as_classes() -> None:
    assert named("a.ts", "export interface Shape { area(): number }\n") == [("Shape", "class", 1, 1)]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", "func (s *Server) Close() error {\n\treturn nil\n}\n\ntype Server struct {\n}\n", ["Close", "Server"]),
        ("a.rs", "pub struct Key;\nimpl Key {\n    pub fn new() -> Self { Key }\n}\n", ["Key", "Key", "Key.new"]),
        ("a.rb", "class Jar\n  def parse(text)\n  end\nend\n", ["Jar", "Jar.parse"]),
        ("a.c", "static int\nread_all(FILE *f)\n{\n}\nint main(void)\n{\n  if (x) return f(2);\n}\n", ["main"]),
        ("A.java", "public class A {\n    public String name(int x) {\n    }\n}\n", ["A", "A.name"]),
        ("a.md", "# Setup\ntext\n\nUsage\n=====\nmore\n", ["Setup", "Usage"]),
    ],
)  # fmt: skip
def test_other_languages_are_outlined_by_their_keywords(path: str, text: str, expected: list[str]) -> None:
    assert [name for name, *_ in named(path, text)] == expected


def test_a_definition_ends_where_the_next_of_its_depth_begins() -> None:
    assert named("a.rb", "class A\n  def b\n  end\n\n  def c\n  end\nend\nclass D\nend\n") == [
        ("A", "class", 1, 7),
        ("A.b", "function", 2, 4),
        ("A.c", "function", 5, 7),
        ("D", "class", 8, 10),
    ]


def test_lines_outside_of_every_definition_are_windows_of_at_most_sixty() -> None:
    windows = [(one.start_line, one.end_line) for one in outline("a.py", "x = 1\n" * 130)]

    assert windows == [(1, 60), (61, 120), (121, 131)]


def test_deeply_nested_code_needs_no_recursion() -> None:
    assert outline("a.js", "{" * 20_000 + "}" * 20_000)[-1].kind == "module"


@given(st.text(max_size=300), st.sampled_from(["a.py", "a.js", "a.ts", "a.c", "a.md", "a"]))
def test_any_text_is_covered_line_by_line(text: str, path: str) -> None:
    found = outline(path, text)
    covered = {line for one in found for line in range(one.start_line, one.end_line + 1)}

    assert set(range(1, text.count("\n") + 2)) <= covered

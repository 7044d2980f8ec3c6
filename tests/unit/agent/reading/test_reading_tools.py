"""The four tools: exact, bounded, never outside of the tree, and mistakes are answered with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.domain.conversation import ToolCall
from agent.reading import ReadableTree, ReadingTools, searching, tree
from agent.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agent.workspace import Workspace

APP = '''"""An app."""
import os


@cached
def load(name):
    """Load it."""
    return open(os.path.join(ROOT, name)).read()


class Store:
    def load(self, name):
        return load(name)

    def reload(self):
        return [load(n) for n in self.names]
'''
SERVER = "const fs = require('fs')\nexports.$get = function (p) {\n  return fs.readFileSync(p) // TODO\n}\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "app.py").write_text(APP)
    (project / "src" / "server.js").write_text(SERVER)
    (project / "src" / "data.bin").write_bytes(b"load\0")
    (project / "README.md").write_text("Call load\u202e here.\n")
    (tmp_path / "secret.py").write_text("load = 'secret'\n")
    (project / "src" / "link.py").symlink_to(tmp_path / "secret.py")
    with open_workspace(project, parent=tmp_path) as opened:
        yield opened


def use(workspace: Workspace, name: str, /, **arguments: object) -> str:
    tools = ReadingTools(tree=ReadableTree(workspace=workspace))
    return tools.use(ToolCall(id="1", name=name, arguments=arguments))


def test_the_model_is_told_of_four_tools(workspace: Workspace) -> None:
    described = ReadingTools(tree=ReadableTree(workspace=workspace)).descriptions
    names = ["search_string", "find_definition", "find_references", "read_file"]
    assert [one.name for one in described] == names


def test_a_literal_is_found_with_its_lines_and_hidden_characters_are_shown(workspace: Workspace) -> None:
    found = use(workspace, "search_string", text="load")
    assert "src/app.py:13: return load(name)" in found
    assert "README.md:1: Call load[U+202E] here." in found
    assert "data.bin" not in found
    assert "secret" not in found


@pytest.mark.parametrize("path", ["src", "src/", "./src/server.js", "*.js", "server.js", "src/*.js"])
def test_a_path_narrows_the_search(workspace: Workspace, path: str) -> None:
    assert use(workspace, "search_string", text="readFile", path=path).startswith("src/server.js:3:")


def test_case_and_expressions_are_options(workspace: Workspace) -> None:
    assert use(workspace, "search_string", text="todo") == "Nothing matches 'todo'."
    assert use(workspace, "search_string", text="todo", ignore_case=True).startswith("src/server.js:3")
    assert use(workspace, "search_string", text=r"\bimport\s+os$", regex=True) == "src/app.py:2: import os"
    assert "in src" in use(workspace, "search_string", text="no such", path="src")


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"text": "("}, "Nothing matches"),
        ({"text": "(", "regex": True}, "no regular expression"),
        ({"text": " "}, "1 to 400"),
        ({"text": "x" * 401}, "1 to 400"),
        ({}, "text: Field required"),
        ({"text": "x", "command": "rm"}, "command: Extra inputs"),
    ],
)
def test_a_bad_search_is_answered_with_what_to_do(
    workspace: Workspace, arguments: dict[str, object], advice: str
) -> None:
    if arguments == {"text": "("}:
        assert "src/app.py" in use(workspace, "search_string", **arguments)
        return
    assert advice in use(workspace, "search_string", **arguments)


def test_an_expression_that_never_ends_is_stopped(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SECONDS", 0.2)
    (workspace.tree / "slow.txt").write_text("a" * 5_000 + "\n")
    found = use(workspace, "search_string", text="(a|a)+(a|a)+b", regex=True, path="slow.txt")
    assert "stopped after" in found


def test_hits_are_bounded(workspace: Workspace) -> None:
    (workspace.tree / "many.txt").write_text("needle\n" * 500)
    found = use(workspace, "search_string", text="needle")
    assert found.count("many.txt") == 60
    assert "there are more" in found


def test_output_is_bounded_in_characters(workspace: Workspace) -> None:
    (workspace.tree / "wide.txt").write_text(("needle" + "x" * 500 + "\n") * 50)
    found = use(workspace, "search_string", text="needle")
    assert len(found) < 8_200
    assert "…" in found
    assert "there are more" in found


def test_definitions_are_found_by_plain_and_qualified_names(workspace: Workspace) -> None:
    both = use(workspace, "find_definition", name="load")
    assert "src/app.py:6-8 function load" in both
    assert "src/app.py:12-13 function Store.load" in both
    one = use(workspace, "find_definition", name="Store.load")
    assert "function load\n" not in one
    assert "   13         return load(name)" in one


def test_a_definition_that_is_not_there_and_a_name_that_is_none(workspace: Workspace) -> None:
    assert "No definition of gone" in use(workspace, "find_definition", name="gone")
    assert "no call and no code" in use(workspace, "find_definition", name="load(x)")
    assert "no call and no code" in use(workspace, "find_references", name="")


def test_many_and_long_definitions_are_bounded(workspace: Workspace) -> None:
    for number in range(20):
        (workspace.tree / f"d{number:02}.py").write_text("def twin():\n    pass\n")
    assert "8 more; give `path`" in use(workspace, "find_definition", name="twin")
    (workspace.tree / "long.py").write_text("def long():\n" + "    pass\n" * 100)
    assert "to line 101; use read_file" in use(workspace, "find_definition", name="long")


def test_references_leave_definitions_and_longer_names_out(workspace: Workspace) -> None:
    found = use(workspace, "find_references", name="load", path="src")
    assert found.splitlines() == [
        "src/app.py:13: return load(name)",
        "src/app.py:16: return [load(n) for n in self.names]",
    ]
    assert use(workspace, "find_references", name="$get") == "No use of $get was found."


def test_references_are_bounded(workspace: Workspace) -> None:
    (workspace.tree / "uses.py").write_text("load()\n" * 100)
    assert "there are more" in use(workspace, "find_references", name="load", path="uses.py")


def test_a_range_of_lines_is_read_with_numbers(workspace: Workspace) -> None:
    found = use(workspace, "read_file", path="./src/app.py", start_line=2, end_line=2)
    assert found == "src/app.py, lines 2 to 2 of 16\n    2 import os"
    (workspace.tree / "long.txt").write_text("a\n" * 300)
    assert use(workspace, "read_file", path="long.txt").startswith("long.txt, lines 1 to 200 of 300")


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"path": "src/app.py", "start_line": 0}, "lines 1 to 16"),
        ({"path": "src/app.py", "start_line": 17}, "lines 1 to 16"),
        ({"path": "src/app.py", "start_line": 5, "end_line": 4}, "lines 1 to 16"),
        ({"path": "lib/app.py"}, "Did you mean src/app.py?"),
        ({"path": "src/ap.py"}, "Did you mean src/app.py"),
        ({"path": "zzzzzz"}, "Use search_string"),
        ({"path": "src/link.py"}, "links are not followed"),
        ({"path": "../secret.py"}, "There is no text file"),
        ({"path": "/etc/passwd"}, "There is no text file"),
        ({"path": "a\0b"}, "There is no text file"),
        ({"path": "huge.txt"}, "too large"),
        ({"path": 7}, "path: Input should be"),
    ],
)
def test_a_bad_read_is_answered_with_what_to_do(
    workspace: Workspace, arguments: dict[str, object], advice: str
) -> None:
    (workspace.tree / "huge.txt").write_text("a" * (tree.MOST_BYTES + 1))
    found = use(workspace, "read_file", **arguments)
    assert advice in found
    assert "secret'" not in found


def test_an_unknown_tool_is_answered_with_the_known_ones(workspace: Workspace) -> None:
    assert "There are search_string" in use(workspace, "run_shell", command="env")


def test_changed_files_are_read_as_changed(workspace: Workspace) -> None:
    changes = {"src/app.py": b"def load(): pass\n", "src/server.js": None, "new.py": b"load()\n"}
    tools = ReadingTools(tree=ReadableTree(workspace=workspace, changes=changes))

    def ask(name: str, /, **arguments: object) -> str:
        return tools.use(ToolCall(id="1", name=name, arguments=arguments))

    assert "src/app.py:1-1 function load" in ask("find_definition", name="load")
    assert "new.py:1: load()" in ask("find_references", name="load")
    assert "There is no text file" in ask("read_file", path="src/server.js")


def test_a_name_with_control_characters_is_not_listed(workspace: Workspace) -> None:
    (workspace.tree / "ignore\nall.py").write_text("needle\n")
    assert use(workspace, "search_string", text="needle").startswith("Nothing matches")


def test_a_tree_of_very_many_files_is_cut(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_MOST_FILES", 1)
    assert ReadableTree(workspace=workspace).paths() == ["README.md"]

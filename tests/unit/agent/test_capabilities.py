"""New modules: what an edit may not reach for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.patches.capabilities import new_modules

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "own.py").write_text("")
    (tmp_path / "requirements.txt").write_text("flask>=3\n")
    (tmp_path / "package.json").write_text('{"dependencies": {"@scope/tool": "1"}}')
    return tmp_path


@pytest.mark.parametrize(
    ("path", "after", "expected"),
    [
        ("a.py", "import os.path\nfrom own import x\nimport flask\n", ()),
        ("a.py", "import requests\nfrom yaml.loader import x\n", ("requests", "yaml")),
        ("a.py", "from . import sibling\n", ()),
        ("a.py", "import kept, requests\n", ("requests",)),
        ("a.py", "import (", ()),
        ("a.js", "require('fs'); require('node:url'); require('./x'); require('@scope/tool/y')", ()),
        ("a.js", "import x from 'left-pad'; const y = require('@other/x');", ("@other/x", "left-pad")),
    ],
)
def test_only_what_nothing_provides_is_new(
    tree: Path, path: str, after: str, expected: tuple[str, ...]
) -> None:
    """The language's own, the tree's own, what a manifest names, and what was imported before are fine."""
    assert new_modules(path, "import kept\n" if path.endswith(".py") else "", after, tree) == expected

"""The check of a joined path follows links as the program did, and refuses in the program's own way."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from tests.integration.attack.projects import PROJECTS
from tests.unit.rules.build import applied, build_file, texts

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

FILES = next(project.module for project in PROJECTS if project.rule == "path-traversal")
ABSENT = FILES.replace("    with", "    if not os.path.exists(path):\n        return None\n    with")
HANDLED = """import os


def read(folder, name):
    try:
        path = os.path.join(folder, name)
        with open(path) as file:
            return file.read()
    except OSError:
        return None
"""


def fixed(text: str, folder: Path) -> ModuleType:
    """Return the module as the rule leaves it, loaded."""
    path = folder / "fixed.py"
    path.write_text(texts(applied("path-traversal", build_file(text)))[0])
    spec = importlib.util.spec_from_file_location("fixed", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a root that is a link itself, with a link to a file that the operator keeps elsewhere."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("a")
    (tmp_path / "shared.txt").write_text("shared")
    (tmp_path / "real" / "b.txt").symlink_to(tmp_path / "shared.txt")
    (tmp_path / "site").symlink_to(tmp_path / "real")
    return tmp_path / "site"


@pytest.mark.parametrize("text", [FILES, ABSENT, HANDLED], ids=["plain", "absent", "handled"])
@pytest.mark.parametrize("ending", ["", "/", "/."])
def test_links_of_the_operator_are_followed(text: str, ending: str, site: Path, tmp_path: Path) -> None:
    read = fixed(text, tmp_path).read
    assert (read(f"{site}{ending}", "a.txt"), read(f"{site}{ending}", "b.txt")) == ("a", "shared")


@pytest.mark.parametrize("name", ["../shared.txt", "./../shared.txt", "x/../../shared.txt"])
def test_a_path_outside_is_refused_in_the_functions_own_way(name: str, site: Path, tmp_path: Path) -> None:
    (tmp_path / "real" / "x").mkdir()
    with pytest.raises(ValueError, match="path leaves its directory"):
        fixed(FILES, tmp_path).read(str(site.resolve()), name)
    assert fixed(ABSENT, tmp_path).read(str(site.resolve()), name) is None
    assert fixed(HANDLED, tmp_path).read(str(site.resolve()), name) is None

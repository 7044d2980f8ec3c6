"""The house stands as it was drawn: sizes, names, layers, no surprises at import."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "handlers", "evaluation", "agent", "retrieval")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
FORBIDDEN_NAMES = ("util", "utils", "helper", "helpers", "misc", "common", "manager", "base", "info")
FORBIDDEN_CLASSES = ("Manager", "Helper", "Util", "Base", "Info")
SDK_HOMES = {
    "github": ("bot/github/",),
    "dbos": ("bot/jobs/", "bot/app.py"),
    "faiss": ("retrieval/",),
    "bm25s": ("retrieval/", "evaluation/localization_engines.py"),
    "rank_bm25": ("retrieval/", "evaluation/localization_engines.py"),
    "ast_grep_py": ("agent/rules/", "agent/syntax/", "agent/attack/", "agent/oracles/", "agent/reproducing/"),
    "openai": ("agent/llm/", "retrieval/embedders/", "bot/doctor/"),
    "flask": ("bot/setup/", "bot/pages/"),
}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long(module: Path) -> None:
    """Above 400 lines a file holds more than one thing."""
    assert len(module.read_text("utf-8").splitlines()) <= 400


def test_no_stray_modules() -> None:
    """A name that says nothing hides things that belong elsewhere."""
    assert [path for path in MODULES if path.stem in FORBIDDEN_NAMES] == []


def test_no_class_is_named_for_nothing() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and node.name.endswith(FORBIDDEN_CLASSES)
    ]
    assert found == []


def test_no_dependency_owns_our_package_names() -> None:
    """The packages have generic names: in Suture's environment they must be ours alone."""
    owners = {
        name: {distribution.name for distribution in distributions() if _owns(distribution, name)}
        for name in PACKAGES
    }
    assert {name: names - {"suture"} for name, names in owners.items()} == {name: set() for name in PACKAGES}


def _owns(distribution: object, name: str) -> bool:
    files = getattr(distribution, "files", None) or []
    return any(file.parts[0] == name and file.suffix == ".py" for file in files)


def test_import_has_no_side_effects() -> None:
    """Importing everything opens no socket, starts no program, writes no file and no output."""
    program = """
import importlib, pkgutil, sys
seen = []
WATCHED = {"socket.connect", "subprocess.Popen", "os.system", "os.mkdir", "os.remove", "os.rename"}
def ours():
    # the nearest caller that is not the standard library decides whose deed it is
    frame = sys._getframe(2)
    while frame:
        name = frame.f_code.co_filename
        if "site-packages" in name:
            return False
        if name.startswith(sys.argv[1]):
            return True
        frame = frame.f_back
    return True
def hook(event, arguments):
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    if (event in WATCHED or writes) and ours():
        seen.append((event, str(arguments)[:200]))
sys.dont_write_bytecode = True
sys.addaudithook(hook)
for name in sys.argv[2:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        if not module.name.endswith("__main__") and ".migrations" not in module.name and ".inside" not in module.name:
            importlib.import_module(module.name)
sys.exit("\\n".join(map(str, seen)) if seen else 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, f"{ROOT}/", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_sdks_are_imported_by_their_adapters_only() -> None:
    found = []
    for path in MODULES:
        place = str(path.relative_to(ROOT))
        for name in _imported(path):
            homes = SDK_HOMES.get(name.split(".")[0])
            if homes and not place.startswith(homes):
                found.append(f"{place} imports {name}")
    assert found == []


def _imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return names


def test_the_environment_is_read_in_one_place() -> None:
    """``os.environ`` is read by the settings; elsewhere only to hand ``PATH`` and the like to a program."""
    allowed = {"bot/settings.py"}
    readers = {
        str(path.relative_to(ROOT))
        for path in MODULES
        if "inside" not in path.parts  # programs that run in the sandbox
        and any(
            isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
        )
    }
    passing_on = {place for place in readers - allowed if _only_passes_on(ROOT / place)}
    assert readers - allowed - passing_on == set()


def _only_passes_on(path: Path) -> bool:
    """Tell whether the file only copies variables into a program's environment."""
    return "SUTURE_" not in path.read_text("utf-8")

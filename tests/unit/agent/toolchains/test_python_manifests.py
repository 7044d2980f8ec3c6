"""Python manifests and lock files are read, never run."""

from __future__ import annotations

import pytest

from agent.toolchains.python_manifests import PythonFacts, facts, pep440, requirement_files, setup_arguments
from tests.unit.agent.toolchains.snapshots import build_snapshot


def test_no_manifest_is_no_project() -> None:
    assert (
        facts(build_snapshot({"README.md": "x", "pyproject.toml": "[tool.black]"}, "a.py")) == PythonFacts()
    )


def test_a_standard_project() -> None:
    found = facts(build_snapshot({"pyproject.toml": """
[build-system]
requires = ["hatchling", "hatch-vcs"]
[project]
name = "My.Thing"
requires-python = ">=3.9"
[project.optional-dependencies]
test = ["pytest"]
[dependency-groups]
dev = ["mock"]
""", "CHANGES.md": "# Changes\n## v1.4.2 (2024)\n"}))  # fmt: skip

    assert (found.name, found.manager, found.origin, found.installable) == (
        "My.Thing",
        "pip",
        "pyproject.toml",
        True,
    )
    assert (found.requires_python, found.extras, found.groups) == (
        ">=3.9",
        frozenset({"test"}),
        frozenset({"dev"}),
    )
    assert found.scm_version == "1.4.2"


@pytest.mark.parametrize(
    ("more", "version"),
    [({"PKG-INFO": "Name: x\nVersion: 2.0\n"}, "2.0"), ({}, "1.0.0"), ({"NEWS.rst": "none"}, "1.0.0")],
)
def test_the_version_that_git_would_tell(more: dict[str, str], version: str) -> None:
    found = facts(
        build_snapshot({"setup.py": "setup(use_scm_version=True, setup_requires=['setuptools_scm'])", **more})
    )

    assert found.scm_version == version


def test_setup_py_and_setup_cfg() -> None:
    setup = """
import setuptools
extras = {"dev": ["x"], **other}
name = "thing"
setuptools.setup(name=name, extras_require=extras, tests_require=["mock", bad()], python_requires=">=3.8", **more)
"""
    found = facts(build_snapshot({"setup.py": setup, "setup.cfg": "[options.extras_require]\ndocs = sphinx"}))
    cfg = facts(build_snapshot({"setup.cfg": "[metadata]\nname = a\n[options]\npython_requires = >=3.6"}))

    assert (found.name, found.extras, found.requires_python) == ("thing", frozenset({"dev", "docs"}), ">=3.8")
    assert (cfg.origin, cfg.name, cfg.requires_python, cfg.installable) == ("setup.cfg", "a", ">=3.6", False)


@pytest.mark.parametrize(
    "text", ["print 'two'", "x = 1", "", "setup(name=undefined)", "setup(name={1: 2}, v={**x})"]
)
def test_what_is_not_literal_is_unknown(text: str) -> None:
    assert not any(setup_arguments(text).values())


def test_literal_lists_of_setup_py() -> None:
    assert setup_arguments("setup(tests_require=['a'])") == {"tests_require": ["a"]}


def test_poetry() -> None:
    found = facts(build_snapshot({"pyproject.toml": """
[tool.poetry]
name = "p"
[tool.poetry.dependencies]
python = "^3.9"
[tool.poetry.dev-dependencies]
python = "^3.9"
mock = "*"
[tool.poetry.group.test.dependencies]
pytest = {version = "^8.1", extras = ["toml"]}
local = {path = "../x"}
odd = 1
[tool.poetry.extras]
all = ["x"]
""", "poetry.lock": """
[[package]]
name = "mock"
version = "5.1.0"
[[package]]
name = "twice"
version = "1"
[[package]]
name = "twice"
version = "2"
[[package]]
name = "own"
version = "1"
[package.source]
url = "https://example.org"
"""}))  # fmt: skip

    assert (found.manager, found.requires_python, found.extras) == ("poetry", "^3.9", frozenset({"all"}))
    assert found.development == ("mock", "pytest[toml]>=8.1,<9", "odd")
    assert found.locked == ("mock==5.1.0",)


def test_pdm_pipenv_and_uv() -> None:
    pdm = facts(build_snapshot({"pyproject.toml": """
[project]
name = "p"
[tool.pdm.dev-dependencies]
test = ["pytest", "-e file:///x"]
"""}))  # fmt: skip
    pipenv = facts(build_snapshot({
        "Pipfile": "[packages]\nflask = '*'\n[dev-packages]\npytest = {version = '<8'}\nown = {path = '.'}\n",
        "Pipfile.lock": '{"default": {"flask": {"version": "==3.0"}, "odd": 1}, "develop": {"x": {"version": ">1"}}}',
    }))  # fmt: skip
    uv = facts(build_snapshot({"pyproject.toml": "[project]\nname = 'u'", "uv.lock": ""}))
    broken = facts(build_snapshot({"Pipfile": "", "Pipfile.lock": "{"}))

    assert (pdm.manager, pdm.development) == ("pdm", ("pytest",))
    assert (pipenv.manager, pipenv.runtime, pipenv.development) == ("pipenv", ("flask",), ("pytest<8",))
    assert pipenv.locked == ("flask==3.0",)
    assert uv.manager == "uv"
    assert broken.locked == ()


def test_a_folder_with_requirements_alone_is_a_project_that_cannot_be_installed() -> None:
    found = facts(build_snapshot({"requirements/test.txt": "pytest"}))

    assert (found.origin, found.installable) == ("requirements/test.txt", False)


def test_an_application_of_poetry_is_not_installed() -> None:
    found = facts(build_snapshot({"pyproject.toml": "[tool.poetry]\npackage-mode = false"}))

    assert found.installable is False


def test_requirement_files_are_known_by_their_names() -> None:
    names = [
        "requirements.txt",
        "dev-requirements.txt",
        "requirements/tests.txt",
        "tests/requirements.txt",
        "docs/x.txt",
    ]

    assert requirement_files(build_snapshot(dict.fromkeys(names, ""))) == tuple(sorted(names[:4]))


@pytest.mark.parametrize(
    ("poetry", "expected"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0", ">=0.0,<0.1"),
        ("~1.2", ">=1.2,<1.3"),
        ("~1", ">=1,<2"),
        ("~=1.2", "~=1.2"),
        ("1.2.*", "==1.2.*"),
        ("*", ""),
        (">=1,<2", ">=1,<2"),
        ("^odd", "^odd"),
    ],
)
def test_poetry_ranges_become_pep_440(poetry: str, expected: str) -> None:
    assert pep440(poetry) == expected


def test_a_document_that_is_broken_says_nothing() -> None:
    broken = "[project\nname = "

    assert facts(build_snapshot({"pyproject.toml": broken, "setup.cfg": broken})) == PythonFacts()

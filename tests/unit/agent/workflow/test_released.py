"""A declared version carries a fix only when it is not below the fixed one of its own line."""

from __future__ import annotations

import pytest
from packaging.version import Version

from agent.workflow.released import carries_fix, declared_version


@pytest.mark.parametrize(
    ("version", "fixed", "expected"),
    [
        ("1.2.3", ["0.2.1", "1.2.3"], True),
        ("1.1.0", ["0.2.1", "1.2.3"], False),
        ("0.2.0", ["0.2.1", "1.2.3"], False),
        ("0.3", ["0.2.1", "1.2.3"], True),
        ("2.0", ["0.2.1", "1.2.3"], True),
        ("2.0", [], False),
        ("2.0", ["not a version"], False),
        ("1.2.3rc1", [">= 1.2.3"], False),
        (None, ["1.0"], False),
    ],
)
def test_release_lines(version: str | None, fixed: list[str], expected: bool) -> None:
    assert carries_fix(Version(version) if version else None, fixed) is expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": '{"version": "1.2.0"}'}, "1.2.0"),
        ({"package.json": "[]"}, None),
        ({"package.json": "{", "setup.cfg": "[metadata]\nversion = 2.1\n"}, "2.1"),
        ({"package.json": '{"version": 3}'}, None),
        ({"PKG-INFO": "Metadata-Version: 2.1\nName: x\nVersion: 0.0.21\n"}, "0.0.21"),
        ({"PKG-INFO": "Name: x\n"}, None),
        ({"pyproject.toml": '[project]\nversion = "3.0b1"\n'}, "3.0b1"),
        ({"pyproject.toml": '[tool.poetry]\nversion = "1!4.0"\n'}, "1"),
        (
            {
                "pyproject.toml": '[project]\ndynamic = ["version"]\n',
                "setup.py": 'setup(\n  version="4.5",\n)',
            },
            "4.5",
        ),
        ({"pyproject.toml": "[", "setup.py": "setup()"}, None),
        ({"package.json": '{"version": "latest"}'}, None),
        ({}, None),
    ],
)
def test_where_a_version_is_declared(files: dict[str, str], expected: str | None) -> None:
    found = declared_version(lambda path: files[path].encode() if path in files else None)
    assert found == (Version(expected) if expected else None)

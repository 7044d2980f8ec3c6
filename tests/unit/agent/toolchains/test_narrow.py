"""A test line can be made to run some files only."""

from __future__ import annotations

import pytest

from agent.toolchains.narrow import narrowed
from tests.unit.agent.toolchains.snapshots import build_snapshot

SNAPSHOT = build_snapshot({}, "tests/test_a.py", "test/a.js", "sub/tests/t.py")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest -q tests -k 'not x'", "pytest -q -k 'not x' new.py"),
        ("pytest", "pytest new.py"),
        ("A=1 python -m pytest -v tests/test_a.py::test_b", "A=1 python -m pytest -v new.py"),
        ("mocha --require test/a.js 'test/*.js'", "mocha --require test/a.js new.py"),
        ("cd sub && pytest tests .", "cd sub && pytest ../new.py"),
        ("python test.py -- -x", "python test.py -- -x"),
        ("make test", "make test"),
        ("", ""),
        ("pytest -k", "pytest -k new.py"),
    ],
)
def test_paths_are_replaced_and_options_stay(line: str, expected: str) -> None:
    assert narrowed(line, ["new.py"], SNAPSHOT) == expected

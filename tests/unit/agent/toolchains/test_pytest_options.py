# ruff: noqa: E501 (a manifest or a row of a table reads better on one line)
"""Pytest's options lose what hides or refuses results, and nothing else."""

from __future__ import annotations

import pytest

from agent.toolchains.pytest_options import added_options, settings, without_noise
from tests.unit.agent.toolchains.snapshots import build_snapshot

ORDER = "-p no:randomly -p no:random_order --continue-on-collection-errors"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest --cov=x --cov-report term tests", "pytest tests"),
        ("pytest --cov x tests", "pytest tests"),
        ("pytest --cov --cov-config .coveragerc -v", "pytest -v"),
        ("pytest -n auto -x --maxfail=1 -k 'a b'", "pytest -k 'a b'"),
        ("pytest -n4 --dist=loadfile --strict-markers", "pytest --strict-markers"),
        ("pytest --junitxml", "pytest"),
        ("pytest --doctest-modules -p x", "pytest --doctest-modules -p x"),
    ],
)
def test_words_on_the_command_line(line: str, expected: str) -> None:
    from agent.toolchains.shell import words

    assert " ".join(without_noise(words(line))) == expected


def test_addopts_are_replaced_only_where_something_comes_off() -> None:
    assert added_options("-ra -q") == ORDER
    assert added_options("-ra --cov=x --flake8 'a b'") == f"-o 'addopts=-ra '\"'\"'a b'\"'\"'' {ORDER}"
    assert added_options("--cov='open") == f"-o addopts= {ORDER}"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"pytest.ini": "[pytest]\naddopts = -q", "setup.cfg": "[tool:pytest]\naddopts=-v"}, ("pytest.ini", {"addopts": "-q"})),
        ({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['-q', 'a b']\nx = true"},
         ("pyproject.toml", {"addopts": "-q 'a b'", "x": "True"})),
        ({"tox.ini": "[pytest]\nminversion\ntestpaths = t"}, ("tox.ini", {"minversion": "", "testpaths": "t"})),
        ({"setup.cfg": "[tool:pytest]\naddopts = -v"}, ("setup.cfg", {"addopts": "-v"})),
        ({"setup.cfg": "[other]"}, ("", {})),
    ],
)  # fmt: skip
def test_settings_are_found_in_pytests_order(
    texts: dict[str, str], expected: tuple[str, dict[str, str]]
) -> None:
    assert settings(build_snapshot(texts)) == expected

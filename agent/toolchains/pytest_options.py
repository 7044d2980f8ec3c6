"""Pytest's command line and ``addopts`` without what would hide, reorder or refuse test results. Pure."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from agent.toolchains.documents import ini, strings, table, toml
from agent.toolchains.shell import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.toolchains.snapshot import Snapshot

DROPPED = re.compile(
    r"^(?:--cov(?:-[\w-]+)?|--no-cov(?:-on-fail)?|-n\d*|-nauto|--numprocesses|--dist|--maxfail|-x|--exitfirst"
    r"|--junit-?xml|--benchmark-[\w-]+|--durations|--flake8|--flakes|--pep8|--pylint|--mypy|--isort|--black|--ruff"
    r"|--pdb|--pdbcls|--reruns(?:-delay)?|--basetemp|--html|--self-contained-html|--color|--forked|--randomly-\w+"
    r"|--instafail|--sw|--stepwise|--lf|--ff|--last-failed|--failed-first|--timeout(?:[-_]method)?|--nf)(?:=.*)?$"
)
# a fixed order, and one file that cannot be read must not keep the others from being run
ALWAYS = "-p no:randomly -p no:random_order --continue-on-collection-errors"
TAKES_VALUE = frozenset(
    {
        *(
            "--cov-config",
            "--cov-report",
            "--cov-fail-under",
            "--cov-context",
            "-n",
            "--numprocesses",
            "--dist",
        ),
        *("--maxfail", "--junitxml", "--junit-xml", "--durations", "--pdbcls", "--reruns", "--reruns-delay"),
        *("--basetemp", "--html", "--color", "--timeout", "--timeout-method", "--timeout_method"),
    }
)


def without_noise(words: Sequence[str]) -> tuple[str, ...]:
    """Return pytest's words without coverage, parallel runs, early stops, linters and report files.

    They need plugins that tell nothing of the tests, or make an exit code speak of coverage.
    """
    kept: list[str] = []
    pending = list(words)
    while pending:
        word = pending.pop(0)
        text = plain(word)
        if not DROPPED.match(text):
            kept.append(word)
        elif (
            "=" not in text and (text in TAKES_VALUE or text == "--cov") and pending and _is_value(pending[0])
        ):
            pending.pop(0)
    return tuple(kept)


def _is_value(word: str) -> bool:
    return not word.startswith("-")


def settings(snapshot: Snapshot) -> tuple[str, dict[str, str]]:
    """Return the file that holds pytest's settings, and them: the first that has any, in pytest's order."""
    for name in ("pytest.ini", ".pytest.ini"):
        if name in snapshot.texts:
            return name, _section(snapshot.text(name), "pytest")
    native = table(toml(snapshot.text("pyproject.toml")), "tool", "pytest", "ini_options")
    if native:
        return "pyproject.toml", {key: _as_text(value) for key, value in native.items()}
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        found = _section(snapshot.text(name), section)
        if found:
            return name, found
    return "", {}


def _as_text(value: object) -> str:
    return " ".join(shlex.quote(one) for one in strings(value)) if isinstance(value, list) else str(value)


def _section(text: str, name: str) -> dict[str, str]:
    found = ini(text)
    return {key: value or "" for key, value in found[name].items()} if found.has_section(name) else {}


def added_options(addopts: str) -> str:
    """Return the ``PYTEST_ADDOPTS`` that replaces the project's ``addopts`` by its harmless part."""
    try:
        words = shlex.split(addopts, comments=True)
    except ValueError:
        words = addopts.split()
    kept = without_noise(words)
    replaced = "" if list(kept) == words else f"-o {shlex.quote('addopts=' + shlex.join(kept))} "
    return f"{replaced}{ALWAYS}"

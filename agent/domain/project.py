"""How a project is installed and tested, and what its tests said."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from agent.domain.execution import Execution, Mount


class TestStatus(StrEnum):
    """The result of one test; an expected failure counts as skipped."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConfig:
    """What the repository configuration says of building; it is believed before anything detected.

    ``committed`` is the day of the tree's commit where that is known; else the newest file tells the age.
    """

    install: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    test: str = ""
    python: str = ""
    node: str = ""
    committed: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPlan:
    """How to install and test one project.

    ``install`` and ``test`` are shell lines run in ``/work``; ``runner`` names the test runner (``pytest``,
    ``mocha``) that reads the results; ``digest`` keys the environment cache (lock files + install lines +
    interpreter + platform); ``origins`` tells, per field, where it was read (``suture.yml``,
    ``.github/workflows/ci.yml``, ``tox.ini``, ``convention`` ...). ``fallbacks`` are other whole sets of install
    lines, tried in order when ``install`` fails; ``build`` are lines run in ``/work`` before each test run and
    each script, because a patched source must be built again; ``interpreter`` is the host's program.
    """

    language: str
    manager: str
    runner: str
    install: tuple[str, ...]
    test: str
    digest: str
    env: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    fallbacks: tuple[tuple[str, ...], ...] = ()
    build: tuple[str, ...] = ()
    interpreter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An installed environment: what to mount and to set so that the project runs from ``/work``."""

    plan: ProjectPlan
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cached: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """Result per test id; with ``usage_error`` the runner never ran the tests (environment, not patch)."""

    __test__ = False

    results: Mapping[str, TestStatus]
    execution: Execution
    usage_error: str | None = None
    complete: bool = True

    def count(self, status: TestStatus) -> int:
        """Return how many tests ended with ``status``."""
        return sum(1 for value in self.results.values() if value is status)

"""One Suture on one testbed for all flows; each flow has a repository of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.github.suture import Suture
from tests.testbed.fixtures import testbed, testbed_process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from handlers.intents import Repository
    from tests.testbed.testbed import Testbed

__all__ = ["testbed", "testbed_process"]

FILES = {"app.py": b"vulnerable\n", "README.md": b"# demo\n"}


@pytest.fixture(scope="module")
def suture_process(testbed_process: Testbed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Suture]:
    """Start one Suture for a module: its engine is one for the process, and other modules start their own."""
    with Suture(bed=testbed_process, folder=tmp_path_factory.mktemp("suture")) as running:
        yield running


@pytest.fixture
def suture(suture_process: Suture, testbed: Testbed) -> Suture:
    """Lend Suture to one test, with its webhooks connected."""
    testbed.hooks.target = suture_process.url
    return suture_process


@pytest.fixture
def repository(suture: Suture) -> Repository:
    """Return a repository in which the App is installed."""
    return suture.bed.repository(FILES)

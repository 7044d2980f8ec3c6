"""The fixtures; a test file gets them by ``from tests.testbed.fixtures import testbed, testbed_process``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.testbed.testbed import Testbed

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def testbed_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Testbed]:
    """Start one testbed for all tests."""
    with Testbed(folder=tmp_path_factory.mktemp("testbed")) as bed:
        yield bed


@pytest.fixture
def testbed(testbed_process: Testbed) -> Iterator[Testbed]:
    """Lend the testbed to one test; fail it when a request broke GitHub's own description."""
    known = len(testbed_process.front.violations)
    yield testbed_process
    testbed_process.faults.clear()
    testbed_process.hooks.target = ""
    testbed_process.state.suspended = False
    testbed_process.state.drafts_allowed = True
    testbed_process.state.renamed.clear()
    assert testbed_process.front.violations[known:] == []

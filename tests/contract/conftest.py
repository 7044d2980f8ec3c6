"""The worlds the contract is held in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.worlds import TestbedWorld, World
from tests.testbed.fixtures import testbed, testbed_process

if TYPE_CHECKING:
    from tests.testbed.testbed import Testbed

__all__ = ["testbed", "testbed_process"]


@pytest.fixture(params=[pytest.param("testbed", marks=pytest.mark.testbed)])
def world(request: pytest.FixtureRequest) -> World:
    """Return each world in turn."""
    bed: Testbed = request.getfixturevalue("testbed")
    return TestbedWorld(bed)

"""The worlds the contract is held in."""

from __future__ import annotations

import pytest

from tests.contract.fake_world import FakeWorld
from tests.contract.worlds import GitWorld, TestbedWorld, World
from tests.testbed.fixtures import testbed, testbed_process

__all__ = ["testbed", "testbed_process"]


@pytest.fixture(params=["fake", pytest.param("testbed", marks=pytest.mark.testbed)])
def world(request: pytest.FixtureRequest) -> World:
    """Return each world in turn: the fake, and the real adapter on the testbed."""
    if request.param == "fake":
        return FakeWorld()
    return TestbedWorld(request.getfixturevalue("testbed"))


@pytest.fixture(params=[pytest.param("testbed", marks=pytest.mark.testbed)])
def git_world(request: pytest.FixtureRequest) -> GitWorld:
    """Return each world that holds trees and commits."""
    return TestbedWorld(request.getfixturevalue("testbed"))

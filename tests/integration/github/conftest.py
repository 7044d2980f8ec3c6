"""The testbed for these tests."""

from __future__ import annotations

from tests.testbed.fixtures import testbed, testbed_process

__all__ = ["testbed", "testbed_process"]

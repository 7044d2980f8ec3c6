"""A failed install is told by the line that says most."""

from __future__ import annotations

import pytest

from agent.toolchains.installing import FULL, reason_of

NPM = """npm error code ERESOLVE
npm error ERESOLVE could not resolve
npm error A complete log of this run can be found in: /cache/npm/_logs/x.log
[exit 1]
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (NPM, "npm error ERESOLVE could not resolve"),
        ("npm error code ENOSPC\nnpm error A complete log of this run can be found in: x\n", FULL),
        ("OSError: [Errno 28] No space left on device\n", FULL),
        ("collecting\nERROR: No matching distribution\nhint: try again\n", "ERROR: No matching distribution"),
        ("one\ntwo\n", "two"),
        ("", "no output"),
    ],
)
def test_the_telling_line_is_found(log: str, expected: str) -> None:
    assert reason_of(log) == expected

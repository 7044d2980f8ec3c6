"""Putting the developer's tests onto a patched tree, and keeping a patch's hands off the tests. Pure but for git.

The developer's version replaces a test file that the patch left alone. Where the patch changed the same file, the
two are merged three ways from the vulnerable version; what cannot be merged is a fault of the pipeline, not of the
patch.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.repair.errors import CollisionError

if TYPE_CHECKING:
    from collections.abc import Mapping

MERGE_SECONDS = 60.0
CONFLICTS = range(1, 128)
TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|fixtures)/|(?:^|/)(?:test_[^/]*|[^/]*[._-](?:test|spec))\.\w+$"
    r"|(?:^|/)(?:tests?|conftest)\.\w+$",
    re.IGNORECASE,
)
STEERING = frozenset(
    {
        *("conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", "tox.ini", ".mocharc.json"),
        *(".mocharc.js", ".mocharc.cjs", ".mocharc.yml", ".mocharc.yaml", "jest.config.js", "ava.config.js"),
    }
)
"""Files by which a patch could steer how it is tested."""


def is_test(path: str) -> bool:
    """Tell whether a path looks like a test or like something that steers tests."""
    return TESTS.search(path) is not None or path.rsplit("/", 1)[-1] in STEERING


def without_test_changes(
    changes: Mapping[str, bytes | None], existing: Mapping[str, bytes]
) -> tuple[dict[str, bytes | None], tuple[str, ...]]:
    """Return a patch as the regression tests meet it, and the paths that were put back.

    Tests that exist are put back as they were, and new files that steer tests are left out: a patch may add
    tests, it may not decide which of the old ones count.
    """
    kept: dict[str, bytes | None] = {}
    held = []
    for path, content in changes.items():
        steers = path.rsplit("/", 1)[-1] in STEERING
        if is_test(path) and (path in existing or steers):
            held.append(path)
        else:
            kept[path] = content
    return kept, tuple(held)


def with_developer_tests(
    changes: Mapping[str, bytes | None],
    tests: Mapping[str, bytes | None],
    before: Mapping[str, bytes],
) -> dict[str, bytes | None]:
    """Return the patch with the developer's tests over it; raise ``CollisionError``.

    ``before`` holds the vulnerable versions. A file both sides deleted or changed alike is no collision.
    """
    joined = dict(changes)
    for path, theirs in tests.items():
        if path not in changes or changes[path] == theirs:
            joined[path] = theirs
        else:
            joined[path] = _merged(path, changes[path], before.get(path), theirs)
    return joined


def _merged(path: str, ours: bytes | None, base: bytes | None, theirs: bytes | None) -> bytes:
    if ours is None or theirs is None:
        raise CollisionError(f"{path} is deleted by one of the patch and the developer's tests")
    if base is None:
        return theirs
    with tempfile.TemporaryDirectory(prefix="suture-merge-") as folder:
        places = []
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (place := Path(folder) / name).write_bytes(content)
            places.append(str(place))
        done = subprocess.run(
            ["git", "merge-file", "-p", "--quiet", *places],
            capture_output=True,
            timeout=MERGE_SECONDS,
            check=False,
            cwd=folder,
        )
    if done.returncode in CONFLICTS:
        raise CollisionError(f"{path}: the patch and the developer's tests change the same lines")
    if done.returncode:
        raise CollisionError(f"{path}: the two versions cannot be merged")
    return done.stdout

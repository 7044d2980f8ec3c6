"""Whether the version that the project declares already carries the fix that the report names.

This alone proves nothing (a version can lie); it turns a proof that reads safe from "not reproduced" into
"already fixed".
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NUMBER = re.compile(r"\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)[-.]?\d*)?", re.IGNORECASE)
_METADATA = re.compile(r"^Version:\s*(\S+)", re.MULTILINE)
_SETUP = re.compile(r"""^\s*version\s*=\s*["']?([\w.+-]+)["']?\s*,?\s*$""", re.MULTILINE)


def declared_version(read: Callable[[str], bytes | None]) -> Version | None:
    """Return the version in the project's metadata; ``read`` gives a file's bytes by its path."""
    for path, parse in (
        ("PKG-INFO", _of_metadata),
        ("package.json", _of_package_json),
        ("pyproject.toml", _of_pyproject),
        ("setup.cfg", _of_setup),
        ("setup.py", _of_setup),
    ):
        content = read(path)
        if content is not None and (found := parse(content.decode("utf-8", "replace"))):
            return _version(found)
    return None


def carries_fix(version: Version | None, fixed: Sequence[str]) -> bool:
    """Tell whether ``version`` is not below the fixed one of its own release line.

    Advisories name one fixed version a maintained line: 1.1 is above 0.2.1 and still lacks the fix of 1.2.3.
    Lines are told apart by their first number; a line without a fix of its own needs the highest one.
    """
    known = [found for text in fixed if (found := _version(text)) is not None]
    if version is None or not known:
        return False
    own = [item for item in known if item.release[0] == version.release[0]]
    return version >= (min(own) if own else max(known))


def _version(text: str) -> Version | None:
    match = _NUMBER.search(text)
    try:
        return Version(match.group()) if match else None
    except InvalidVersion:
        return None


def _of_metadata(text: str) -> str:
    match = _METADATA.search(text)
    return match.group(1) if match else ""


def _of_package_json(text: str) -> str:
    try:
        declared = json.loads(text)
    except ValueError:
        return ""
    version = declared.get("version") if isinstance(declared, dict) else None
    return version if isinstance(version, str) else ""


def _of_pyproject(text: str) -> str:
    try:
        declared = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return ""
    poetry = declared.get("tool", {}).get("poetry", {})
    version = declared.get("project", {}).get("version") or poetry.get("version")
    return version if isinstance(version, str) else ""


def _of_setup(text: str) -> str:
    match = _SETUP.search(text)
    return match.group(1) if match else ""

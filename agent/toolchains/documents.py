"""TOML and INI documents of untrusted trees, read without surprises. Pure."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Mapping


def toml(text: str) -> dict[str, object]:
    """Return a TOML document, empty when it is none."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def ini(text: str) -> configparser.ConfigParser:
    """Return an INI document, empty when it is none."""
    parser = configparser.ConfigParser(
        interpolation=None, strict=False, delimiters=("=",), allow_no_value=True
    )
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return configparser.ConfigParser(interpolation=None)
    return parser


def table(document: object, *path: str) -> Mapping[str, object]:
    """Return a nested table, empty when a step of the path is missing or no table."""
    for key in path:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else {}


def strings(value: object) -> list[str]:
    """Return a list's strings, a string as one, anything else as none."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

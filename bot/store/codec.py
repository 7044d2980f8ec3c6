"""Dataclasses to JSON values and back, by their type hints. Pure.

Unknown keys are ignored and missing ones take the field's default, so that an older row can be read by a
newer Suture and the other way round. Bytes become base64 text.
"""

from __future__ import annotations

import base64
import dataclasses
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar, Union

import agent.domain
from handlers import intents
from retrieval import domain as ranking

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
TYPE = "type"

_DOMAIN = [import_module(f"agent.domain.{found.name}") for found in iter_modules(agent.domain.__path__)]
_MODULES = (*_DOMAIN, ranking, intents)
_NAMES: dict[str, Any] = {
    **{name: value for module in _MODULES for name, value in vars(module).items() if isinstance(value, type)},
    "Mapping": Mapping,
    "Sequence": Sequence,
    "date": date,
}


def encode(value: Any) -> Any:
    """Return the JSON value of a dataclass, or of anything a dataclass may hold."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(encode(item) for item in value)
    return _encode_plain(value)


def _encode_plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, date) else value


def decode(kind: type[T], value: Any) -> T:
    """Return the dataclass that ``encode`` made the JSON value from."""
    return typing.cast("T", _decode(kind, value))


def encode_tagged(value: DataclassInstance) -> dict[str, Any]:
    """Return the JSON value with the type's name, for a field that may be one of several types."""
    return {TYPE: type(value).__name__, **encode(value)}


def decode_tagged(value: Mapping[str, Any]) -> Any:
    """Return what ``encode_tagged`` was given; ``KeyError`` for a type nobody knows."""
    return _decode(_NAMES[value[TYPE]], value)


def _decode(kind: Any, value: Any) -> Any:
    if kind is Any or value is None:
        return value
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return _decode_plain(kind, value)
    if origin in (Union, types.UnionType):
        return _decode(next(a for a in arguments if a is not type(None)), value)
    return _decode_many(origin, arguments, value)


def _decode_many(origin: type, arguments: tuple[Any, ...], value: Any) -> Any:
    if origin is tuple:
        return _decode_tuple(arguments, value)
    if issubclass(origin, Mapping):
        return {key: _decode(arguments[1], item) for key, item in value.items()}
    items = (_decode(arguments[0], item) for item in value)
    return frozenset(items) if origin is frozenset else tuple(items)


def _decode_tuple(arguments: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if len(arguments) == 2 and arguments[1] is Ellipsis:  # noqa: PLR2004  # tuple[X, ...]
        return tuple(_decode(arguments[0], item) for item in value)
    return tuple(_decode(kind, item) for kind, item in zip(arguments, value, strict=True))


def _decode_plain(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _decode(hint, value[name]) for name, hint in hints.items() if name in value})
    if kind is bytes:
        return base64.b64decode(value)
    if kind is date:
        return date.fromisoformat(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Return the field types; the domain imports some only for type checking, so names are given here."""
    names = {field.name for field in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]), _NAMES)
    return {name: hint for name, hint in hints.items() if name in names}

"""Places: snapped to definitions, merged by vote, joined to the ranked files. Pure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent.domain.place import Place
from retrieval.domain import RankedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.files.outline import Definition

_SMALL: Final = 200
"""Lines of a definition up to which a place in it is the whole of it."""
_AROUND: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A place as a model named it; nothing of it is checked, lines may be 0."""

    path: str
    symbol: str
    start_line: int
    end_line: int
    reason: str


def snapped(named: Named, definitions: Sequence[Definition], lines: int) -> Place | None:
    """Return the place at the definition it means, None when neither its name nor its lines exist.

    A name that exists is believed before lines, which models miscount; with lines the nearest of its bearers is.
    """
    bearers = [one for one in definitions if _bears(one.name, named.symbol)]
    if bearers:
        nearest = min(bearers, key=lambda one: abs(one.start_line - named.start_line))
        return _place(named, nearest.start_line, nearest.end_line, nearest.name)
    if not 1 <= named.start_line <= lines:
        return None
    around = [one for one in definitions if one.start_line <= named.start_line <= one.end_line]
    inner = min(around, key=lambda one: one.end_line - one.start_line, default=None)
    if inner is not None and inner.end_line - inner.start_line < _SMALL:
        return _place(named, inner.start_line, inner.end_line, inner.name)
    end = min(
        lines, max(named.start_line, named.end_line, named.start_line + _AROUND), named.start_line + _SMALL
    )
    return _place(named, max(1, named.start_line - _AROUND), end, inner.name if inner is not None else "")


def merged(samples: Iterable[Iterable[Place]]) -> tuple[Place, ...]:
    """Return each place once with its votes, those with most first, then in the order of being named."""
    votes: dict[tuple[str, str, int], int] = defaultdict(int)
    first: dict[tuple[str, str, int], Place] = {}
    for sample in samples:
        for key, place in {_key(one): one for one in sample}.items():
            votes[key] += 1
            first.setdefault(key, place)
    ordered = sorted(first, key=lambda key: -votes[key])
    return tuple(replace(first[key], votes=votes[key]) for key in ordered)


def agree(one: Sequence[Place], other: Sequence[Place]) -> bool:
    """Tell whether two samples name the same first place, or the same places in any order."""
    keys = ([_key(place) for place in one], [_key(place) for place in other])
    return bool(keys[0] and keys[1]) and (keys[0][0] == keys[1][0] or set(keys[0]) == set(keys[1]))


def joined(files: Sequence[RankedFile], places: Sequence[Place]) -> tuple[RankedFile, ...]:
    """Return the files with those of ``places`` in front; ones that the ranking missed join with its best score."""
    named = list(dict.fromkeys(place.path for place in places))
    ranked = {file.path: file for file in files}
    best = max((file.score for file in files), default=1.0)
    front = [ranked.get(path) or RankedFile(path=path, score=best, signals={"named": 1.0}) for path in named]
    return (*front, *(file for file in files if file.path not in set(named)))


def _bears(name: str, symbol: str) -> bool:
    symbol = symbol.strip().replace("::", ".").replace("#", ".").removesuffix("()")
    return bool(symbol) and (name == symbol or name.endswith(f".{symbol}"))


def _key(place: Place) -> tuple[str, str, int]:
    return (place.path, place.symbol, 0 if place.symbol else place.start_line)


def _place(named: Named, start: int, end: int, symbol: str) -> Place:
    return Place(path=named.path, start_line=start, end_line=end, symbol=symbol, reason=named.reason)

"""Places are snapped to what exists, merged by vote, and join the files that a patch may change."""

from __future__ import annotations

import pytest

from agent.domain.place import Place
from agent.localizing.places import Named, agree, joined, merged, snapped
from retrieval.domain import RankedFile
from retrieval.files.outline import Definition


def definition(name: str, start: int, end: int, kind: str = "function") -> Definition:
    return Definition(name=name, kind=kind, start_line=start, end_line=end)


OUTLINE = (definition("A", 10, 400, "class"), definition("A.load", 20, 30), definition("load", 500, 510))


def named(symbol: str = "", start: int = 0, end: int = 0) -> Named:
    return Named(path="a.py", symbol=symbol, start_line=start, end_line=end, reason="why")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (named("A.load", 300, 310), ("A.load", 20, 30)),
        (named("A#load()"), ("A.load", 20, 30)),
        (named("load", 505), ("load", 500, 510)),
        (named("load", 25), ("A.load", 20, 30)),
        (named("", 25, 26), ("A.load", 20, 30)),
        (named("wrong", 502), ("load", 500, 510)),
        (named("", 100, 120), ("A", 95, 120)),
        (named("", 2), ("", 1, 7)),
        (named("", 598, 900), ("", 593, 600)),
        (named("wrong"), None),
        (named("", 601), None),
    ],
)
def test_a_place_is_snapped_to_a_definition(given: Named, expected: tuple[str, int, int] | None) -> None:
    place = snapped(given, OUTLINE, 600)
    assert (place and (place.symbol, place.start_line, place.end_line)) == expected


def place(symbol: str, start: int = 1, path: str = "a.py") -> Place:
    return Place(path=path, start_line=start, end_line=start + 1, symbol=symbol)


def test_samples_are_merged_by_vote_then_by_order() -> None:
    one, two, three = place("x"), place("y"), place("", 7)
    found = merged([[one, two, one], [two], [three]])
    assert [(item.symbol, item.votes) for item in found] == [("y", 2), ("x", 1), ("", 1)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([place("x"), place("y")], [place("x")], True),
        ([place("x"), place("y")], [place("y"), place("x")], True),
        ([place("x")], [place("y")], False),
        ([], [], False),
        ([place("x")], [], False),
    ],
)
def test_when_two_samples_agree(one: list[Place], other: list[Place], *, expected: bool) -> None:
    assert agree(one, other) is expected


def test_files_of_places_come_first_and_missing_ones_join() -> None:
    files = (RankedFile(path="b.py", score=0.9), RankedFile(path="a.py", score=0.3))
    found = joined(files, [place("x"), place("z", path="new.py")])
    assert [(one.path, one.score) for one in found] == [("a.py", 0.3), ("new.py", 0.9), ("b.py", 0.9)]
    assert joined((), [place("x")])[0].score == 1.0
    assert joined(files, ()) == files

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.files.bags import Bags, join, pack
from retrieval.files.codec import decode, encode
from retrieval.files.document import Document, bag_of, document, pairs_of, term

counters = st.lists(
    st.dictionaries(st.integers(0, 2**32 - 1), st.integers(1, 80_000), max_size=5), max_size=5
)


def unpacked(bags: Bags) -> list[dict[int, int]]:
    return [
        dict(zip(bags.terms[start:end].tolist(), bags.counts[start:end].tolist(), strict=True))
        for start, end in zip(bags.starts, bags.ends, strict=True)
    ]


@given(counters)
def test_packing_keeps_every_bag_and_caps_counts(bags: list[dict[int, int]]) -> None:
    assert unpacked(pack(bags)) == [{key: min(count, 65_535) for key, count in bag.items()} for bag in bags]


@given(counters, counters)
def test_joining_is_packing_both(one: list[dict[int, int]], other: list[dict[int, int]]) -> None:
    assert unpacked(join([pack(one), pack(other)])) == unpacked(pack([*one, *other]))


def test_lengths_count_terms_and_nothing_joins_to_nothing() -> None:
    assert pack([{1: 2, 3: 4}, {}, {5: 1}]).lengths.tolist() == [6, 0, 1]
    assert len(join([])) == 0


def test_a_class_owns_the_lines_before_its_first_method_only() -> None:
    found = document("a.py", "class Jar:\n    limit = 3\n\n    def parse(self):\n        return cookie\n")
    chunks = dict(zip([one.name for one in found.definitions], unpacked(found.chunks), strict=True))

    assert term("limit") in chunks["Jar"]
    assert term("cooki") not in chunks["Jar"]
    assert term("cooki") in chunks["Jar.parse"]


def test_pairs_are_adjacent_words_in_order() -> None:
    assert pairs_of(["Invalid", "literal", "for"]) == pairs_of(["invalid", "literals", "for"])
    assert pairs_of(["b", "a"]) != pairs_of(["a", "b"])


def test_a_generated_file_has_no_definitions_but_its_words() -> None:
    found = document("a.py", "def parse(): ...\n", generated=True)

    assert (found.definitions, len(found.chunks), unpacked(found.body)) == (
        (),
        0,
        [dict(bag_of("def parse"))],
    )


def facts(one: Document) -> tuple[object, ...]:
    bags = tuple(tuple(unpacked(bag)) for bag in (one.body, one.pairs, one.chunks))
    return (one.definitions, one.generated, *bags)


@given(st.text(max_size=300))
def test_a_document_survives_its_bytes(text: str) -> None:
    found = document("a.py", text)

    assert facts(decode(encode(found))) == facts(found)


def test_damaged_bytes_are_refused() -> None:
    data = encode(document("a.py", "def parse(): ...\n"))

    for damaged in (b"", data[:20], data[:-1]):
        with pytest.raises(Exception, match=r".") as caught:
            decode(damaged)
        assert type(caught.value).__name__ in {"error", "ValueError", "JSONDecodeError"}


def test_the_same_token_is_the_same_term() -> None:
    assert term("cookie") == term("cookie") != term("cookies")
    assert np.uint32(term("cookie")) == term("cookie")
    assert isinstance(bag_of("a b"), Counter)

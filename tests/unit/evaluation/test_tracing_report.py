"""The figures of a measurement, by hand."""

from __future__ import annotations

import json
from datetime import date

import pytest

from evaluation.tracing import Placed, Variant, asked, recall, reciprocal
from evaluation.tracing_report import Costs, as_json, by_margin, by_size, markdown_table, page, row
from retrieval.commits.domain import AdvisoryQuery

QUERY = AdvisoryQuery(
    text="t", ids=("CVE-1",), published=date(2020, 1, 1), fixed=("1.0",), links=("https://host/",)
)


def build_placed(strict: int | None, **changed: object) -> Placed:
    given: dict[str, object] = {
        "advisory": f"CVE-{strict}",
        "repository": "o/r",
        "commits": 500,
        "strict": strict,
        "lenient": strict,
        "margin": 0.5,
        "seconds": 0.01,
    }
    return Placed(**(given | changed))  # type: ignore[arg-type]


def test_recall_counts_answers_within_k() -> None:
    ranks = [1, 5, 6, None]

    assert recall(ranks, 5) == [1.0, 1.0, 0.0, 0.0]
    assert reciprocal(ranks) == [1.0, 0.2, pytest.approx(1 / 6), 0.0]


@pytest.mark.parametrize(
    ("variant", "left"),
    [
        (Variant.FULL, {"ids", "published", "fixed"}),
        (Variant.CUT, {"ids", "published", "fixed"}),
        (Variant.REFERENCES, {"ids", "published", "fixed", "links"}),
        (Variant.NO_DATE, {"ids", "fixed"}),
        (Variant.NO_VERSIONS, {"ids", "published"}),
        (Variant.TEXT_ONLY, set()),
    ],
)
def test_a_variant_takes_away_what_it_says(variant: Variant, left: set[str]) -> None:
    found = asked(QUERY, variant)

    assert {name for name in ("ids", "published", "fixed", "links") if getattr(found, name)} == left
    assert found.text == "t"


def test_a_row_holds_means_and_intervals() -> None:
    found = row("all", [build_placed(1), build_placed(1), build_placed(7), build_placed(None, lenient=1)])

    assert (found.cases, found.strict[1].mean, found.strict[10].mean, found.lenient[1].mean) == (
        4,
        0.5,
        0.75,
        0.75,
    )
    assert found.strict[1].low < 0.5 < found.strict[1].high
    assert found.reciprocal_rank.mean == pytest.approx((1 + 1 + 1 / 7) / 4)


def test_cases_are_grouped_by_size_and_by_margin() -> None:
    placed = [build_placed(1, commits=size, margin=size / 20_000) for size in (500, 2_000, 2_500, 20_000)]

    assert [(found.name, found.cases) for found in by_size(placed)] == [
        ("0 to 1,000 commits", 1),
        ("1,000 to 5,000 commits", 2),
        ("over 15,000 commits", 1),
    ]
    assert [found.name for found in by_margin(placed)][:1] == ["margin 1.00 to 1.00"]
    assert sum(found.cases for found in by_margin(placed)) == 4


def test_the_page_shows_every_case_that_is_not_first() -> None:
    placed = [build_placed(1), build_placed(12), build_placed(None)]
    costs = Costs(
        seconds=3.0, query_seconds=0.02, slowest_query_seconds=0.05, memory=100_000_000, commits=500
    )

    text = page({"Ways to rank": [row("default", placed)]}, costs, placed)

    assert "| default | 3 | 33.3 (" in text
    assert "| CVE-12 | o/r | 500 | 12 | 12 |" in text
    assert "| CVE-None | o/r | 500 | > 100 | > 100 |" in text
    assert "CVE-1 |" not in text
    assert "20 ms on average, 50 ms at most; peak memory 100 MB" in text


def test_rows_become_json() -> None:
    rows = [row("a", [build_placed(1)])]

    assert json.loads(json.dumps(as_json(rows)))[0]["strict"]["1"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert markdown_table(rows).count("\n") == 3

"""The rank of the first changed file of a security case, pure."""

from __future__ import annotations

from evaluation.localization_ranks import CaseRank, first_changed, ranks_markdown
from tests.repair_cases import build_case

CASE = build_case(id="CVE-1", repo="a/b", fixed_files=("lib/a.py", "lib/b.py"))


def test_the_best_placed_changed_file_counts() -> None:
    ranked = ["lib/other.py", "lib/b.py", "lib/a.py"]

    assert first_changed(CASE, ranked) == CaseRank(id="CVE-1", repository="a/b", rank=2, file="lib/b.py")


def test_a_file_that_is_not_ranked_has_no_place() -> None:
    found = first_changed(CASE, ["lib/other.py"])

    assert found.as_json() == {"id": "CVE-1", "repository": "a/b", "rank": None, "file": "lib/a.py"}


def test_the_table_counts_those_among_the_first_five() -> None:
    ranks = [CaseRank(id=f"c{rank}", repository="a/b", rank=rank, file="f.py") for rank in (1, 5, 6, None)]

    table = ranks_markdown(ranks, command="suture eval", date="2026-01-01", commit="abc").splitlines()

    assert table[0] == "Measured on 2026-01-01 at commit `abc` by `suture eval`: 2 of 4 among the first 5."
    assert table[-2:] == ["| c6 | a/b | 6 | `f.py` |", "| cNone | a/b | over 1,000 | `f.py` |"]

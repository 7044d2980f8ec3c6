"""The place of the first changed file of each security report, among all files of its repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.localization_cases import repository_path, split_report
from retrieval.files.presets import DEFAULT
from retrieval.files.ranker import TreeRanker
from retrieval.files.store import IndexStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluation.repair.case import Case
    from retrieval.files.fusion import Preset

BEGIN = "<!-- ranks: written by suture eval localization --cases -->"
END = "<!-- end of ranks -->"
FIRST = 5
DEEPEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRank:
    """Where a case's first changed file stands, counted from 1; None when it is not among the deepest."""

    id: str
    repository: str
    rank: int | None
    file: str

    def as_json(self) -> dict[str, object]:
        """Return plain values."""
        return {"id": self.id, "repository": self.repository, "rank": self.rank, "file": self.file}


def case_ranks(
    cases: Sequence[Case],
    repositories: Path,
    indexes: Path,
    aliases: Mapping[str, str],
    *,
    preset: Preset = DEFAULT,
) -> Iterator[CaseRank]:
    """Yield each case's rank, asked by its report alone at its vulnerable commit; raise ``EvaluationError``.

    Tests, documents and vendored files are candidates too: this is what a user of ``suture locate`` sees.
    """
    for case in cases:
        repository = repository_path(repositories, case.repo, aliases)
        store = IndexStore(indexes / case.repo.replace("/", "+"))
        try:
            ranker = TreeRanker(preset=preset, keeper=store)
            query = split_report(case.advisory)
            ranked = ranker.rank(query, repository, k=DEEPEST, revision=case.vulnerable_commit)
        finally:
            store.close()
        yield first_changed(case, [one.path for one in ranked])


def first_changed(case: Case, ranked: Sequence[str]) -> CaseRank:
    """Return the best place of a changed file. Pure."""
    places = ((place, path) for place, path in enumerate(ranked, start=1) if path in case.fixed_files)
    rank, file = next(places, (None, case.fixed_files[0]))
    return CaseRank(id=case.id, repository=case.repo, rank=rank, file=file)


def ranks_markdown(ranks: Sequence[CaseRank], *, command: str, date: str, commit: str) -> str:
    """Return the table as Markdown, and how many are among the first five. Pure."""
    near = sum(one.rank is not None and one.rank <= FIRST for one in ranks)
    rows = [
        f"| {one.id} | {one.repository} | {one.rank or f'over {DEEPEST:,}'} | `{one.file}` |" for one in ranks
    ]
    return "\n".join(
        (
            f"Measured on {date} at commit `{commit}` by `{command}`: {near} of {len(ranks)} among the first {FIRST}.",
            "",
            "| Case | Repository | rank | first changed file |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        )
    )

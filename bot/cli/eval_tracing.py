"""``suture eval tracing``: recall of the fix commit on advisories whose fix is known."""

from __future__ import annotations

import json
import resource
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.errors import EvaluationError
from evaluation.tracing import Bench, Variant
from evaluation.tracing_cases import read_cases
from evaluation.tracing_report import Costs, Row, as_json, by_margin, by_size, markdown_table, page, row
from retrieval.commits.presets import Preset
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluation.tracing import Placed

_ABLATIONS = (Variant.REFERENCES, Variant.CUT, Variant.NO_DATE, Variant.NO_VERSIONS, Variant.TEXT_ONLY)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tracing")(tracing)


def tracing(
    data: Annotated[Path, typer.Option(help="The table of advisories with their fix commits (CSV).")],
    repos: Annotated[Path, typer.Option(help="The folder with the repositories.")],
    *,
    preset: Annotated[Preset, typer.Option(help="How to rank.")] = Preset.DEFAULT,
    index: Annotated[Path | None, typer.Option(help="Keep the indexes here.")] = None,
    ablations: Annotated[bool, typer.Option(help="Measure also with less knowledge.")] = True,
    fit: Annotated[bool, typer.Option("--fit", help="Only print weights fitted to all advisories.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write the page of figures here.")] = None,
    as_values: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
) -> None:
    """Measure how often the commit that fixed an advisory is ranked first, and among the first 5, 10, 100.

    Weights are fitted with each repository left out in turn; links to commits are never followed.
    """
    try:
        with _indexes(index) as folder:
            bench = Bench(read_cases(data), repos, folder, preset)
            if fit:
                lesson = bench.lessons((Variant.REFERENCES,))[Variant.REFERENCES]
                typer.echo(json.dumps(_rounded(lesson.weights()), indent=4))
                return
            _measure(bench, preset, ablations=ablations, markdown=markdown, as_values=as_values)
    except (EvaluationError, RetrievalError) as error:
        typer.echo(f"suture: {error}", err=True)
        raise typer.Exit(2) from None


def _measure(
    bench: Bench, preset: Preset, *, ablations: bool, markdown: Path | None, as_values: bool
) -> None:
    started = time.perf_counter()
    variants = (Variant.FULL, *_ABLATIONS) if ablations else (Variant.FULL,)
    lessons = bench.lessons(variants) if preset is Preset.DEFAULT else {}
    weights = {variant: lesson.weights_without_own() for variant, lesson in lessons.items()}
    placed = bench.placed(variants, weights)
    rows = [row(f"{preset}: {variant}", found) for variant, found in placed.items()]
    main = placed[Variant.FULL]
    sections = {"Ways to rank": rows, "Size of the repository": by_size(main)}
    if preset is Preset.DEFAULT:
        sections["Margin between the first and the next change"] = by_margin(main)
    costs = _costs(main, time.perf_counter() - started)
    if markdown:
        markdown.write_text(page(sections, costs, main), encoding="utf-8")
    if as_values:
        fitted = {variant.value: _rounded(lesson.weights()) for variant, lesson in lessons.items()}
        typer.echo(json.dumps(_values(sections, costs, main) | {"weights": fitted}, indent=2))
    else:
        for name, some in sections.items():
            typer.echo(f"{name}\n\n{markdown_table(some)}")
        typer.echo(json.dumps(asdict(costs)))


def _costs(placed: Sequence[Placed], seconds: float) -> Costs:
    queries = [one.seconds for one in placed]
    return Costs(
        seconds=seconds,
        query_seconds=sum(queries) / len(queries),
        slowest_query_seconds=max(queries),
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        commits=sum({one.repository: one.commits for one in placed}.values()),
    )


def _values(sections: dict[str, list[Row]], costs: Costs, placed: Sequence[Placed]) -> dict[str, object]:
    return {
        "schema": 1,
        "sections": {name: as_json(rows) for name, rows in sections.items()},
        "costs": asdict(costs),
        "advisories": [asdict(one) for one in placed],
    }


def _rounded(weights: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in weights.items()}


@contextmanager
def _indexes(chosen: Path | None) -> Iterator[Path]:
    if chosen:
        yield chosen
        return
    with tempfile.TemporaryDirectory(prefix="suture-indexes-") as folder:
        yield Path(folder)

"""``suture trace``: which commit of this repository fixed an advisory."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.errors import ReportError
from agent.untrusted import clean
from bot.cli.report_file import read_report_file
from bot.errors import SettingsError
from bot.settings import load_settings
from retrieval.commits.domain import AdvisoryQuery
from retrieval.commits.presets import WEIGHTS, Preset, RankingConfig
from retrieval.commits.tracer import CommitTracer
from retrieval.errors import RetrievalError
from retrieval.git import GitRepository

if TYPE_CHECKING:
    from agent.domain.report import Report
    from retrieval.commits.domain import RankedCommit
    from retrieval.commits.tracer import Tracing

SCHEMA = 1
_SHOWN_SIGNALS = 4


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("trace")(trace)


def trace(
    path: Annotated[Path, typer.Argument(help="A git repository with its history; it is only read.")],
    advisory: Annotated[
        str, typer.Option(help="The advisory: Markdown, OSV, GitHub advisory or issue; - for standard input.")
    ],
    *,
    count: Annotated[int, typer.Option("-k", min=1, max=10_000, help="How many commits to rank.")] = 100,
    preset: Annotated[Preset, typer.Option(help="How to rank.")] = Preset.DEFAULT,
    ignore_links: Annotated[
        bool, typer.Option("--ignore-links", help="Rank as if the advisory named no commit.")
    ] = False,
    index: Annotated[
        Path | None, typer.Option(help="Where the index lies; default: the cache folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")] = False,
) -> None:
    """Rank the commits that may have fixed an advisory, best first, with what speaks for each."""
    try:
        query = advisory_query(read_report_file(advisory))
        repository = GitRepository(path, seconds=3600.0)
        folder = index or _index_folder(repository, load_settings().cache_dir)
        tracer = CommitTracer.open(repository, folder, RankingConfig(preset=preset))
        found = tracer.trace(query, k=count, follow_links=not ignore_links)
    except (ReportError, RetrievalError, SettingsError) as error:
        typer.echo(f"suture: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps(as_values(found), indent=2))
    else:
        _show(found)


def advisory_query(report: Report) -> AdvisoryQuery:
    """Return what a report asks of the tracing."""
    return AdvisoryQuery(
        text=f"{report.title}\n{report.body}",
        ids=tuple(dict.fromkeys((report.id, *report.aliases))),
        published=report.published,
        fixed=report.fixed,
        affected=report.affected,
        links=report.references,
    )


def as_values(found: Tracing) -> dict[str, Any]:
    """Return a tracing in its published shape."""
    return {
        "schema": SCHEMA,
        "searched": found.searched,
        "explicit": found.explicit,
        "margin": round(found.margin, 4),
        "commits": [
            {
                "rank": rank,
                "id": commit.id,
                "subject": commit.subject,
                "committed": _day(commit),
                "score": round(commit.score, 4),
                "explicit": commit.explicit or None,
                "signals": {name: round(value, 4) for name, value in commit.signals.items()},
            }
            for rank, commit in enumerate(found.commits, start=1)
        ],
    }


def _index_folder(repository: GitRepository, cache: Path) -> Path:
    """Return the folder of a repository's index, which is safe to delete."""
    name = hashlib.sha256(repository.git_dir.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache / "commits" / name


def _show(found: Tracing) -> None:
    if not found.commits:
        typer.echo("The repository has no commits.")
        return
    for rank, commit in enumerate(found.commits, start=1):
        reasons = f"named: {commit.explicit}" if commit.explicit else _strongest(commit)
        subject = clean(commit.subject).text[:100]
        typer.echo(f"{rank:>4}  {commit.id[:12]}  {_day(commit):10}  {commit.score:7.2f}  {subject}")
        typer.echo(f"      {clean(reasons).text}")
    if found.explicit:
        typer.echo("The first is named by the advisory itself; the others are ranked.")
    else:
        typer.echo(f"Margin of the first over the next change: {found.margin:.2f} (0 a toss-up, 1 sure).")


def _strongest(commit: RankedCommit) -> str:
    """Return the signals that speak most for a commit, with what each added to its score."""
    gains = {name: value * WEIGHTS.get(name, 0.0) for name, value in commit.signals.items()}
    best = sorted(gains, key=lambda name: -gains[name])[:_SHOWN_SIGNALS]
    return " ".join(f"{name} {gains[name]:+.1f}" for name in best if gains[name] > 0)


def _day(commit: RankedCommit) -> str:
    return datetime.fromtimestamp(commit.committed, UTC).date().isoformat() if commit.committed > 0 else ""

"""What Suture says: short, calm, and nothing of the report itself. Pure; each passes ``handlers.replies``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.matrix import RowStatus
from agent.domain.run import Outcome, RunResult
from handlers.replies import reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.matrix import Row
    from agent.domain.report import Report
    from agent.domain.run import StageRecord
    from bot.store.runs import Run

HEADLINES = {
    Outcome.FIXED: "The flaw was reproduced and a patch removes it.",
    Outcome.ALREADY_FIXED: "The flaw does not show on the current code; it looks fixed already.",
    Outcome.UNPROVEN: "There is a patch, but the flaw could not be reproduced here.",
    Outcome.NOT_REPRODUCED: "The flaw could not be reproduced, so nothing was changed.",
    Outcome.NO_PATCH: "The flaw was looked into, but no patch passed every check.",
    Outcome.DECLINED: "This was not taken on.",
    Outcome.ENVIRONMENT_FAILED: "The project could not be installed or its tests not be run.",
    Outcome.BUDGET_EXHAUSTED: "The limits of this run were reached before it was done.",
    Outcome.CANCELLED: "The run was stopped.",
    Outcome.ERROR: "The run failed for a reason of Suture's own.",
}
TITLE_CHARACTERS = 200
LATER = "Say more in the report and ask again with `/patch retry`."
STATES = {
    "queued": "waits for its turn",
    "running": "is at work",
    "waiting": "is done and waits for approval",
    "publishing": "is being written up",
    "finished": "is finished",
}


def queued(run_id: str) -> str:
    """Return the first words about a run; the last ones take their place."""
    return reply(f"Suture looks into this report (run `{run_id[:8]}`). `/patch stop` ends it.")


def busy(run_id: str) -> str:
    """Return the answer to a second request while a run is on."""
    return reply(f"Run `{run_id[:8]}` is on this already; `/patch status` tells how far it is.")


def not_started(reason: str, url: str) -> str:
    """Return why no run was started, and where the flaw is being fixed already."""
    return reply(f"{reason} {url}".strip())


def cannot_read(problem: str) -> str:
    """Return the answer when the report could not be fetched."""
    return reply(f"The report could not be read: {problem}")


def title(run: Run, result: RunResult, report: Report | None, wanted: str) -> str:
    """Return the pull request's title: the repository's form filled in, or ours without the report's words."""
    if wanted and report is not None:
        filled = wanted.format(id=run.subject_key, title=report.title, severity=report.severity.value)
        return reply(" ".join(filled.split()))[:TITLE_CHARACTERS]
    source = result.candidate.source if result.candidate else ""
    return f"Fix the flaw reported in {run.subject_key}" + (f" ({source})" if source else "")


def body(run: Run, result: RunResult, number: int | None, template: str = "") -> str:
    """Return the pull request's text, and the repository's template below it; the evidence says the rest."""
    lines = [HEADLINES[result.outcome], "", result.reason, ""]
    lines += [f"- {row.name}: {row.status.value}" for row in _rows(result)]
    lines += [
        "",
        f"Run `{run.id[:8]}`. Review it as you would any patch; `/patch refine TEXT` asks for changes.",
    ]
    text = reply("\n".join(lines))
    parts = [text, f"Fixes #{number}" if number else "", template.strip()]
    return "\n\n".join(part for part in parts if part)


def concluded(run: Run, result: RunResult) -> str:
    """Return the last words on a report."""
    lines = [HEADLINES[result.outcome]]
    if run.pull_url:
        lines += ["", f"Draft pull request: {run.pull_url}"]
    if result.reason:
        lines += ["", result.reason]
    if result.outcome in {Outcome.NOT_REPRODUCED, Outcome.NO_PATCH, Outcome.ENVIRONMENT_FAILED}:
        lines += ["", LATER]
    return reply("\n".join(lines))


def waiting(result: RunResult) -> str:
    """Return the words on a result that a person must approve."""
    return reply(
        f"{HEADLINES[result.outcome]} {result.reason}\n\n"
        "`/patch approve` opens the pull request nevertheless; `/patch retry` tries again."
    )


def forbidden(path: str) -> str:
    """Return the words where the repository wants no automated pull requests."""
    return reply(
        f"There is a patch, but `{path}` of this repository forbids automated pull requests, so none was "
        "opened. `/patch approve` opens it if you want it nevertheless."
    )


def closed_meanwhile() -> str:
    """Return the words where the report was closed while the run was on."""
    return reply(
        "There is a patch, but this report was closed meanwhile, so no pull request was opened. "
        "`/patch approve` opens it if you want it nevertheless."
    )


def not_published(problem: str) -> str:
    """Return why a result was not written to the repository."""
    return reply(f"There is a result, but it was not published: {problem}")


def stopped(who: str) -> str:
    """Return the words on a stopped run."""
    return reply(f"Stopped, as {who} asked.")


def nothing(what: str) -> str:
    """Return the answer when there is nothing a command could act on."""
    return reply(what)


def status(run: Run | None) -> str:
    """Return how far a run is."""
    if run is None:
        return reply("There is no run on this.")
    end = f" Outcome: {run.outcome}." if run.outcome else ""
    where = f" {run.pull_url}" if run.pull_url else ""
    return reply(f"Run `{run.id[:8]}` {STATES[run.state]}.{end}{where}")


def explain(run: Run | None, result: RunResult | None) -> str:
    """Return what a run found, and how each claim was checked."""
    if run is None or result is None:
        return reply("There is no finished run to explain here.")
    lines = [HEADLINES[result.outcome], "", result.reason, ""]
    lines += [f"- {stage.stage.value}: {stage.summary}" for stage in result.stages]
    lines += [f"- {row.name}: before {row.before}, after {row.after}" for row in _rows(result)]
    return reply("\n".join(lines))


def at_work(stage: str) -> str:
    """Return the title of the check of a run that is on."""
    return reply(f"Suture is at work: {stage}")


def so_far(records: Sequence[StageRecord]) -> str:
    """Return what the stages found until now."""
    lines = [f"- {record.stage.value}: {record.summary} ({record.seconds:.0f} s)" for record in records]
    return reply("\n".join(lines) or "The run has begun.")


def superseded(head_sha: str) -> str:
    """Return the title of the check on a commit that a newer one took the place of."""
    return reply(f"Answered by {head_sha[:12]}" if head_sha else "Nothing was changed")


def needs_human(limit: int) -> str:
    """Return the words when failing checks were answered often enough."""
    return reply(f"Checks fail still after {limit} refinements; this needs a person now.")


def handed_over() -> str:
    """Return the words when somebody else's commits are on the branch."""
    return reply(
        "Somebody pushed to this branch, so it is theirs now; Suture adds to it only when asked with "
        "`/patch refine TEXT`."
    )


def summary(result: RunResult) -> str:
    """Return the check's summary: every row with what was seen."""
    lines = [
        HEADLINES[result.outcome],
        "",
        result.reason,
        "",
        "| case | before | after | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {row.name} | {row.before} | {row.after} | {row.status.value} |" for row in _rows(result)]
    return reply("\n".join(lines))


def _rows(result: RunResult) -> list[Row]:
    rows = result.matrix.rows if result.matrix else ()
    return sorted(rows, key=lambda row: row.status is RowStatus.PASSED)[:12]

"""What people and checks say about a pull request: the lines a review remarks on, and how checks failed.

All of it was written by others; it is bounded here and cleaned by who uses it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from github.CheckRun import CheckRun
    from github.Repository import Repository as RemoteRepository

MOST = 50
LONGEST = 2_000
FAILED = frozenset({"failure", "timed_out", "action_required", "startup_failure"})
LEVELS = frozenset({"failure", "warning"})


def review_remarks(repository: RemoteRepository, number: int, review: int) -> str:
    """Return one line for each comment of a review: path, line, text."""
    _, found = repository.requester.requestJsonAndCheck(
        "GET", f"{repository.url}/pulls/{number}/reviews/{review}/comments", parameters={"per_page": MOST}
    )
    return "\n".join(_remark(comment) for comment in found[:MOST])


def failed_checks(repository: RemoteRepository, head_sha: str, *, own: str) -> str:
    """Return what the failed checks of a commit say, those of the App ``own`` left out."""
    runs = repository.get_commit(head_sha).get_check_runs(status="completed")
    failed = (run for run in runs if run.conclusion in FAILED and (run.app is None or run.app.slug != own))
    return "\n\n".join("\n".join(_told(run)) for run in islice(failed, MOST))


def _remark(comment: dict[str, Any]) -> str:
    line = comment.get("line") or comment.get("original_line") or "?"
    return f"{comment['path']}:{line}: {str(comment.get('body') or '')[:LONGEST]}"


def _told(run: CheckRun) -> Iterator[str]:
    yield f"Check {run.name!r}: {run.conclusion}"
    for text in (run.output.title, run.output.summary, run.output.text):
        if text:
            yield text[:LONGEST]
    if run.output.annotations_count:
        for note in islice(run.get_annotations(), MOST):
            if note.annotation_level in LEVELS:
                yield f"{note.path}:{note.start_line}: {(note.message or '')[:LONGEST]}"

"""Names of workflows, queues, branches and keys in one place: what is looked up must not drift. Pure."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from agent.domain.report import Severity
from bot.jobs.journal import Job

if TYPE_CHECKING:
    from bot.store.runs import Run


class Workflow(StrEnum):
    """The workflows by name."""

    DELIVERY = "delivery"
    RUN = "run"
    PUBLISH = "publish"


class QueueName(StrEnum):
    """The queues by name."""

    DELIVERIES = "deliveries"
    RUNS = "runs"
    PUBLICATIONS = "publications"


PRIORITIES = {
    Severity.CRITICAL: 1,
    Severity.HIGH: 2,
    Severity.MODERATE: 3,
    Severity.UNKNOWN: 4,
    Severity.LOW: 5,
}
"""A lower number runs first; an unknown severity is looked at before a known low one."""

NEEDS_HUMAN = "needs-human"


def delivery_job(guid: str) -> Job:
    """Return the job that reads a delivery."""
    return Job(workflow=Workflow.DELIVERY, queue=QueueName.DELIVERIES, id=f"delivery:{guid}", key=guid)


def run_job(run: Run) -> Job:
    """Return the job of a run: one at a time per repository, the most severe first."""
    return Job(
        workflow=Workflow.RUN,
        queue=QueueName.RUNS,
        id=f"run:{run.id}",
        key=run.id,
        partition=str(run.repository_id),
        priority=run.priority,
    )


def publish_job(run_id: str, *, approved: bool = False) -> Job:
    """Return the job that publishes a run's result; it holds no repository's slot."""
    suffix = ":approved" if approved else ""
    return Job(
        workflow=Workflow.PUBLISH, queue=QueueName.PUBLICATIONS, id=f"publish:{run_id}{suffix}", key=run_id
    )


def job_ids(run_id: str) -> list[str]:
    """Return the ids of all jobs a run may have, for stopping it."""
    return [f"run:{run_id}", publish_job(run_id).id, publish_job(run_id, approved=True).id]


def run_id(*parts: object) -> str:
    """Return the id that this cause always gives, so that a step run again makes no second run."""
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()[:20]


def branch_name(subject_key: str, number: int) -> str:
    """Return the branch of the ``number``-th run of a subject."""
    return f"suture/{re.sub(r'[^A-Za-z0-9-]+', '-', subject_key).strip('-')}-{number}"

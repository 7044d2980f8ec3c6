"""From a result to what is written in the repository, as the repository likes it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.github.policies import HouseRules, code_owners, commit_subject
from bot.jobs import wording
from bot.jobs.subjects import subject_of
from bot.ports import Publication

if TYPE_CHECKING:
    from agent.domain.report import Report
    from agent.domain.run import RunResult
    from bot.repo_config import RepoConfig
    from bot.store.runs import Run
    from handlers.intents import Repository


def publication_of(
    run: Run,
    result: RunResult,
    report: Report | None,
    repository: Repository,
    config: RepoConfig,
    rules: HouseRules,
) -> Publication:
    """Return the publication: the repository's title, template, labels and reviewers, else its code owners."""
    changes = result.candidate.changes if result.candidate else {}
    subject = subject_of(run)
    title = wording.title(run, result, report, config.publish.title)
    fresh = not run.expected_head
    return Publication(
        key=run.id,
        repository=repository,
        subject=subject,
        base_branch=run.base_branch if fresh else config.branches.base or repository.default_branch,
        base_sha=run.base_sha,
        branch=run.branch,
        title=commit_subject(title, rules.commit_style, min(changes, default="")),
        body=wording.body(run, result, None if run.private else subject.number, rules.template),
        changes=changes,
        labels=config.publish.labels,
        reviewers=config.publish.reviewers or code_owners(rules.owners, changes),
        draft=config.publish.draft,
        sign_off=config.publish.signoff,
        expected_head=run.expected_head,
    )

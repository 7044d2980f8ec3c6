"""Commits that an advisory names outright; they are followed before anything is ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.commits.mentions import linked_commit, named_commits

if TYPE_CHECKING:
    from retrieval.commits.columns import History
    from retrieval.commits.domain import AdvisoryQuery


def explicit_commits(history: History, query: AdvisoryQuery) -> dict[int, str]:
    """Return the positions of the commits that are linked or named, with the words that name them.

    A commit of another repository is not in this history, and so is no answer here.
    """
    found: dict[int, str] = {}
    for link in (*query.links, *query.text.split()):
        name = linked_commit(link)
        position = history.position(name) if name else None
        if position is not None:
            found.setdefault(position, link.strip("()[]<>.,"))
    for name in named_commits(query.text):
        position = history.position(name)
        if position is not None:
            found.setdefault(position, f"commit {name}")
    return found

"""``evidence.md``: the text of the pull request. Short, every claim with the command that proves it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.domain.matrix import RowKind, RowStatus
from bot.output.rendering import environment

if TYPE_CHECKING:
    from bot.output.schema import RowShape, RunShape

MAXIMUM_VISIBLE_LINES = 25
_MARKS = {RowStatus.PASSED: "✅", RowStatus.FAILED: "❌", RowStatus.UNVERIFIED: "⬜"}
_DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
_FENCES = re.compile(r"`{3,}|~{3,}")


def render_evidence(run: RunShape, diff: str) -> str:
    """Return the Markdown for a finished run; at most 25 visible lines, the rest is folded."""
    template = environment().get_template("evidence.md.j2")
    return template.render(
        run=run, diff=diff, groups=grouped_rows(run.matrix), marks=_MARKS, fence=_fence(run, diff)
    )


def visible_lines(markdown: str) -> int:
    """Return how many lines a reader sees before unfolding anything; blank lines do not count."""
    return sum(1 for line in _DETAILS.sub("details", markdown).splitlines() if line.strip())


def grouped_rows(rows: list[RowShape]) -> list[tuple[str, RowStatus, str]]:
    """Fold the rows into one line a kind: what, worst status, how many passed."""
    names = {
        RowKind.PROOF: "proof of concept",
        RowKind.VARIANT: "variants of the attack",
        RowKind.BENIGN: "ordinary use (controls)",
        RowKind.WEAKNESS: "weakness gone from the code",
        RowKind.BUILD: "parses",
        RowKind.REGRESSION: "project's tests",
        RowKind.NEW_TEST: "new regression test",
        RowKind.SCOPE: "scope",
        RowKind.REVIEW: "independent review",
    }
    grouped = []
    for kind, name in names.items():
        of_kind = [row for row in rows if row.kind is kind]
        if of_kind:
            grouped.append((name, _worst(of_kind), _seen(of_kind)))
    return grouped


def _worst(rows: list[RowShape]) -> RowStatus:
    for status in (RowStatus.FAILED, RowStatus.UNVERIFIED):
        if any(row.status is status for row in rows):
            return status
    return RowStatus.PASSED


def _seen(rows: list[RowShape]) -> str:
    if len(rows) == 1:
        row = rows[0]
        return f"{row.before} → {row.after}" if row.before else row.after
    passed = sum(1 for row in rows if row.status is RowStatus.PASSED)
    return f"{passed} of {len(rows)}"


def _fence(run: RunShape, diff: str) -> str:
    """Return a fence longer than any inside the texts that stand between fences."""
    texts = [diff, run.proof.code if run.proof else "", *(row.detail for row in run.matrix)]
    longest = max((len(match) for text in texts for match in _FENCES.findall(text)), default=2)
    return "`" * (max(longest, 2) + 1)

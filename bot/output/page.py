"""``report.html``: one self-contained page of a run; it loads nothing and runs no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.output.evidence import grouped_rows
from bot.output.rendering import environment

if TYPE_CHECKING:
    from bot.output.schema import RunShape

_MOST_DIFF_LINES = 2000


def render_page(run: RunShape, diff: str, log: str) -> str:
    """Return the page for a finished run; ``diff`` may be a refused one, the page says so."""
    template = environment().get_template("report.html.j2")
    longest = max((stage.seconds for stage in run.stages), default=0.0) or 1.0
    return template.render(
        run=run,
        groups=grouped_rows(run.matrix),
        diff_lines=diff_lines(diff),
        refused=run.patch is None and bool(diff),
        log=log,
        longest=longest,
    )


def diff_lines(diff: str) -> list[tuple[str, str]]:
    """Return each line of a diff with its class: ``add``, ``del``, ``hunk``, ``file`` or nothing."""
    shown = diff.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split("\n")
    lines = [(_line_class(line), line) for line in shown[:_MOST_DIFF_LINES]]
    if len(shown) > _MOST_DIFF_LINES:
        lines.append(("hunk", f"… {len(shown) - _MOST_DIFF_LINES} more lines in patch.diff"))
    return lines


def _line_class(line: str) -> str:
    if line.startswith(
        ("diff --git", "index ", "--- ", "+++ ", "new file", "deleted file", "old mode", "new mode")
    ):
        return "file"
    return {"@": "hunk", "+": "add", "-": "del"}.get(line[:1], "")

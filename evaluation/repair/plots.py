"""Small plots as inline SVG, drawn here: no script, no font, nothing fetched. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.repair.summary import Rate

WIDTH, ROW, LABEL, RIGHT = 640, 22, 190, 90
_SPAN = WIDTH - LABEL - RIGHT


def bars(counts: Sequence[tuple[str, int]]) -> Markup:
    """Return horizontal bars, one a count, longest at full width."""
    most = max((count for _, count in counts), default=1) or 1
    rows = [
        _text(LABEL - 8, row, label, anchor="end")
        + _rect(LABEL, row, _SPAN * count / most)
        + _text(LABEL + _SPAN * count / most + 6, row, str(count))
        for row, (label, count) in enumerate(counts)
    ]
    return _svg(rows, f"Bars: {', '.join(f'{label} {count}' for label, count in counts)}")


def intervals(rates: Sequence[Rate]) -> Markup:
    """Return a dot with its interval for each rate on a scale from 0 to 100 %."""
    rows = []
    for row, rate in enumerate(rates):
        low, mean, high = (
            LABEL + _SPAN * share for share in (rate.interval.low, rate.interval.mean, rate.interval.high)
        )
        y = row * ROW + ROW / 2
        rows.append(
            _text(LABEL - 8, row, rate.name, anchor="end")
            + Markup('<line x1="{}" x2="{}" y1="{:.0f}" y2="{:.0f}" class="axis"/>').format(
                LABEL, LABEL + _SPAN, y, y
            )
            + Markup('<line x1="{:.1f}" x2="{:.1f}" y1="{:.0f}" y2="{:.0f}" class="interval"/>').format(
                low, high, y, y
            )
            + Markup('<circle cx="{:.1f}" cy="{:.0f}" r="4.5"/>').format(mean, y)
            + _text(LABEL + _SPAN + 10, row, f"{rate.passed:g} of {rate.cases}")
        )
    said = "; ".join(f"{rate.name} {100 * rate.interval.mean:.0f} %" for rate in rates)
    return _svg(rows, f"Shares with 95 % intervals: {said}")


def _svg(rows: Sequence[Markup], title: str) -> Markup:
    height = max(1, len(rows)) * ROW
    head = Markup('<svg viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">').format(
        WIDTH, height, WIDTH, height, title
    )
    return head + Markup().join(rows) + Markup("</svg>")


def _text(x: float, row: int, text: str, *, anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.0f}" text-anchor="{}">{}</text>').format(
        x, row * ROW + ROW / 2 + 4, anchor, escape(text)
    )


def _rect(x: float, row: int, width: float) -> Markup:
    return Markup('<rect x="{:.0f}" y="{}" width="{:.1f}" height="{}"/>').format(
        x, row * ROW + 4, max(width, 1), ROW - 8
    )

"""The prompt of the listwise agent."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATE = "trace_fix.md.j2"
FOLDER = Path(__file__).parents[1] / "prompts"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePrompt:
    """What the prompt says of the task; ``advisory`` is untrusted and cleaned by the caller."""

    advisory: str
    candidates: int
    turns: int


def render(prompt: TracePrompt) -> str:
    """Return the prompt's text."""
    environment = Environment(  # noqa: S701 - Markdown for a model, not HTML for a browser
        loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, keep_trailing_newline=False
    )
    return environment.get_template(TEMPLATE).render(asdict(prompt))

"""The prompt of the listwise agent."""

from __future__ import annotations

from dataclasses import dataclass

TEMPLATE = "trace_fix"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePrompt:
    """What the prompt says of the task; ``advisory`` is untrusted and quoted by the template."""

    advisory: str
    candidates: int
    turns: int

"""A tool call that cannot be served; the message tells the model what to do."""

from __future__ import annotations

from agent.errors import AgentError


class CallError(AgentError):
    """The call makes no sense as it is."""

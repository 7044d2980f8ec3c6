"""How a JavaScript file is written, so that new lines look like their neighbours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.syntax.source import Source


def quoted(source: Source, value: str) -> str:
    """Return a string literal in the file's usual quotes; ``value`` holds no quote or backslash."""
    mark = '"' if source.text.count('"') > source.text.count("'") else "'"
    return f"{mark}{value}{mark}"


def end_of_statement(source: Source) -> str:
    """Return ``;`` unless the file does without."""
    lines = [line.rstrip() for line in source.text.splitlines()]
    ended = sum(line.endswith(";") for line in lines)
    bare = sum(bool(re.search(r"[\w$)\]'\"]$", line)) for line in lines)
    return "" if (ended == 0 and bare > 0) or ended * 4 < bare else ";"

"""Apply blocks to files: the bytes of every changed file, or an error that the model can act on. Pure."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from agent.authoring.errors import EditError
from agent.authoring.matching import match
from agent.authoring.text import FileText, new_text, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agent.authoring.blocks import Block


def apply_blocks(
    blocks: Sequence[Block],
    read: Callable[[str], bytes | None],
    *,
    allowed: frozenset[str],
    new: frozenset[str] = frozenset(),
) -> Mapping[str, bytes]:
    """Return the new bytes by path, files that stay as they were left out.

    ``allowed`` are the paths that may change, ``new`` those that may be made. Blocks of one file apply one after
    another, so that a later one sees what an earlier one wrote. Raises ``EditError`` that names the path.
    """
    files: dict[str, FileText] = {}
    made: set[str] = set()
    for block in blocks:
        path = posixpath.normpath(block.path)
        _permit(path, allowed | new)
        if path not in files:
            content = read(path)
            if content is None:
                files[path] = _made(block, path, new)
                made.add(path)
                continue
            files[path] = read_text(path, content)
        files[path] = _applied(block, path, files[path])
    changed = {path: text.encode() for path, text in files.items()}
    return {path: content for path, content in changed.items() if path in made or content != read(path)}


def _permit(path: str, allowed: frozenset[str]) -> None:
    if path not in allowed:
        names = ", ".join(sorted(allowed))
        raise EditError(f"{path} is not in the plan; only these files may change: {names}")


def _made(block: Block, path: str, new: frozenset[str]) -> FileText:
    if path not in new:
        raise EditError(f"{path} does not exist and the plan makes no such file")
    if any(line.strip() for line in block.search):
        raise EditError(f"{path} does not exist yet; leave its SEARCH part empty")
    return new_text(block.replace)


def _applied(block: Block, path: str, text: FileText) -> FileText:
    if not any(line.strip() for line in block.search):
        if text.lines:
            raise EditError(
                f"{path} exists; an empty SEARCH only makes a new file, copy the lines that change"
            )
        return new_text(block.replace)
    try:
        found = match(text.lines, block.search, block.replace)
    except EditError as error:
        raise EditError(f"{path}: {error.reason}", shown=error.shown) from None
    return text.replaced(found.start, found.end, found.lines)

"""Search a tree for a text or a regular expression, within a bound of time."""

from __future__ import annotations

import fnmatch
from time import monotonic
from typing import TYPE_CHECKING, Final

import regex

from agent.reading.errors import CallError
from agent.reading.showing import bounded, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent.reading.tree import ReadableTree

SECONDS: Final = 5.0
_LONGEST_PATTERN: Final = 400
_MOST_HITS: Final = 60
_MORE: Final = "... there are more; narrow the search by a longer text or by `path`."


def search(tree: ReadableTree, text: str, *, is_regex: bool, ignore_case: bool, path: str) -> str:
    """Return ``path:line: text`` of each line that matches, bounded; raise ``CallError``."""
    pattern = compiled(text, is_regex=is_regex, ignore_case=ignore_case)
    found = bounded(_hits(tree, pattern, path), _MORE)
    return found or f"Nothing matches {cut(text)!r}{f' in {path}' if path else ''}."


def compiled(text: str, *, is_regex: bool, ignore_case: bool = False) -> regex.Pattern[str]:
    """Return the pattern; raise ``CallError`` for one that is too long or does not parse."""
    if not text.strip() or len(text) > _LONGEST_PATTERN:
        raise CallError(f"Give a text of 1 to {_LONGEST_PATTERN} characters.")
    try:
        return regex.compile(text if is_regex else regex.escape(text), regex.IGNORECASE if ignore_case else 0)
    except regex.error as error:
        raise CallError(
            f"This is no regular expression ({error}); escape it or set `regex` to false."
        ) from None


def chosen(tree: ReadableTree, pattern: str) -> list[str]:
    """Return the paths that a glob, a folder or a file name stands for; all without one."""
    pattern = pattern.strip().removeprefix("./").rstrip("/")
    if not pattern:
        return tree.paths()
    return [path for path in tree.paths() if _fits(path, pattern)]


def _fits(path: str, pattern: str) -> bool:
    return (
        path == pattern
        or path.startswith(f"{pattern}/")
        or fnmatch.fnmatchcase(path, pattern)
        or fnmatch.fnmatchcase(path, f"*/{pattern}")
    )


def _hits(tree: ReadableTree, pattern: regex.Pattern[str], path: str) -> Iterator[str]:
    """Yield hits, at most as many as may be shown and one more, as long as there is time."""
    deadline = monotonic() + SECONDS
    count = 0
    for name in chosen(tree, path):
        for number, line in enumerate((tree.text(name) or "").split("\n"), start=1):
            left = deadline - monotonic()
            try:
                hit = left > 0 and pattern.search(line, timeout=left) is not None
            except TimeoutError:
                left = 0.0
            if left <= 0:
                yield f"... stopped after {SECONDS:.0f} s in {name}; give a simpler pattern or a `path`."
                return
            if hit:
                count += 1
                if count > _MOST_HITS:
                    yield _MORE
                    return
                yield f"{name}:{number}: {cut(line.strip())}"

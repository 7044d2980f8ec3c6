"""Ranked files as a model is shown them: outlines with scores, what the proof ran marked. Pure but for reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent.reading.showing import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent.reading.tree import ReadableTree
    from retrieval.domain import RankedFile
    from retrieval.files.outline import Definition

FILES: Final = 8
_DEFINITIONS: Final = 25


def overview(
    files: Sequence[RankedFile],
    tree: ReadableTree,
    *,
    covered: frozenset[str] = frozenset(),
    functions: frozenset[tuple[str, int]] = frozenset(),
) -> str:
    """Return the best files with their definitions and lines, those with the best scores where there are many."""
    return "\n".join(
        _file(file, tree.definitions(file.path), covered, ran_in(tree, file.path, functions))
        for file in files[:FILES]
    )


def ran_in(tree: ReadableTree, path: str, functions: Iterable[tuple[str, int]]) -> tuple[Definition, ...]:
    """Return the definitions of a file that ran, given the first lines of the functions that did."""
    lines = {line for where, line in functions if where == path}
    return tuple(
        one
        for one in (tree.definitions(path) if lines else ())
        if one.kind == "function" and not lines.isdisjoint(heads(tree, path, one))
    )


def heads(tree: ReadableTree, path: str, one: Definition) -> range:
    """Return the lines at which a definition may be said to begin: its own and those of its decorators."""
    lines = (tree.text(path) or "").split("\n")
    start = one.start_line
    while start > 1 and lines[start - 2].lstrip().startswith("@"):
        start -= 1
    return range(start, one.start_line + 1)


def _file(
    file: RankedFile, definitions: Sequence[Definition], covered: frozenset[str], ran: Sequence[Definition]
) -> str:
    scores = {(one.name, one.start_line): one.score for one in file.chunks}
    best = sorted(
        definitions, key=lambda one: (one not in ran, -scores.get((one.name, one.start_line), 0.0))
    )[:_DEFINITIONS]
    lines = [
        f"  {one.start_line}-{one.end_line} {cut(one.name)}{'  [ran in the proof]' if one in ran else ''}"
        for one in sorted(best, key=lambda one: one.start_line)
    ]
    more = [f"  and {len(definitions) - len(best)} more definitions"] if len(best) < len(definitions) else []
    mark = "  [ran in the proof]" if file.path in covered else ""
    return "\n".join([f"{file.path}  score {file.score:.2f}{mark}", *lines, *more])

"""YAML read strictly, with the line of every key: no anchors, no tags, no second document, no duplicate keys.

Nothing is built before the whole text is known to be small, shallow and free of aliases, so a text that would
unfold to gigabytes is refused while it still is a few lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAXIMUM_BYTES = 64 * 1024
MAXIMUM_DEPTH = 8

Path = tuple[str | int, ...]

_PLAIN = {f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong: its line (counted from 1), the key it is under, and what to do."""

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        """Return the problem in one line."""
        return (
            f"line {self.line}, `{self.key}`: {self.message}"
            if self.key
            else f"line {self.line}: {self.message}"
        )


@dataclass(slots=True, kw_only=True)
class Tree:
    """The values of a document, the line of each path, and what was wrong."""

    values: dict[str, object] = field(default_factory=dict)
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line_of(self, path: Path) -> int:
        """Return the line of a path, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_tree(content: str | bytes) -> Tree:
    """Return the document; an empty one is an empty mapping. Errors are ``problems``, nothing is raised."""
    tree = Tree()
    text = _decoded(content, tree)
    if tree.problems or not _is_harmless(text, tree):
        return tree
    loader = yaml.SafeLoader(text)
    node = loader.get_single_node()
    if isinstance(node, yaml.MappingNode):
        tree.values = _mapping(node, (), tree, loader)
    elif node is not None and node.tag != "tag:yaml.org,2002:null":
        tree.problems.append(
            Problem(line=1, key="", message="keys and values are expected, such as `enabled: true`")
        )
    return tree


def _decoded(content: str | bytes, tree: Tree) -> str:
    if len(content) > MAXIMUM_BYTES:
        message = f"the file is larger than {MAXIMUM_BYTES // 1024} KiB"
        tree.problems.append(Problem(line=1, key="", message=message))
        return ""
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        tree.problems.append(Problem(line=line, key="", message="this is not UTF-8 text"))
        return ""


def _is_harmless(text: str, tree: Tree) -> bool:
    """Return whether the text is one shallow YAML document without anchors and tags."""
    try:
        for line, message in _faults(text):
            tree.problems.append(Problem(line=line, key="", message=message))
            return False
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        tree.problems.append(Problem(line=line, key="", message=f"this is not YAML: {error.problem}"))
    except yaml.YAMLError:
        tree.problems.append(Problem(line=1, key="", message="this is not YAML: it has control characters"))
    return not tree.problems


def _faults(text: str) -> Iterator[tuple[int, str]]:
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = _line(event)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        if getattr(event, "anchor", None):
            yield line, "anchors and aliases are not allowed here; write the value out"
        if isinstance(event, yaml.CollectionStartEvent | yaml.ScalarEvent) and event.tag:
            yield line, "tags (`!…`) are not allowed here"
        if depth > MAXIMUM_DEPTH:
            yield line, "this is nested too deeply"
        if documents > 1:
            yield line, "one document only; remove the `---` line"


def _line(place: yaml.Event | yaml.Node) -> int:
    return place.start_mark.line + 1 if place.start_mark else 1


def _mapping(node: yaml.MappingNode, path: Path, tree: Tree, loader: yaml.SafeLoader) -> dict[str, object]:
    values: dict[str, object] = {}
    for key_node, value_node in node.value:
        line = _line(key_node)
        key = str(key_node.value) if isinstance(key_node, yaml.ScalarNode) else ""
        if not key or key in values:
            message = "this key is given twice" if key else "a key must be a word"
            tree.problems.append(Problem(line=line, key=_dotted((*path, key)), message=message))
            continue
        tree.lines[(*path, key)] = line
        value = _value(value_node, (*path, key), tree, loader)
        if value is not None:
            values[key] = value
    return values


def _value(node: yaml.Node, path: Path, tree: Tree, loader: yaml.SafeLoader) -> object:
    tree.lines.setdefault(path, _line(node))
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, tree, loader)
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, (*path, index), tree, loader) for index, one in enumerate(node.value)]
    if node.tag not in _PLAIN:
        return node.value
    try:
        value: object = loader.construct_object(node)
    except ValueError:
        tree.problems.append(Problem(line=tree.line_of(path), key=_dotted(path), message="this is no number"))
        return None
    return value


def _dotted(path: Path) -> str:
    return ".".join(str(part) for part in path if part != "")


def merged(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Return both mappings joined: groups key by key, everything else from ``above`` where it is there."""
    joined = dict(below)
    for key, value in above.items():
        under = joined.get(key)
        joined[key] = merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return joined

"""A report as the ranking reads it: its words, and the places in the code that it names. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.files.document import bag_of, pairs_of, term
from retrieval.tokens import words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from retrieval.domain import FileQuery

LONGEST_TITLE = 500
LONGEST_BODY = 60_000
"""Characters of the body that are read; what follows in a longer report is logs, and the frames at its end."""

_LONGEST_LEAD = 800
_LONGEST_PATH = 400
_SHORTEST_LEAD = 6

_FENCE = re.compile(r"^(?:```|~~~).*?$(.*?)(?:^(?:```|~~~)[^\S\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"``?([^`\n]{1,200})``?")
_WORD_OF_PATH = re.compile(r"[\w.~@+\\/:-]+")
_ENDINGS = frozenset(
    {
        "py",
        "pyi",
        "pyx",
        "js",
        "jsx",
        "mjs",
        "cjs",
        "ts",
        "tsx",
        "go",
        "rs",
        "java",
        "kt",
        "rb",
        "php",
        "c",
        "cc",
    }
    | {
        "cpp",
        "h",
        "hpp",
        "cs",
        "swift",
        "scala",
        "lua",
        "pl",
        "sh",
        "vue",
        "html",
        "jinja",
        "jinja2",
        "j2",
        "tmpl",
    }
    | {
        "tpl",
        "css",
        "scss",
        "less",
        "sql",
        "rst",
        "md",
        "txt",
        "toml",
        "cfg",
        "ini",
        "json",
        "yml",
        "yaml",
        "xml",
    }
)
_FRAME = re.compile(r"File \"([^\"\n]{1,400})\", line \d+(?:, in (\S{1,200}))?")
_SCRIPT_FRAME = re.compile(
    r"^[ \t]*at (?:async )?(?:([\w.$<>\[\] ]{1,120}) )?\(?((?:file://)?[^\s()]{1,400}):\d+:\d+\)?",
    re.MULTILINE,
)
_PYTEST_FRAME = re.compile(r"^([\w./\\-]{1,300}\.py):\d+: (?:in )?(\w+)?", re.MULTILINE)
_CODE_NAME = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w*[A-Za-z]_\w+)\b|\b([A-Za-z_]\w*)\(")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A line of a traceback: the file as written and the function, if it was told."""

    path: str
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """What a report says. Names map to their weight: 2 where the first line holds them."""

    title: Mapping[int, float]
    body: Mapping[int, float]
    lead: Mapping[int, float]
    title_pairs: Mapping[int, float]
    body_pairs: Mapping[int, float]
    code_names: frozenset[str]
    plain_names: frozenset[str]
    paths: tuple[str, ...]
    frames: tuple[Frame, ...]

    @property
    def unique(self) -> Mapping[int, float]:
        """Return each term of title and body once."""
        return dict.fromkeys((*self.title, *self.body), 1.0)


def parse(query: FileQuery) -> ParsedQuery:
    """Return what the report says, template comments left out."""
    title = _uncommented(query.title[:LONGEST_TITLE])
    body = _uncommented(_shortened(query.title[LONGEST_TITLE:] + query.body))
    text = f"{title}\n{body}"
    return ParsedQuery(
        title=_weights(bag_of(title), once=True),
        body=_weights(bag_of(text)),
        lead=_weights(bag_of(_lead(title, body)), once=True),
        title_pairs=_weights(pairs_of(words(title)), once=True),
        body_pairs=_weights(pairs_of(words(text)), once=True),
        code_names=frozenset(_names(text)) | frozenset(_PLAIN_NAME.findall(" ".join(_INLINE.findall(text)))),
        plain_names=frozenset(_PLAIN_NAME.findall(text)),
        paths=_paths(text),
        frames=_frames(text),
    )


def _uncommented(text: str) -> str:
    """Return a text without HTML comments; one that is never closed stays."""
    parts = text.split("<!--")
    for at, part in enumerate(parts[1:], start=1):
        inside, closed, after = part.partition("-->")
        parts[at] = f" {after}" if closed else f" {inside}"
    return "".join(parts)


def _paths(text: str) -> tuple[str, ...]:
    """Return what looks like a path with a known ending, line numbers and addresses' schemes left out."""
    found = []
    for word in _WORD_OF_PATH.findall(text):
        path = re.sub(r"(:\d+)+$", "", word.rstrip(".:-")).rpartition("://")[2]
        name = path.replace("\\", "/").rpartition("/")[2]
        stem, dot, ending = name.rpartition(".")
        if dot and stem and ending.lower() in _ENDINGS and len(path) <= _LONGEST_PATH:
            found.append(_clean(path))
    return tuple(dict.fromkeys(found))


def _lead(title: str, body: str) -> str:
    """Return the first line with the first two paragraphs of prose: what a reader would take for the gist."""
    paragraphs = re.split(r"\n\s*\n", _FENCE.sub(" ", body))
    prose = [one for one in paragraphs if len(one.split()) > _SHORTEST_LEAD][:2]
    return f"{title}\n{' '.join(prose)[:_LONGEST_LEAD]}"


def _shortened(body: str) -> str:
    """Return the body without the middle of an overlong one: the last lines of a traceback say most."""
    if len(body) <= LONGEST_BODY:
        return body
    return f"{body[: LONGEST_BODY * 3 // 4]}\n{body[-LONGEST_BODY // 4 :]}"


def _weights(counted: Counter[int], *, once: bool = False) -> dict[int, float]:
    return {number: 1.0 if once else float(count) for number, count in counted.items()}


def _names(text: str) -> list[str]:
    return [match[1] or match[0] for match in _CODE_NAME.finditer(text)]


def _clean(path: str) -> str:
    return path.replace("\\", "/").removeprefix("file://").lstrip("./~")


def _frames(text: str) -> tuple[Frame, ...]:
    """Return the frames in the order of the text; in Python the last is the innermost."""
    python = [(match.start(), match[1], match[2] or "") for match in _FRAME.finditer(text)]
    script = [(-match.start(), match[2], match[1] or "") for match in _SCRIPT_FRAME.finditer(text)]
    short = [(match.start(), match[1], match[2] or "") for match in _PYTEST_FRAME.finditer(text)]
    return tuple(
        Frame(path=_clean(path), function=name) for _, path, name in sorted((*python, *script, *short))
    )


def path_terms(path: str) -> Counter[int]:
    """Return the terms of a path, its ending left out."""
    counted = bag_of(path.rpartition(".")[0].replace("/", " ") if "." in path.rpartition("/")[2] else path)
    counted.update({term(f"/{path.rpartition('/')[2].lower()}"): 1})
    return counted

"""A report as the ranking reads it: its words, and the places in the code that it names. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.files.document import bag_of, imports_of, pairs_of, term
from retrieval.tokens import words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from retrieval.domain import FileQuery

LONGEST_BODY = 60_000
"""Characters of the body that are read; what follows in a longer report is logs, and the frames at its end."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"^(?:```|~~~).*?$(.*?)(?:^(?:```|~~~)[^\S\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"``?([^`\n]{1,200})``?")
_SUFFIXES = (
    "py|pyi|pyx|js|jsx|mjs|cjs|ts|tsx|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|lua|pl|sh|vue"
)
_SUFFIXES += "|html|jinja2?|j2|tmpl|tpl|css|scss|less|sql|rst|md|txt|toml|cfg|ini|json|ya?ml|xml"
_PATH = re.compile(
    rf"(?<![\w/.\\-])((?:[A-Za-z]:)?[\w.~@+\\/-]*?[\w+-]+\.(?:{_SUFFIXES}))(?![\w/-])", re.ASCII
)
_FRAME = re.compile(r"File \"([^\"\n]{1,400})\", line \d+(?:, in (\S+))?")
_SCRIPT_FRAME = re.compile(
    r"^\s*at (?:async )?(?:([\w.$<>\[\] ]{1,120}) )?\(?((?:file://)?[^\s()]{1,400}):\d+:\d+\)?", re.MULTILINE
)
_PYTEST_FRAME = re.compile(r"^([\w./\\-]{1,300}\.py):\d+: (?:in )?(\w+)?", re.MULTILINE)
_DOTTED = re.compile(r"(?<![\w./])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)")
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
    title_pairs: Mapping[int, float]
    body_pairs: Mapping[int, float]
    title_names: frozenset[str]
    code_names: frozenset[str]
    plain_names: frozenset[str]
    dotted: tuple[str, ...]
    imported: tuple[str, ...]
    paths: tuple[str, ...]
    frames: tuple[Frame, ...]

    @property
    def unique(self) -> Mapping[int, float]:
        """Return each term of title and body once."""
        return dict.fromkeys((*self.title, *self.body), 1.0)


def parse(query: FileQuery) -> ParsedQuery:
    """Return what the report says, template comments left out."""
    title, body = _COMMENT.sub(" ", query.title), _shortened(_COMMENT.sub(" ", query.body))
    text = f"{title}\n{body}"
    code = " \n ".join((*_FENCE.findall(text), *_INLINE.findall(text)))
    return ParsedQuery(
        title=_weights(bag_of(title), once=True),
        body=_weights(bag_of(text)),
        title_pairs=_weights(pairs_of(words(title)), once=True),
        body_pairs=_weights(pairs_of(words(text)), once=True),
        title_names=frozenset(_PLAIN_NAME.findall(title)),
        code_names=frozenset(_names(text)) | frozenset(_PLAIN_NAME.findall(" ".join(_INLINE.findall(text)))),
        plain_names=frozenset(_PLAIN_NAME.findall(text)),
        dotted=tuple(dict.fromkeys(_DOTTED.findall(text))),
        imported=tuple(dict.fromkeys((*imports_of(text), *imports_of(code)))),
        paths=tuple(dict.fromkeys(_clean(path) for path in _PATH.findall(text))),
        frames=_frames(text),
    )


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

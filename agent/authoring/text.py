"""A file's bytes as lines and back, with its line ends, encoding, byte order mark and final newline. Pure."""

from __future__ import annotations

import contextlib
import io
import tokenize
from dataclasses import dataclass
from typing import Final

from agent.authoring.errors import EditError

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """``lines`` are without their ends, ``ends`` are those ends; the last one may be empty."""

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    encoding: str = "utf-8"
    bom: bytes = b""

    @property
    def newline(self) -> str:
        """Return the line end that most lines have."""
        crlf = sum(end == "\r\n" for end in self.ends)
        return "\r\n" if 2 * crlf > len(self.ends) else "\n"

    def replaced(self, start: int, end: int, lines: tuple[str, ...]) -> FileText:
        """Return the file with the lines ``start:end`` replaced; lines that stay as they were keep their ends."""
        while start < end and lines and self.lines[start] == lines[0]:
            start, lines = start + 1, lines[1:]
        while start < end and lines and self.lines[end - 1] == lines[-1]:
            end, lines = end - 1, lines[:-1]
        ends = [*self.ends[:start], *[self.newline] * len(lines), *self.ends[end:]]
        if ends and self.ends:
            # The last line of the file ends as it did, whichever line that is now.
            ends = [one or self.newline for one in ends[:-1]] + [self.ends[-1]]
        return FileText(
            lines=(*self.lines[:start], *lines, *self.lines[end:]),
            ends=tuple(ends),
            encoding=self.encoding,
            bom=self.bom,
        )

    def encode(self) -> bytes:
        """Return the bytes; raise ``EditError`` when a new character has no place in the file's encoding."""
        text = "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            character = text[error.start : error.end]
            raise EditError(
                f"the file is {self.encoding}: {character!r} cannot be written; use plain characters"
            ) from None


def read_text(path: str, content: bytes) -> FileText:
    """Return a file's lines; raise ``EditError`` for one that is no text."""
    if b"\0" in content:
        raise EditError(f"{path} is not text and cannot be edited")
    bom = _BOM if content.startswith(_BOM) else b""
    body = content.removeprefix(_BOM)
    text, encoding = _decoded(path, body)
    raw = text.split("\n")
    ends = ["\n"] * (len(raw) - 1) + [""]
    lines = []
    for number, line in enumerate(raw):
        if ends[number] and line.endswith("\r"):
            ends[number] = "\r\n"
            line = line[:-1]  # noqa: PLW2901 - its end is kept beside it
        lines.append(line)
    if not lines[-1]:
        lines.pop()
        ends.pop()
    return FileText(lines=tuple(lines), ends=tuple(ends), encoding=encoding, bom=bom)


def new_text(lines: tuple[str, ...], newline: str = "\n") -> FileText:
    """Return a new file of ``lines``, ended by a newline."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return FileText(lines=tuple(kept), ends=(newline,) * len(kept))


def _decoded(path: str, body: bytes) -> tuple[str, str]:
    """Return text and encoding; Latin-1 keeps every byte of an unknown encoding."""
    encodings = ["utf-8", "latin-1"]
    if path.endswith((".py", ".pyi")):
        with contextlib.suppress(SyntaxError, LookupError):
            encodings.insert(0, tokenize.detect_encoding(io.BytesIO(body).readline)[0])
    for encoding in encodings:
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError:
            continue
        if text.encode(encoding) == body:
            return text, encoding
    raise EditError(f"{path} is not text and cannot be edited")

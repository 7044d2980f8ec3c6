"""Reads one commit out of the bytes of ``git log``; pure, and bounded whatever the commit holds."""

from __future__ import annotations

import re

from retrieval.commits.domain import CommitPatch, FileChange

FORMAT = "%x00%x00%H%x00%P%x00%at%x00%ct%x00%B%x00"
"""The format string; a record begins with two NULs at the start of a line, where no message or diff has any."""

RECORD_START = b"\x00\x00"

MESSAGE_CHARACTERS = 20_000
FILE_CHARACTERS = 8_000
COMMIT_CHARACTERS = 40_000
LINE_CHARACTERS = 400
FILES = 2_000
SECTIONS = 200

_HEADER_FIELDS = 5
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_ESCAPED = {b"a": 7, b"b": 8, b"f": 12, b"n": 10, b"r": 13, b"t": 9, b"v": 11, b'"': 34, b"\\": 92}


def commit_of(record: bytes, *, complete: bool = True) -> CommitPatch:
    """Return the commit of one record: header, message, ``--numstat`` and ``-p -U0``, any of them cut short."""
    head = record.removeprefix(RECORD_START).split(b"\x00", _HEADER_FIELDS)
    head += [b""] * (_HEADER_FIELDS + 1 - len(head))
    name, parents, authored, committed, message, body = head
    listing, _, patch = body.partition(b"\ndiff --git ")
    sections, lines = _hunks(patch)
    return CommitPatch(
        id=_text(name),
        parents=tuple(_text(parents).split()),
        authored=_seconds(authored),
        committed=_seconds(committed),
        message=_text(message[: 4 * MESSAGE_CHARACTERS])[:MESSAGE_CHARACTERS].strip(),
        changes=_changes(listing),
        sections=sections,
        lines=lines,
        complete=complete,
    )


def unquoted(path: bytes) -> str:
    """Return a path as git prints it without the C quotes it puts round unusual names."""
    if not (path.startswith(b'"') and path.endswith(b'"') and len(path) > 1):
        return _text(path)
    return _text(_ESCAPE.sub(_unescaped, path[1:-1]))


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    value = _ESCAPED[code] if code in _ESCAPED else int(code, 8) & 0xFF
    return bytes((value,))


def _changes(listing: bytes) -> tuple[FileChange, ...]:
    """Return the files of ``--numstat``, or of ``--raw`` where no contents could be compared."""
    found: list[FileChange] = []
    for line in listing.split(b"\n"):
        added, _, rest = line.partition(b"\t")
        if added.startswith(b":"):
            rest = b"-\t" + rest
        deleted, _, path = rest.partition(b"\t")
        if path and len(found) < FILES:
            found.append(FileChange(path=unquoted(path), added=_count(added), deleted=_count(deleted)))
    return tuple(found)


def _hunks(patch: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    sections: dict[str, None] = {}
    lines: list[str] = []
    left = COMMIT_CHARACTERS
    for file in patch.split(b"\ndiff --git ") if patch else ():
        left -= _read_file(file, min(left, FILE_CHARACTERS), sections, lines)
        if left <= 0:
            break
    return tuple(sections)[:SECTIONS], tuple(lines)


def _read_file(file: bytes, limit: int, sections: dict[str, None], lines: list[str]) -> int:
    """Append one file's hunks, at most ``limit`` characters of them, and return how many were taken."""
    taken = 0
    start = file.find(b"\n@@")
    while start >= 0 and taken < limit:
        end = file.find(b"\n", start + 1)
        line = file[
            start + 1 : min(end, start + 1 + LINE_CHARACTERS) if end >= 0 else start + LINE_CHARACTERS
        ]
        start = end
        if line.startswith(b"@@"):
            section = line.partition(b"@@ ")[2].partition(b"@@")[2].strip()
            if section:
                sections.setdefault(_text(section))
        elif line[:1] in {b"+", b"-"}:
            lines.append(_text(line))
            taken += len(line)
    return taken


def _count(digits: bytes) -> int | None:
    return int(digits) if digits.isdigit() else None


def _seconds(digits: bytes) -> int:
    return int(digits) if digits.lstrip(b"-").isdigit() else 0


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")

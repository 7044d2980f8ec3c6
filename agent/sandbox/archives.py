"""What goes in and out of a sandbox, as tar streams that are never unpacked on the host. Pure."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_BLOCK: Final = 512
_REGULAR: Final = (b"0", b"\0")
_LONG_NAME: Final = b"L"


def tree_command(tree: str, hidden: Sequence[str]) -> list[str]:
    """Return the command that writes ``tree`` to its standard output without ``.git`` and ``hidden``.

    ``hidden`` are paths relative to the tree that a mount covers. Links are stored as links; sockets are
    skipped, and so are files that cannot be read, as both are no part of a project's sources.
    """
    exclusions = [f"--exclude=./{escaped(path)}" for path in hidden]
    return [
        "tar",
        "--create",
        "--file=-",
        f"--directory={tree}",
        "--format=gnu",
        "--transform=flags=rhS;s,^[.],work,",
        "--anchored",
        *exclusions,
        "--no-anchored",
        "--exclude=.git",
        "--mode=u+rwX,ug-s",
        "--ignore-failed-read",
        "--warning=none",
        "--",
        ".",
    ]


def escaped(path: str) -> str:
    """Return ``path`` as a tar pattern that matches only itself."""
    return "".join(f"\\{character}" if character in "*?[]\\" else character for character in path)


def files_archive(files: Mapping[str, bytes]) -> bytes:
    """Return a tar archive of ``files``; names are relative to ``/``."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def regular_files(stream: bytes, wanted: Iterable[str]) -> dict[str, bytes]:
    """Return the regular files in a GNU tar ``stream`` at or below a ``wanted`` name.

    The stream comes from inside and may be cut short or forged: links, devices, pax headers and other names
    are passed over, and reading ends at the first block that makes no sense.
    """
    names = tuple(name.rstrip("/") for name in wanted)
    found: dict[str, bytes] = {}
    position, long_name = 0, None
    while (header := stream[position : position + _BLOCK]) and len(header) == _BLOCK:
        size, kind = _size(header), header[156:157]
        body = stream[position + _BLOCK : position + _BLOCK + (size or 0)]
        if size is None or len(body) < size:
            break
        position += _BLOCK + -(-size // _BLOCK) * _BLOCK
        if kind == _LONG_NAME:
            long_name = _text(body)
            continue
        name, long_name = long_name or _text(header[:100]), None
        if kind in _REGULAR and _is_below(name, names):
            found[name] = body
    return found


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode(errors="surrogateescape")


def _size(header: bytes) -> int | None:
    """Return the member's size, None for the closing zero block and for nonsense."""
    digits = header[124:136].strip(b" \0")
    if not digits or any(digit not in b"01234567" for digit in digits):
        return None
    return int(digits, 8)


def _is_below(name: str, wanted: tuple[str, ...]) -> bool:
    if ".." in name.split("/"):
        return False
    return any(name == path or name.startswith(f"{path}/") for path in wanted)

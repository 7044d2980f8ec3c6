"""A document as bytes and back. Pure; the layout belongs to ``document.FORMAT``."""

from __future__ import annotations

import json
import struct

import numpy as np

from retrieval.files.bags import Bags
from retrieval.files.document import Document
from retrieval.files.outline import Definition

_HEAD = struct.Struct("<I9I")


def encode(document: Document) -> bytes:
    """Return the bytes that ``decode`` reads."""
    outlined = [[one.name, one.kind, one.start_line, one.end_line] for one in document.definitions]
    facts = json.dumps([outlined, document.generated], separators=(",", ":")).encode("utf-8")
    bags = (document.body, document.pairs, document.chunks)
    arrays = [array for one in bags for array in (one.terms, one.counts, one.ends.astype(np.uint32))]
    head = _HEAD.pack(len(facts), *(len(array) for array in arrays))
    return b"".join((head, facts, *(array.tobytes() for array in arrays)))


def decode(data: bytes) -> Document:
    """Return the document in ``data``; raise ``ValueError`` or ``struct.error`` when it is damaged."""
    facts_size, *sizes = _HEAD.unpack_from(data)
    at = _HEAD.size + facts_size
    outlined, generated = json.loads(data[_HEAD.size : at])
    bags = []
    for first in (0, 3, 6):
        arrays = []
        for size, kind in zip(sizes[first : first + 3], (np.uint32, np.uint16, np.uint32), strict=True):
            arrays.append(np.frombuffer(data, dtype=kind, count=size, offset=at))
            at += size * np.dtype(kind).itemsize
        bags.append(Bags(terms=arrays[0], counts=arrays[1], ends=arrays[2].astype(np.int64)))
    definitions = tuple(Definition(name=n, kind=k, start_line=s, end_line=e) for n, k, s, e in outlined)
    body, pairs, chunks = bags
    return Document(
        body=body,
        pairs=pairs,
        definitions=definitions,
        chunks=chunks,
        generated=generated,
    )

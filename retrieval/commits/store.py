"""The index of a repository's commits on disk: segments and a manifest that names them.

A segment is never changed. New commits become a new segment; small segments are merged by reading their commits
anew when there are many. The manifest is replaced in one step and names what counts, so a crash leaves at worst a
folder that nothing names, and deleting the index costs only the time to build it again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
import uuid
from typing import TYPE_CHECKING

from retrieval.commits.document import document_of
from retrieval.commits.history import commit_ids, read_commits
from retrieval.commits.segment import Segment, SegmentBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from retrieval.git import GitRepository

LAYOUT = 1
"""Goes up when anything that is stored changes; an index of another layout is built again."""

SEGMENT_COMMITS = 8_192
SMALL_SEGMENTS = 8
_SMALL = SEGMENT_COMMITS // 4


class CommitIndex:
    """The index in ``folder``; ``update`` brings it to the state of the repository."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def update(self, repository: GitRepository) -> list[Segment]:
        """Add the commits that are not indexed yet and return all segments; raise ``GitError``.

        One process writes at a time; another waits for it and finds the work done.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._locked():
            segments = self._segments()
            known = {bytes(name).decode() for segment in segments for name in segment.ids}
            wanted = [name for name in commit_ids(repository) if name not in known]
            segments = self._without_many_small(segments, wanted)
            segments += [Segment(folder) for folder in self._written(repository, wanted)]
            self._publish(segments)
        return segments

    def _without_many_small(self, segments: list[Segment], wanted: list[str]) -> list[Segment]:
        """Return the segments to keep; the commits of the others are put before ``wanted`` to be read again."""
        small = [segment for segment in segments if len(segment) < _SMALL]
        if not wanted or len(small) < SMALL_SEGMENTS:
            return segments
        wanted[:0] = [bytes(name).decode() for segment in small for name in segment.ids]
        return [segment for segment in segments if len(segment) >= _SMALL]

    def _written(self, repository: GitRepository, wanted: Sequence[str]) -> Iterator[Path]:
        builder = SegmentBuilder()
        for commit in read_commits(repository, wanted):
            builder.add(document_of(commit))
            if len(builder) >= SEGMENT_COMMITS:
                yield self._write(builder)
                builder = SegmentBuilder()
        if len(builder):
            yield self._write(builder)

    def _write(self, builder: SegmentBuilder) -> Path:
        folder = self._folder / f"segment-{uuid.uuid4().hex}"
        builder.write(folder)
        return folder

    def _segments(self) -> list[Segment]:
        """Return the segments the manifest names; none when it is missing, damaged or of another layout."""
        try:
            manifest = json.loads((self._folder / "manifest.json").read_text(encoding="utf-8"))
            if manifest["layout"] != LAYOUT:
                return []
            return [Segment(self._folder / str(name)) for name in manifest["segments"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def _publish(self, segments: Sequence[Segment]) -> None:
        names = [segment.folder.name for segment in segments]
        draft = self._folder / "manifest.json.new"
        draft.write_text(json.dumps({"layout": LAYOUT, "segments": names}), encoding="utf-8")
        draft.replace(self._folder / "manifest.json")
        for folder in self._folder.glob("segment-*"):
            if folder.name not in names:
                shutil.rmtree(folder, ignore_errors=True)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with (self._folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

"""The releases of a project by its tags, and the commits that each brought."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.commits.mentions import version_mentions
from retrieval.versions import tag_version, version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.commits.columns import History, Mask
    from retrieval.commits.domain import AdvisoryQuery
    from retrieval.git import GitRepository
    from retrieval.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A tagged version; ``commit`` is its position in the history."""

    version: Version
    commit: int
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The commits between the release before a fix and the one that has it.

    ``until`` is the position of the later release, None when there is none yet.
    """

    commits: Mask
    until: int | None
    after: str
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    after: Release | None
    until: Release | None


def tag_commits(repository: GitRepository) -> list[tuple[str, str]]:
    """Return the names of tags and the objects they finally point to, whatever these are."""
    form = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)"
    lines = repository.text("for-each-ref", form, "refs/tags").splitlines()
    rows = (line.split("\0") for line in lines)
    return [(row[0], row[2] or row[1]) for row in rows if len(row) == 3]  # noqa: PLR2004 - three were asked for


class Releases:
    """The releases of one history, by label of their tags; a project's own label comes first."""

    def __init__(self, history: History, tags: Iterable[tuple[str, str]]) -> None:
        self._history = history
        by_label: defaultdict[str, list[Release]] = defaultdict(list)
        for name, commit in tags:
            found, position = tag_version(name), history.position(commit)
            if found and position is not None:
                by_label[found.label].append(Release(version=found.version, commit=position, tag=name))
        for releases in by_label.values():
            releases.sort(key=lambda release: release.version.key)
        labels = sorted(by_label, key=lambda label: (label != "", -len(by_label[label]), label))
        self._labels = {label: by_label[label] for label in labels}

    def until(self, moment: float) -> Releases:
        """Return the releases as they were at a time, in seconds since 1970."""
        committed = self._history.column("committed")
        old = (
            found for known in self._labels.values() for found in known if committed[found.commit] <= moment
        )
        return Releases(self._history, ((found.tag, self._history.id(found.commit)) for found in old))

    def windows(self, query: AdvisoryQuery) -> tuple[Window, ...]:
        """Return where the fix should lie by the versions of the advisory and of its text; often one window."""
        named = version_mentions("\n".join((query.text, *query.affected)))
        listed = _versions(query.fixed)
        bounds = [self._fixed_in(version) for version in listed]
        further = [version for version in _versions(named.fixed) if version not in listed]
        bounds += [found for found in map(self._fixed_in, further) if found and found.until]
        if not listed and not any(bounds):
            bounds += [self._after(version) for version in _versions(named.last_affected)]
        return tuple(window for found in bounds if found for window in self._window(found))

    def _fixed_in(self, version: Version) -> _Bounds | None:
        """Return the bounds of the release that first has a version, or of what followed the last one below."""
        for label, releases in self._labels.items():
            exact = next((release for release in releases if release.version == version), None)
            if exact:
                return _Bounds(after=self._below(label, version), until=exact)
        for label, releases in list(self._labels.items())[:1]:
            later = (found for found in releases if found.version > version and found.version.released)
            return _Bounds(after=self._below(label, version), until=next(later, None))
        return None

    def _after(self, version: Version) -> _Bounds | None:
        """Return the bounds of the release that followed a version that is tagged."""
        for releases in self._labels.values():
            exact = next((release for release in releases if release.version == version), None)
            if exact:
                later = (found for found in releases if found.version > version and found.version.released)
                return _Bounds(after=exact, until=next(later, None))
        return None

    def _below(self, label: str, version: Version) -> Release | None:
        """Return the highest release below a version: projects that changed their labels had none before."""
        candidates = [*self._labels[label], *(self._labels.get("", []) if label else [])]
        lower = [release for release in candidates if release.version < version and release.version.released]
        return max(lower, key=lambda release: release.version.key, default=None)

    def _window(self, bounds: _Bounds) -> Sequence[Window]:
        if bounds.until is None and bounds.after is None:
            return ()
        history = self._history
        if bounds.until is not None:
            commits = history.ancestors(bounds.until.commit)
            if bounds.after is not None:
                commits &= ~history.ancestors(bounds.after.commit)
        else:
            assert bounds.after is not None  # noqa: S101 - one of the two is there
            commits = ~history.ancestors(bounds.after.commit)
        return (
            Window(
                commits=commits,
                until=bounds.until.commit if bounds.until else None,
                after=bounds.after.tag if bounds.after else "",
                before=bounds.until.tag if bounds.until else "",
            ),
        )


def _versions(texts: Iterable[str]) -> list[Version]:
    found = (version_of(text) for text in texts)
    return list(dict.fromkeys(version for version in found if version))

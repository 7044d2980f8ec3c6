"""The rule of one weakness: detectors by language, composed into candidates of several scopes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from agent.domain.patch import Candidate, Declined, Finding, Origin
from agent.syntax.edits import apply
from agent.syntax.source import language_of, parses, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from agent.domain.patch import SourceFile
    from agent.domain.report import Report
    from agent.syntax.edits import Edit
    from agent.syntax.source import Source

# classes so wide that they name no weakness; the report's words decide
BROAD_CWES: Final = frozenset(
    f"CWE-{number}" for number in (19, 20, 74, 93, 284, 285, 400, 664, 668, 669, 693, 697, 704, 707, 843)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One place and the edits that close it.

    ``symbol`` is the definition around it, ``form`` tells alternative ways of fixing the same place apart
    (each form becomes candidates of its own), ``reason`` completes "because ...".
    """

    line: int
    symbol: str
    edits: tuple[Edit, ...]
    reason: str
    form: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One place that shows the weakness and will not be changed by rule.

    ``symbol`` is given where the weakness is certain, so that the place counts as a finding.
    """

    line: int
    reason: str
    symbol: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaknessRule:
    """A rule of the ``Rule`` port made of pure detectors, one a language.

    ``words`` is searched in a report that names no weakness, or only a broad one. A ``definitive`` rule's finding
    is the flaw itself, whatever the input; under a CWE of ``shared``, which other flaws have too, it is so only
    when the words are there as well.
    """

    name: str
    cwes: frozenset[str]
    words: re.Pattern[str]
    detectors: Mapping[str, Callable[[Source], Iterable[Fix | Refusal]]]
    summary: str
    definitive: bool = False
    shared: frozenset[str] = frozenset()

    def speaks(self, report: Report) -> bool:
        """Whether the report speaks of this weakness: by CWE, else by its words."""
        if self.cwes & set(report.cwes):
            return True
        if set(report.cwes) - BROAD_CWES:
            return False
        return self._worded(report)

    def propose(self, report: Report, files: Sequence[SourceFile]) -> tuple[Candidate | Declined, ...]:
        """Return candidates from the narrowest scope to the widest, then what was declined."""
        if not self.speaks(report):
            return ()
        places: list[_Place] = []
        declined: list[Declined] = []
        for file in files:
            detect = self.detectors.get(family(language_of(file.path)))
            if detect is None:
                continue
            source = read(file)
            if source is None:
                declined.append(
                    self._declined(file.path, 1, "the file is not text in a syntax that can be parsed")
                )
                continue
            for finding in detect(source):
                if isinstance(finding, Refusal):
                    declined.append(self._declined(file.path, finding.line, finding.reason))
                else:
                    places.append(_Place(source=source, fix=finding))
        composed = list(self._compose(places, names_in(report)))
        return (
            *(item for item in composed if isinstance(item, Candidate)),
            *(item for item in composed if isinstance(item, Declined)),
            *declined,
        )

    def findings(self, report: Report, files: Sequence[SourceFile]) -> tuple[Finding, ...]:
        """Return the places in ``files`` that surely show the weakness, none when the report is of another one."""
        named = self.cwes & set(report.cwes) - self.shared
        if not self.speaks(report) or not (named or self._worded(report)):
            return ()
        return tuple(finding for file in files for finding in self._found(file))

    def _worded(self, report: Report) -> bool:
        return self.words.search(f"{report.title}\n{report.body}") is not None

    def _found(self, file: SourceFile) -> Iterator[Finding]:
        detect = self.detectors.get(family(language_of(file.path)))
        source = read(file) if detect is not None else None
        for place in detect(source) if detect is not None and source is not None else ():
            if place.symbol is not None:
                yield Finding(path=file.path, line=place.line, symbol=place.symbol)

    def _compose(self, places: list[_Place], names: frozenset[str]) -> Iterator[Candidate | Declined]:
        """Yield one candidate a form and scope; a scope that changes nothing else than a narrower one is left out."""
        seen: list[object] = []
        for form in dict.fromkeys(place.fix.form for place in places):
            of_form = [place for place in places if place.fix.form == form]
            for scope, chosen in scopes(of_form, names):
                item = self._candidate(scope, chosen)
                outcome = item.changes if isinstance(item, Candidate) else item
                if outcome not in seen:
                    seen.append(outcome)
                    yield item

    def _candidate(self, scope: str, places: Sequence[_Place]) -> Candidate | Declined:
        changes: dict[str, bytes | None] = {}
        for path in dict.fromkeys(place.source.path for place in places):
            here = [place for place in places if place.source.path == path]
            source = here[0].source
            text = apply(source.text, (edit for place in here for edit in place.fix.edits))
            if text is None or not parses(text, source.language):
                return self._declined(path, here[0].fix.line, "the edits would not leave the file whole")
            changes[path] = source.encode(text)
        lines = ", ".join(f"{place.source.path}:{place.fix.line}" for place in places)
        reasons = "; ".join(dict.fromkeys(place.fix.reason for place in places))
        rationale = f"{self.summary} ({scope}: {lines}): {reasons}."
        return Candidate(origin=Origin.RULE, source=self.name, rationale=rationale, changes=changes)

    def _declined(self, path: str, line: int, reason: str) -> Declined:
        return Declined(source=self.name, path=path, line=line, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    source: Source = field(repr=False)
    fix: Fix


def family(language: str | None) -> str:
    """Return the detector key of a language: TypeScript is read by the JavaScript detectors."""
    return "javascript" if language in {"typescript", "tsx"} else language or ""


def names_in(report: Report) -> frozenset[str]:
    """Return the identifiers the report speaks of, in text and snippets."""
    text = "\n".join([report.title, report.body, *(snippet.code for snippet in report.snippets)])
    return frozenset(re.findall(r"[A-Za-z_$][\w$]*", text))


def scopes(places: Sequence[_Place], names: frozenset[str]) -> Iterator[tuple[str, list[_Place]]]:
    """Yield scopes from narrow to wide: the named definitions, the best ranked file, every ranked file."""
    named = [place for place in places if place.fix.symbol in names]
    if named:
        yield "in what the report names", named
    best = [place for place in places if place.source.path == places[0].source.path]
    yield "in the best ranked file", best
    yield "in every ranked file", list(places)

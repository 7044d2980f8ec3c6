"""Reads what test runners wrote: our own JSON lines, TAP, vows and vitest JSON. Pure.

Ids are made unique and stable: the same name again in one run gets ``#2``, ``#3`` in order of appearance,
except for the phases of one test, where the worst one counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agent.domain.project import TestStatus

SEVERITY = {TestStatus.PASSED: 0, TestStatus.SKIPPED: 1, TestStatus.FAILED: 2, TestStatus.ERROR: 3}
STATUSES = frozenset(TestStatus)
AROUND = frozenset({"setup", "teardown"})
VOWS = {
    "honored": TestStatus.PASSED,
    "broken": TestStatus.FAILED,
    "errored": TestStatus.ERROR,
    "pending": TestStatus.SKIPPED,
}
TAP_LINE = re.compile(r"^(\s*)(not )?ok\b(?:[ \t]+(\d+))?[ \t]*(?:-[ \t]*)?(.*)$")
TAP_DIRECTIVE = re.compile(r"\s*(?<!\\)#\s*(skip|todo)\b.*$|\s*#\s*time=.*$", re.IGNORECASE)
PLAN = re.compile(r"^1\.\.\d+", re.MULTILINE)
SUBTEST = re.compile(r"^(\s*)#\s*Subtest:\s*(.*)$")
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result per test, and whether the runner said that it came to its end."""

    results: Mapping[str, TestStatus] = field(default_factory=dict)
    ended: bool = False


def json_lines(text: str) -> Outcome:
    """Read our own reporters' lines; a last line that was cut short is passed over.

    A phase around a test that went well says nothing of the test, which may have been cut short.
    """
    results: dict[str, TestStatus] = {}
    calls: dict[str, int] = {}
    ended = False
    for entry in _objects(text):
        name, phase, outcome = (str(entry.get(key, "")) for key in ("id", "phase", "outcome"))
        ended = ended or phase == "end"
        if outcome not in STATUSES or (phase in AROUND and outcome == TestStatus.PASSED):
            continue
        name = ADDRESS.sub("0x", name)
        calls[name] = calls.get(name, 0) + (phase == "call")
        key = _numbered(name, calls[name])
        results[key] = max(results.get(key, TestStatus.PASSED), TestStatus(outcome), key=SEVERITY.__getitem__)
    return Outcome(results=results, ended=ended)


def _objects(text: str) -> Iterator[Mapping[str, object]]:
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, Mapping):
            yield entry


def _numbered(name: str, count: int) -> str:
    return name if count <= 1 else f"{name}#{count}"


def tap(text: str) -> Outcome:
    """Read TAP 12 to 14 with subtests: only the leaves count, named by their parents joined with `` > ``."""
    results: dict[str, TestStatus] = {}
    counts: dict[str, int] = {}
    parents: list[tuple[int, str]] = []
    done: dict[int, int] = {}
    for line in text.splitlines():
        if match := SUBTEST.match(line):
            _enter(parents, len(match[1]), match[2].strip())
        elif match := TAP_LINE.match(line):
            depth = len(match[1])
            while parents and parents[-1][0] > depth:
                parents.pop()
            had_children = done.pop(depth, 0) > 0 and bool(parents) and parents[-1][0] == depth
            if parents and parents[-1][0] == depth:
                parents.pop()
            title, status = _tap_result(match)
            if not had_children:
                name = " > ".join([*(parent for level, parent in parents if level < depth), title])
                counts[name] = counts.get(name, 0) + 1
                results[_numbered(name, counts[name])] = status
            for level, _name in parents:
                done[level] = done.get(level, 0) + 1
    return Outcome(results=results, ended=PLAN.search(text) is not None)


def _enter(parents: list[tuple[int, str]], depth: int, name: str) -> None:
    while parents and parents[-1][0] >= depth:
        parents.pop()
    parents.append((depth, name))


def _tap_result(match: re.Match[str]) -> tuple[str, TestStatus]:
    directive = TAP_DIRECTIVE.search(match[4])
    title = TAP_DIRECTIVE.sub("", match[4]).strip().removesuffix("{").strip()
    word = (directive[1] or "").lower() if directive else ""
    if word:
        return title or match[3] or "", TestStatus.SKIPPED
    return title or match[3] or "", TestStatus.FAILED if match[2] else TestStatus.PASSED


def vows(text: str) -> Outcome:
    """Read the lines of ``vows --json``: each a kind and a body, written as ``{"0": kind, "1": body}``."""
    results: dict[str, TestStatus] = {}
    counts: dict[str, int] = {}
    ended = False
    for entry in _objects(text):
        kind, body = entry.get("0"), entry.get("1")
        ended = ended or kind == "finish"
        status = VOWS.get(str(body.get("status"))) if kind == "vow" and isinstance(body, Mapping) else None
        if status is not None and isinstance(body, Mapping):
            name = f"{body.get('context') or ''} > {body.get('title')}"
            counts[name] = counts.get(name, 0) + 1
            results[_numbered(name, counts[name])] = status
    return Outcome(results=results, ended=ended)


def vitest(text: str) -> Outcome:
    """Read the one JSON document of vitest's (or jest's) ``json`` reporter."""
    try:
        document = json.loads(text)
    except ValueError:
        return Outcome()
    results: dict[str, TestStatus] = {}
    counts: dict[str, int] = {}
    statuses = {"passed": TestStatus.PASSED, "failed": TestStatus.FAILED}
    for file in document.get("testResults", ()) if isinstance(document, Mapping) else ():
        path = str(file.get("name", "")).removeprefix("/work/")
        tests = file.get("assertionResults", ())
        if not tests and file.get("status") == "failed":
            results[path] = TestStatus.ERROR
        for one in tests:
            name = f"{path}::{str(one.get('fullName', '')).strip()}"
            counts[name] = counts.get(name, 0) + 1
            results[_numbered(name, counts[name])] = statuses.get(one.get("status"), TestStatus.SKIPPED)
    return Outcome(results=results, ended=isinstance(document, Mapping))


def covered(text: str) -> frozenset[str]:
    """Read coverage lines: the files of which a function ran, else those of which only the top level did."""
    called = {line[2:] for line in text.splitlines() if line.startswith("f ")}
    loaded = {line[2:] for line in text.splitlines() if line.startswith("m ")}
    return frozenset(called or loaded)


def functions_in(text: str) -> frozenset[tuple[str, int]]:
    """Read the functions in coverage lines, ``d LINE PATH``: path and first line of each that ran."""
    fields = (line.split(" ", 2) for line in text.splitlines() if line.startswith("d "))
    return frozenset((one[2], int(one[1])) for one in fields if len(one) == 3 and one[1].isdecimal())  # noqa: PLR2004

"""The ``run:`` lines of continuous integration files, with the matrix of one Linux job filled in. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

import yaml

EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
OTHER_SYSTEMS = re.compile(r"windows|macos|\bmac\b|osx|pypy|\barm|wasm|musl", re.IGNORECASE)
MAX_CELLS = 200
NOT_TESTS = re.compile(
    r"lint|docs?\b|publish|release|deploy|codeql|scorecard|stale|typing|style|bench|fuzz", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A ``run`` block and the job it belongs to."""

    job: str
    text: str
    folder: str = ""


def scripts(text: str, actions: Mapping[str, str], *, version: str) -> tuple[Script, ...]:
    """Return the run blocks of a GitHub workflow, jobs that sound like tests first.

    ``actions`` are the texts of local composite actions by folder; ``version`` (``3.11``, ``20``) chooses the
    matrix cell. What is not YAML gives nothing.
    """
    document = _load(text)
    jobs = document.get("jobs")
    if not isinstance(jobs, Mapping):
        return ()
    found: list[Script] = []
    for name, job in sorted(jobs.items(), key=lambda item: bool(NOT_TESTS.search(str(item[0])))):
        if isinstance(job, Mapping):
            found += _job(str(name), job, actions, version)
    return tuple(found)


def travis(text: str) -> tuple[Script, ...]:
    """Return the install and script lines of a Travis file."""
    document = _load(text)
    blocks = (document.get(key) for key in ("install", "before_script", "script"))
    lines = [
        str(line) for block in blocks if block for line in (block if isinstance(block, list) else [block])
    ]
    return tuple(Script(job="script", text=line) for line in lines)


def _load(text: str) -> Mapping[str, object]:
    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return document if isinstance(document, Mapping) else {}


def _job(name: str, job: Mapping[str, object], actions: Mapping[str, str], version: str) -> list[Script]:
    cell = _cell(job.get("strategy"), version)
    steps = job.get("steps")
    found: list[Script] = []
    for step in steps if isinstance(steps, Sequence) and not isinstance(steps, str) else ():
        if not isinstance(step, Mapping):
            continue
        folder = str(step.get("working-directory") or "")
        found.extend(
            Script(job=name, text=_filled(text, cell), folder=_filled(folder, cell))
            for text in _run_blocks(step, actions)
        )
    return found


def _run_blocks(step: Mapping[str, object], actions: Mapping[str, str]) -> list[str]:
    if isinstance(step.get("run"), str):
        return [str(step["run"])]
    used = str(step.get("uses") or "").removeprefix("./").rstrip("/")
    runs = _load(actions.get(used, "")).get("runs")
    inner = runs.get("steps") if isinstance(runs, Mapping) else None
    return [str(s["run"]) for s in inner or () if isinstance(s, Mapping) and isinstance(s.get("run"), str)]


def _cell(strategy: object, version: str) -> dict[str, object]:
    """Return the matrix cell that is most like this machine: Linux, and the interpreter's version."""
    matrix = strategy.get("matrix") if isinstance(strategy, Mapping) else None
    if not isinstance(matrix, Mapping):
        return {}
    axes = {str(k): v for k, v in matrix.items() if isinstance(v, list) and k not in {"include", "exclude"}}
    cells = [dict(zip(axes, values, strict=True)) for values in islice(product(*axes.values()), MAX_CELLS)]
    included = [dict(item) for item in matrix.get("include") or () if isinstance(item, Mapping)]
    if axes:
        included = [{**cell, **more} for cell in cells for more in included if _agrees(cell, more)] + [
            more for more in included if not any(key in axes for key in more)
        ]
    candidates = [*included, *cells]
    return max(candidates, key=lambda cell: _likeness(cell, version), default={})


def _agrees(cell: Mapping[str, object], more: Mapping[str, object]) -> bool:
    shared = [key for key in more if key in cell]
    return bool(shared) and all(cell[key] == more[key] for key in shared)


def _likeness(cell: Mapping[str, object], version: str) -> tuple[bool, bool, bool, int]:
    said = " ".join(str(value) for value in cell.values())
    tight = version.replace(".", "")
    fits = re.search(rf"(?<![\d.]){re.escape(version)}(?![\d])|py{tight}(?!\d)", said) is not None
    return (not OTHER_SYSTEMS.search(said), not NOT_TESTS.search(said), fits, len(cell))


def _filled(text: str, cell: Mapping[str, object]) -> str:
    def value(match: re.Match[str]) -> str:
        inner: object = cell
        path = re.sub(r"\[['\"]?(\w+)['\"]?\]", r".\1", match.group(1)).split(".")
        if path[0] != "matrix":
            return ""
        for key in path[1:]:
            if isinstance(inner, Mapping):
                inner = inner.get(key, "")
            elif isinstance(inner, list) and key.isdigit() and int(key) < len(inner):
                inner = inner[int(key)]
            else:
                inner = ""
        return str(inner)

    return EXPRESSION.sub(value, text)

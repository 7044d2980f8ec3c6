"""Started by every Python inside: records unittest results, and which files' code ran, when asked to.

``$SUTURE_RESULTS`` names the file for results, ``$SUTURE_COVERED`` the one for covered files. Another
``sitecustomize`` further down the path is run as well.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

OUTCOMES = (
    ("addSuccess", "passed"),
    ("addFailure", "failed"),
    ("addError", "error"),
    ("addSkip", "skipped"),
    ("addExpectedFailure", "skipped"),
    ("addUnexpectedSuccess", "failed"),
)


def _append(path: str, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, (line + "\n").encode("utf-8", "replace"))
    os.close(descriptor)


def _record_unittest(path: str) -> None:
    """Wrap the methods by which every unittest result learns of a test, whichever runner made it."""
    import json  # noqa: PLC0415 (paid for only when asked)
    from unittest.result import TestResult  # noqa: PLC0415

    def write(test: Any, outcome: str, phase: str = "call") -> None:
        os.environ.pop("SUTURE_RESULTS", None)  # claimed: what a test starts must not write into it
        name = test.id() if hasattr(test, "id") else str(test)
        _append(path, json.dumps({"id": name, "phase": phase, "outcome": outcome}))

    def wrapped(method: Any, outcome: str) -> Any:
        def record(self: Any, test: Any, *rest: Any) -> Any:
            write(test, outcome)
            return method(self, test, *rest)

        return record

    for name, outcome in OUTCOMES:
        setattr(TestResult, name, wrapped(getattr(TestResult, name), outcome))
    original = TestResult.addSubTest

    def subtest(self: Any, test: Any, part: Any, error: Any) -> None:
        if error is not None:
            write(test, "failed", "subtest")
        original(self, test, part, error)

    TestResult.addSubTest = subtest  # type: ignore[method-assign,assignment]


def _record_files(path: str, root: str) -> None:
    """Append each file below ``root`` once: ``m`` when its top level runs, ``f`` when a function does.

    With ``$SUTURE_FUNCTIONS`` set, each function too: ``d``, its first line, its file.
    """
    seen = set()
    each = bool(os.environ.get("SUTURE_FUNCTIONS"))

    def note(code: Any) -> None:
        name = code.co_filename
        key = (name, code.co_name == "<module>")
        if each and not key[1] and not name.startswith("<"):
            full = os.path.abspath(name)  # noqa: PTH100 (as few imports as can be)
            if full.startswith(root + "/"):
                _append(path, f"d {code.co_firstlineno} {full[len(root) + 1 :]}")
        if key not in seen and not name.startswith("<"):
            seen.add(key)
            full = os.path.abspath(name)  # noqa: PTH100 (as few imports as can be)
            if full.startswith(root + "/"):
                _append(path, ("m " if key[1] else "f ") + full[len(root) + 1 :])

    if sys.version_info >= (3, 12):
        _monitor(note)
    else:
        _profile(note)


def _monitor(note: Any) -> None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]

    def started(code: Any, _offset: int) -> Any:
        note(code)
        return monitoring.DISABLE

    monitoring.use_tool_id(4, "suture")
    monitoring.register_callback(4, monitoring.events.PY_START, started)
    monitoring.set_events(4, monitoring.events.PY_START)


def _profile(note: Any) -> None:
    known = set()

    def profile(frame: Any, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code not in known:
            known.add(code)
            note(code)

    threading.setprofile(profile)
    sys.setprofile(profile)


def _run_next() -> None:
    from importlib.machinery import PathFinder  # noqa: PLC0415
    from importlib.util import module_from_spec  # noqa: PLC0415

    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    rest = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]  # noqa: PTH100
    spec = PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


if os.environ.get("SUTURE_RESULTS"):
    _record_unittest(os.environ["SUTURE_RESULTS"])
_run_next()
if os.environ.get("SUTURE_COVERED"):
    _record_files(os.environ["SUTURE_COVERED"], "/work")

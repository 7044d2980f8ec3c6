"""Started by every Python inside: records unittest results, and which files' code ran, when asked to.

``$SUTURE_RESULTS`` names the file for results, ``$SUTURE_COVERED`` the one for covered files. Another
``sitecustomize`` further down the path is run as well.
"""

import os
import sys
import threading


def _append(path, line):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, (line + "\n").encode("utf-8", "replace"))
    os.close(descriptor)


def _record_unittest(path):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, C901
    import json  # noqa: PLC0415 (paid for only when asked)
    import unittest.result  # noqa: PLC0415

    def wrapped(method, outcome):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        def record(self, test, *rest):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN202
            os.environ.pop("SUTURE_RESULTS", None)
            name = test.id() if hasattr(test, "id") else str(test)
            if outcome != "subtest":
                _append(path, json.dumps({"id": name, "phase": "call", "outcome": outcome}))
            elif rest and rest[-1] is not None:
                owner = rest[0].test_case if hasattr(rest[0], "test_case") else test
                _append(path, json.dumps({"id": owner.id(), "phase": "call", "outcome": "failed"}))
            return method(self, test, *rest)

        return record

    result = unittest.result.TestResult
    for method, outcome in (
        ("addSuccess", "passed"),
        ("addFailure", "failed"),
        ("addError", "error"),
        ("addSkip", "skipped"),
        ("addExpectedFailure", "skipped"),
        ("addUnexpectedSuccess", "failed"),
        ("addSubTest", "subtest"),
    ):
        setattr(result, method, wrapped(getattr(result, method), outcome))


def _record_files(path, root):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    seen = set()

    def note(code):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        name = code.co_filename
        key = (name, code.co_name == "<module>")
        if key not in seen:
            seen.add(key)
            full = os.path.abspath(name)
            if full.startswith(root + "/"):
                _append(path, ("m " if key[1] else "f ") + full[len(root) + 1 :])

    if sys.version_info >= (3, 12):
        monitoring = sys.monitoring

        def started(code, _offset):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            note(code)
            return monitoring.DISABLE

        monitoring.use_tool_id(4, "suture")
        monitoring.register_callback(4, monitoring.events.PY_START, started)
        monitoring.set_events(4, monitoring.events.PY_START)
        return

    known = set()

    def profile(frame, event, _argument):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        code = frame.f_code
        if event == "call" and code not in known:
            known.add(code)
            note(code)

    threading.setprofile(profile)
    sys.setprofile(profile)


def _run_next():  # type: ignore[no-untyped-def]  # noqa: ANN202
    import importlib.machinery  # noqa: PLC0415
    import importlib.util  # noqa: PLC0415

    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 (as few imports as can be)
    rest = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


if os.environ.get("SUTURE_RESULTS"):
    _record_unittest(os.environ["SUTURE_RESULTS"])
_run_next()
if os.environ.get("SUTURE_COVERED"):
    _record_files(os.environ["SUTURE_COVERED"], "/work")

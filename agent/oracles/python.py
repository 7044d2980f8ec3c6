"""Oracles in Python: a preamble that watches, the snippet, and a reading of what was seen."""

from __future__ import annotations

import io
import tokenize
from typing import Final

from agent.oracles.classes import Kind, OracleClass
from agent.oracles.payloads import MARKER, OUTSIDE, aimed_at_marker, aimed_outside

_WATCHERS: Final = {
    Kind.COMMAND: f"""
import os as _os

def _seen():
    return _os.path.exists({MARKER!r})
""",
    Kind.CODE: f"""
import os as _os
_EVENTS = []
_CALLS = {{"os.system", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen", "pty.spawn"}}
_FORBIDDEN = {{"os", "posix", "nt", "subprocess", "pty", "sys", "importlib", "runpy"}}
_RUNNERS = {{"eval", "exec", "compile", "getattr", "open", "system"}}

def _watch(event, values):
    if event in _CALLS:
        _EVENTS.append(event)
    elif event == "pickle.find_class" and (values[0] in _FORBIDDEN or values[1] in _RUNNERS):
        _EVENTS.append(event)
    elif event == "exec" and getattr(values[0], "co_filename", "").startswith("<string>"):
        if _FORBIDDEN & set(values[0].co_consts) or {{"_" * 2 + "import" + "_" * 2}} & set(values[0].co_names):
            _EVENTS.append(event)

def _seen():
    return bool(_EVENTS) or _os.path.exists({MARKER!r})

_sys.addaudithook(_watch)
""",
    Kind.OUTSIDE: f"""
import os as _os
_SECRET = {OUTSIDE!r}
_os.makedirs(_os.path.dirname(_SECRET), exist_ok=True)
with open(_SECRET, "w") as _file:
    _file.write("outside")
_EVENTS = []
_TOUCHES = {{"open", "os.chmod", "os.remove", "os.rename", "os.truncate", "os.utime", "os.link", "os.symlink"}}

def _watch(event, values):
    if event in _TOUCHES:
        for value in values[:2]:
            if isinstance(value, (str, bytes)) and _os.path.abspath(_os.fsdecode(value)) == _SECRET:
                _EVENTS.append(event)

def _seen():
    return bool(_EVENTS)

_sys.addaudithook(_watch)
""",
    Kind.TIME: """
import signal as _signal
_EVENTS = []

class _TooLong(BaseException):
    pass

def _alarm(number, frame):
    _EVENTS.append("time")
    raise _TooLong

def _seen():
    return bool(_EVENTS) or isinstance(_failure, RecursionError)

_signal.signal(_signal.SIGALRM, _alarm)
_signal.alarm(5)
""",
    Kind.MARKUP: """
import html.parser as _parser
import io as _io

class _Active(_parser.HTMLParser):
    found = False

    def handle_starttag(self, tag, attributes):
        links = [value for name, value in attributes if name in {"href", "src"} and value]
        if tag == "script" or any(name.startswith("on") for name, _ in attributes):
            self.found = True
        if any("".join(value.split()).lower().startswith("javascript" + chr(58)) for value in links):
            self.found = True

class _Copy(_io.StringIO):
    def write(self, text):
        _sys.__stdout__.write(text)
        return super().write(text)

_sys.stdout = _Copy()

def _seen():
    page = _Active()
    page.feed(_sys.stdout.getvalue())
    return page.found
""",
}
_HEAD: Final = "import sys as _sys\n\n_failure = None\n"
_TAIL: Final = """
_broken = isinstance(_failure, (ImportError, NameError, AttributeError, SyntaxError, TypeError, MemoryError))
if _failure is not None:
    print("ended by", type(_failure).__name__, file=_sys.stderr)
if _seen():
    _sys.exit(0)
_sys.exit({end} if not _broken else 2)
"""
_TEST_TAIL: Final = """

if __name__ == "__main__":
    import os as _os
    import sys as _sys

    import pytest as _pytest

    class _Reading:
        def __init__(self):
            self.failed, self.broken, self.passed = 0, 0, 0

        @_pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(self, item, call):
            outcome = yield
            report = outcome.get_result()
            if report.when == "call" and report.failed and self._is_assertion(call):
                self.failed += 1
            elif report.failed:
                self.broken += 1
            elif report.when == "call" and report.passed:
                self.passed += 1

        @staticmethod
        def _is_assertion(call):
            return call.excinfo.errisinstance((AssertionError, _pytest.fail.Exception))

    _reading = _Reading()
    _options = ["-q", "-p", "no:cacheprovider", "-c", _os.devnull, "--rootdir", _os.path.dirname(__file__)]
    _pytest.main([*_options, "--import-mode=importlib", __file__], plugins=[_reading])
    if _reading.failed:
        _sys.exit(0)
    _sys.exit(1 if _reading.passed and not _reading.broken else 2)
"""


def wrapped(snippet: str, known: OracleClass) -> str | None:
    """Return the snippet between the oracle's preamble and its reading."""
    if known.kind is Kind.COMMAND:
        snippet = aimed_at_marker(snippet, "python")
    elif known.kind is Kind.OUTSIDE:
        snippet = aimed_outside(snippet, "python")
    future, body = _split_future(snippet)
    caught = "except SystemExit:\n    pass\nexcept BaseException as _error:\n    _failure = _error\n"
    watcher = _WATCHERS.get(known.kind)
    if watcher is None:
        return None
    attempt = f"\ntry:\n{_indented(body)}\n{caught}"
    disarm = "_signal.alarm(0)\n" if known.kind is Kind.TIME else ""
    return future + _HEAD + watcher + attempt + disarm + _TAIL.format(end=1 if known.armed else 2)


def _split_future(snippet: str) -> tuple[str, str]:
    """Return the future imports, which must come first, and the rest."""
    lines = snippet.splitlines(keepends=True)
    future = [line for line in lines if line.startswith("from __future__ import")]
    return "".join(future), "".join(line for line in lines if line not in future)


def _indented(snippet: str) -> str:
    """Return the snippet one level deeper; lines inside a longer string stay as they are."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(snippet).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = snippet.splitlines() or ["pass"]
    return "\n".join(
        line if number in inside or not line.strip() else f"    {line}"
        for number, line in enumerate(lines, 1)
    ) + ("\n    pass" if all(not line.strip() or line.lstrip().startswith("#") for line in lines) else "")


def as_test_program(snippet: str) -> str:
    """Return a test as a program: a failed assertion is the flaw, all passed is safe, anything else neither."""
    return snippet.rstrip("\n") + "\n" + _TEST_TAIL

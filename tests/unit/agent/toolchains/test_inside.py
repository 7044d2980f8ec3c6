"""The hooks that run inside write each result as it is known."""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import unittest
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from agent.toolchains.inside import sitecustomize, suture_pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def written(path: Path) -> list[tuple[str, str, str]]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return [(one["id"], one["phase"], one["outcome"]) for one in found]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results"
    monkeypatch.setenv("SUTURE_RESULTS", str(path))
    monkeypatch.setenv("PYTEST_PLUGINS", "suture_pytest")
    return path


def test_the_pytest_plugin_writes_phases_collect_errors_and_the_end(results: Path) -> None:
    plugin = importlib.reload(suture_pytest)
    config = SimpleNamespace()

    plugin.pytest_configure(config)
    plugin.pytest_runtest_logreport(SimpleNamespace(nodeid="a", when="call", outcome="failed"))
    plugin.pytest_runtest_logreport(SimpleNamespace(nodeid="a", when="teardown", outcome="failed"))
    plugin.pytest_collectreport(SimpleNamespace(nodeid="f.py", outcome="failed"))
    plugin.pytest_collectreport(SimpleNamespace(nodeid="g.py", outcome="passed"))
    plugin.pytest_sessionfinish(SimpleNamespace(config=config), 1)

    assert written(results) == [
        ("a", "call", "failed"), ("a", "teardown", "error"), ("f.py", "collect", "error"), ("", "end", "1"),
    ]  # fmt: skip
    assert {"SUTURE_RESULTS", "PYTEST_PLUGINS"} & set(os.environ) == set()


def test_a_worker_of_pytest_writes_nothing(results: Path) -> None:
    plugin = importlib.reload(suture_pytest)
    config = SimpleNamespace(workerinput={})

    plugin.pytest_configure(config)
    plugin.pytest_runtest_logreport(SimpleNamespace(nodeid="a", when="call", outcome="passed"))
    plugin.pytest_sessionfinish(SimpleNamespace(config=config), 0)

    assert not results.exists()


class Sample(unittest.TestCase):
    __test__ = False

    def test_part(self) -> None:
        for number in range(2):
            with self.subTest(number=number):
                assert number

    def test_good(self) -> None:
        pass


def test_unittest_results_are_written_whoever_runs_them(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*(name for name, _outcome in sitecustomize.OUTCOMES), "addSubTest"):
        monkeypatch.setattr(unittest.TestResult, name, getattr(unittest.TestResult, name))

    sitecustomize._record_unittest(str(results))
    result = unittest.TestResult()
    for name in ("test_good", "test_part"):
        Sample(name).run(result)
    result.addSkip("no test case", "why")  # type: ignore[arg-type]

    prefix = f"{Sample.__module__}.Sample"
    assert written(results) == [
        (f"{prefix}.test_good", "call", "passed"), (f"{prefix}.test_part", "subtest", "failed"),
        ("no test case", "call", "skipped"),
    ]  # fmt: skip
    assert (result.testsRun, len(result.failures)) == (2, 1)
    assert "SUTURE_RESULTS" not in os.environ


@pytest.mark.parametrize("monitored", [False, True])
def test_files_below_the_root_are_written_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    monitored: bool,
) -> None:
    notes: list[Callable[[object], None]] = []
    monkeypatch.setattr(sitecustomize, "_monitor" if monitored else "_profile", notes.append)
    monkeypatch.setattr(sys, "version_info", (3, 12 if monitored else 11))
    lines = tmp_path / "lines"

    sitecustomize._record_files(str(lines), "/work")
    for name, function in (
        ("/work/a.py", "f"),
        ("/work/a.py", "g"),
        ("/work/a.py", "<module>"),
        ("/lib/b.py", "f"),
        ("<frozen os>", "f"),
    ):
        notes[0](SimpleNamespace(co_filename=name, co_name=function))

    assert lines.read_text() == "f a.py\nm a.py\n"


def test_calls_are_noted_once_a_function() -> None:
    noted: list[str] = []
    before, threads = sys.getprofile(), threading.getprofile()

    def called() -> None:
        pass

    sitecustomize._profile(lambda code: noted.append(code.co_name))
    try:
        called()
        called()
    finally:
        sys.setprofile(before)
        threading.setprofile(threads)

    assert noted.count("called") == 1


def test_newer_interpreters_are_asked_to_tell_each_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, object] = {}
    noted: list[object] = []
    monitoring = SimpleNamespace(
        DISABLE="off",
        events=SimpleNamespace(PY_START=1),
        use_tool_id=lambda number, name: told.update(tool=(number, name)),
        register_callback=lambda number, event, callback: told.update(callback=callback),
        set_events=lambda number, event: told.update(events=(number, event)),
    )
    monkeypatch.setattr(sys, "monitoring", monitoring, raising=False)

    sitecustomize._monitor(noted.append)
    callback = told["callback"]

    assert callable(callback)
    assert (callback("code", 0), noted, told["events"]) == ("off", ["code"], (4, 1))


def test_another_sitecustomize_is_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nos.environ['OTHER_SITE'] = 'ran'\n")
    monkeypatch.setenv("OTHER_SITE", "")
    monkeypatch.syspath_prepend(str(tmp_path))

    sitecustomize._run_next()

    assert os.environ["OTHER_SITE"] == "ran"

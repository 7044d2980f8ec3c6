"""``suture fix`` from the outside: real sandbox, real toolchains, real files, exit codes and output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.output.schema import RunShape
from tests.projects import JAVASCRIPT, JAVASCRIPT_REPORT, PYTHON, PYTHON_REPORT, write_project

pytestmark = pytest.mark.sandbox
ROOT = Path(__file__).parents[3]


class Suture:
    """The command line in a process of its own, with its data below ``home``."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {"PATH": os.environ["PATH"], "SUTURE_DATA_DIR": str(home), "PYTHONPATH": str(ROOT)}
        self.environment |= {
            key: value
            for key, value in os.environ.items()
            if key.startswith(("SSL", "PIP", "NODE_", "COVERAGE_"))
        }

    def command(self, *arguments: object) -> list[str]:
        return [sys.executable, "-m", "bot.cli", *map(str, arguments)]

    def run(
        self, *arguments: object, stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment,
            input=stdin,
            capture_output=True,
            check=False,
            cwd=cwd or ROOT,
        )
        return subprocess.CompletedProcess(
            done.args,
            done.returncode,
            done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"),
        )


@pytest.fixture(scope="module")
def suture(reachable: Path) -> Suture:
    """One data folder for the module: environments are installed once."""
    return Suture(reachable)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "settle", JAVASCRIPT)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.md"
    path.write_text(JAVASCRIPT_REPORT)
    return path


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def test_a_javascript_project_is_fixed(suture: Suture, project: Path, report: Path, tmp_path: Path) -> None:
    """The main job: shown, patched, proved, written; the project stays as it was."""
    before = snapshot(project)
    done = suture.run("fix", project, "--report", report, "--out", tmp_path / "out", "--offline")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fixed: every required row" in done.stdout
    assert snapshot(project) == before
    run = RunShape.model_validate_json((tmp_path / "out" / "run.json").read_text())
    assert run.outcome.value == "fixed"
    assert run.baseline is not None
    assert run.baseline.passed == 2
    assert [stage.stage.value for stage in run.stages][:3] == ["environment", "baseline", "reproduce"]
    subprocess.run(["git", "apply", tmp_path / "out" / "patch.diff"], cwd=project, check=True)
    assert {row.kind.value for row in run.matrix} >= {"proof", "variant", "build", "regression", "scope"}


def test_a_python_project_is_fixed_and_applied(suture: Suture, tmp_path: Path) -> None:
    """With --apply the accepted patch is written into the project, and only then; JSON stands alone."""
    project = write_project(tmp_path / "shelf", PYTHON)
    done = suture.run(
        "fix",
        project,
        "--report",
        "-",
        "--out",
        tmp_path / "out",
        "--apply",
        "--json",
        stdin=PYTHON_REPORT.encode(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["outcome"] == "fixed"
    changed = (project / "shelf" / "__init__.py").read_text()
    assert changed != PYTHON["shelf/__init__.py"]
    assert set(snapshot(project)) == set(PYTHON)


def test_line_endings_are_kept(suture: Suture, report: Path, tmp_path: Path) -> None:
    """A file with CRLF stays one, and the patch applies to it."""
    project = write_project(tmp_path / "crlf", JAVASCRIPT, newline="\r\n")
    done = suture.run("fix", project, "--report", report, "--out", tmp_path / "out", "--apply")
    assert done.returncode == 0, done.stdout + done.stderr
    changed = (project / "index.js").read_bytes()
    assert changed.count(b"\r\n") == changed.count(b"\n")
    assert (tmp_path / "out" / "patch.diff").read_bytes().count(b"\r\n") > 0


def test_a_version_with_the_fix_is_already_fixed(suture: Suture, report: Path, tmp_path: Path) -> None:
    safe = JAVASCRIPT | {
        "package.json": JAVASCRIPT["package.json"].replace("1.0.0", "1.0.1"),
        "index.js": JAVASCRIPT["index.js"].replace(
            "  let current", "  if (keys.includes('__proto__')) return target;\n  let current"
        ),
    }
    project = write_project(tmp_path / "safe", safe)
    done = suture.run("fix", project, "--report", report, "--out", tmp_path / "out")
    assert (done.returncode, "already_fixed" in done.stdout) == (0, True)
    write_project(project, {"package.json": JAVASCRIPT["package.json"]})
    done = suture.run("fix", project, "--report", report, "--out", tmp_path / "out")
    assert (done.returncode, "not_reproduced" in done.stdout) == (3, True)


def test_odd_trees_do_not_stop_a_run(suture: Suture, project: Path, report: Path, tmp_path: Path) -> None:
    """A link loop, a name with a newline, a 200 MB file, other encodings, a submodule's folder, no write right."""
    # Node's own search for tests dies of a link loop, so the project names its test file.
    manifest = JAVASCRIPT["package.json"].replace("node --test", "node --test test/set.test.js")
    write_project(project, {"package.json": manifest})
    (project / "loop").symlink_to("loop")
    (project / "up").symlink_to(".")
    (project / "odd\nname.js").write_text("module.exports = 1;\n")
    (project / "latin.js").write_bytes(b"// caf\xe9\n")
    (project / "module").mkdir()
    (project / "module" / ".git").write_text("gitdir: ../.git/modules/module\n")
    with (project / "large.bin").open("wb") as file:
        file.truncate(200_000_000)
    for path in (project, *project.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() else 0o444)
    done = suture.run("fix", project, "--report", report, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x7fELF\x00\x00", "binary"),
        (b"x" * 50_000_000, "larger than 1 MB"),
        (b"{", "looks like JSON"),
    ],
)
def test_an_unusable_report_is_one_line(
    suture: Suture, project: Path, tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "bad").write_bytes(content)
    done = suture.run("fix", project, "--report", tmp_path / "bad", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_report_that_is_no_file_is_one_line(suture: Suture, project: Path, tmp_path: Path) -> None:
    """A pipe that nobody writes to must not be waited for; a device has no end."""
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", tmp_path, "/dev/zero", "."):
        done = suture.run("fix", project, "--report", name, "--out", tmp_path / "out")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert "no regular file" in done.stderr


def test_a_closed_standard_input_is_one_line(suture: Suture, project: Path, tmp_path: Path) -> None:
    command = suture.command("fix", project, "--report", "-", "--out", tmp_path / "out")
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command],
        env=suture.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "standard input is closed" in done.stderr


def test_two_runs_do_not_write_into_one_folder(
    suture: Suture, project: Path, report: Path, tmp_path: Path
) -> None:
    """The second says so at once; the first ends as if alone."""
    arguments = ("fix", project, "--report", report, "--out", tmp_path / "out")
    first = subprocess.Popen(
        suture.command(*arguments),
        env=suture.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not (tmp_path / "out" / "trajectory.jsonl").exists():
        time.sleep(0.05)
        assert first.poll() is None
    second = suture.run(*arguments)
    assert first.wait(timeout=120) == 0
    assert second.returncode == 2
    assert "another run writes to" in second.stderr
    assert json.loads((tmp_path / "out" / "run.json").read_text())["outcome"] == "fixed"


def test_results_may_lie_within_the_project(suture: Suture, project: Path, report: Path) -> None:
    """They are no part of it: the second run sees what the first one saw."""
    seen = []
    for _ in range(2):
        done = suture.run("fix", project, "--report", report, "--out", project / "out")
        assert done.returncode == 0, done.stderr
        run = json.loads((project / "out" / "run.json").read_text())
        seen.append([file["path"] for file in run["files"]])
    assert seen[0] == seen[1]


def test_unusable_paths_are_one_line(suture: Suture, report: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    for name in ("missing", "empty", "report.md", "letters"):
        done = suture.run("fix", tmp_path / name, "--report", report, "--out", tmp_path / "out")
        assert done.returncode == 2, done.stderr
        assert len(done.stderr.strip().splitlines()[-1:]) == 1
        assert done.stderr.strip().splitlines()[-1].startswith("suture: ")
    done = suture.run("fix", tmp_path / "letters", "--report", tmp_path / "no.md", "--out", tmp_path / "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = suture.run("fix", tmp_path / "letters", "--report", report, "--out", report)
    assert (done.returncode, "give another --out" in done.stderr) == (2, True)


def test_terminal_escapes_in_a_report_reach_no_terminal(
    suture: Suture, project: Path, tmp_path: Path
) -> None:
    hostile = JAVASCRIPT_REPORT.replace("# Prototype", "# \x1b[31m\u202ePrototype\x1b]0;owned\x07")
    done = suture.run("fix", project, "--report", "-", "--out", tmp_path / "out", stdin=hostile.encode())
    assert done.returncode == 0, done.stdout + done.stderr
    everything = done.stdout + done.stderr + (tmp_path / "out" / "report.html").read_text()
    assert "\x1b" not in everything
    assert "\u202e" not in everything
    assert "terminal escape sequences" in (tmp_path / "out" / "run.json").read_text()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_at_once_and_keeps_what_was_found(
    suture: Suture, project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """The sandbox's whole tree ends, nothing is left behind, the outcome is cancelled."""
    slow = JAVASCRIPT_REPORT.replace(
        "const { set }", "setInterval(() => {}, 1000); while (true) {}\nconst { set }"
    )
    (tmp_path / "slow.md").write_text(slow)
    out = tmp_path / "out"
    process = subprocess.Popen(
        suture.command("fix", project, "--report", tmp_path / "slow.md", "--out", out),
        env=suture.environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    _wait_for(lambda: '"baseline"' in _text(out / "trajectory.jsonl"), process)
    time.sleep(1)
    sent = time.monotonic()
    process.send_signal(number)
    output, _ = process.communicate(timeout=30)
    assert time.monotonic() - sent < 5
    assert process.returncode == 3, output
    run = json.loads((out / "run.json").read_text())
    assert run["outcome"] == "cancelled"
    assert run["baseline"]["passed"] == 2
    assert list((suture.home / "cache" / "runs").iterdir()) == []


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _wait_for(condition: object, process: subprocess.Popen[str], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert process.poll() is None, process.stdout.read() if process.stdout else ""
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_full_disk_is_one_line(suture: Suture, project: Path, report: Path, tmp_path: Path) -> None:
    """Output that cannot be written ends with one line and exit 2, not with a traceback."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    out = tmp_path / "out"
    out.mkdir()
    (out / "trajectory.jsonl").symlink_to("/dev/full")
    done = suture.run("fix", project, "--report", report, "--out", out)
    assert done.returncode in {1, 2}
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr or "no room" in done.stderr

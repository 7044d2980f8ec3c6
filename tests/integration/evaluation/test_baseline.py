"""Other agents, on the same tree, in the same sandbox, over the shell's socket."""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from agent.domain.project import Environment
from agent.domain.run import Outcome
from evaluation.repair.baseline import TEMPLATES, CommandRepairer
from evaluation.repair.conditions import Conditions
from evaluation.repair.running import RepairBench
from evaluation.repair.shell import open_shell
from evaluation.repair.taxonomy import Ending
from tests.fakes.bench import RecordedProgress, SystemPython
from tests.fakes.workflow import build_plan
from tests.projects import PYTHON
from tests.repair_cases import FIXED, FIXED_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evaluation.repair.results import ResultShape
    from tests.integration.evaluation.conftest import Ground

ENVIRONMENT = Environment(plan=build_plan())
AGENT = """
import json, os, socket, sys
def run(command):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(os.environ["SUTURE_SHELL"])
        line.sendall(json.dumps({"command": command}).encode() + b"\\n")
        return json.loads(line.makefile().readline())
"""
EDIT = (
    f"python3 - <<'END'\nimport pathlib\np = pathlib.Path('shelf/__init__.py')\np.write_text({FIXED!r})\nEND"
)


def build_repairer(ground: Ground, scratch: Path, template: str, **changes: object) -> CommandRepairer:
    known: dict[str, object] = {
        "name": "scripted",
        "template": template,
        "model": "m",
        "sandbox": ground.bench.sandbox,
        "toolchains": (SystemPython(),),
        "scratch": scratch,
        "environment": {"PATH": os.environ["PATH"]},
    }
    return CommandRepairer(**(known | changes))  # type: ignore[arg-type]


async def measured(
    ground: Ground, out: Path, repairer: CommandRepairer, *, minutes: float = 5.0
) -> ResultShape:
    bench = RepairBench(
        bench=ground.bench,
        repairer=repairer,
        conditions=Conditions(minutes=minutes),
        out=out,
        progress=RecordedProgress(),
        hidden=(ground.cases,),
    )
    return (await bench.run([ground.case]))[0]


def script(reachable: Path, body: str) -> str:
    path = reachable / "agent.py"
    path.write_text(AGENT + body, "utf-8")
    return f"{{python}} {path} {{task_file}}"


async def test_an_agent_by_template_repairs_in_the_sandbox(
    ground: Ground, tmp_path: Path, reachable: Path
) -> None:
    template = script(reachable, f"assert 'Path traversal' in open(sys.argv[1]).read()\nrun({EDIT!r})\n")

    result = await measured(ground, tmp_path, build_repairer(ground, reachable, template))

    assert (result.ending, result.changed, result.source) == (
        Ending.RESOLVED,
        ["shelf/__init__.py"],
        "scripted",
    )


async def test_what_such_an_agent_tries_is_in_the_audit(
    ground: Ground, tmp_path: Path, reachable: Path
) -> None:
    template = script(reachable, "run('git log -p; curl -m 2 http://93.184.216.34/')\nsys.exit(3)\n")

    result = await measured(ground, tmp_path, build_repairer(ground, reachable, template))

    assert (result.ending, result.reason) == (Ending.NO_PATCH, "the agent ended with 3")
    assert {finding.kind for finding in result.findings} == {"history", "network"}


async def test_the_agents_process_gets_nothing_of_the_operators_environment(
    ground: Ground, tmp_path: Path, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPERATORS_SECRET", "hush")
    template = script(reachable, "sys.exit(1 if 'OPERATORS_SECRET' in os.environ else 0)\n")

    result = await measured(ground, tmp_path, build_repairer(ground, reachable, template))

    assert result.reason == "the agent ended with 0"


async def test_an_agent_that_takes_too_long_is_ended(ground: Ground, tmp_path: Path, reachable: Path) -> None:
    template = script(reachable, "import time; time.sleep(600)\n")

    result = await measured(ground, tmp_path, build_repairer(ground, reachable, template), minutes=0.03)

    assert (result.ending, result.outcome) == (Ending.BUDGET, Outcome.BUDGET_EXHAUSTED)


async def test_an_agent_that_is_not_there_is_a_fault_of_the_pipeline(
    ground: Ground, tmp_path: Path, reachable: Path
) -> None:
    result = await measured(ground, tmp_path, build_repairer(ground, reachable, "no-such-agent {task}"))

    assert (result.ending, result.reason) == (
        Ending.PIPELINE,
        "no-such-agent cannot be started: No such file or directory",
    )


async def test_the_shell_keeps_the_tree_between_commands_and_knows_what_changed(
    ground: Ground, tmp_path: Path, reachable: Path
) -> None:
    for name, text in PYTHON.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    async with open_shell(ground.bench.sandbox, ENVIRONMENT, tmp_path, reachable) as shell:
        await shell.run(
            "echo x > new.txt; rm tests/test_shelf.py; mkdir -p a/__pycache__; touch a/__pycache__/b.pyc",
            seconds=30,
        )
        seen = await shell.run("cat new.txt; ln -s /etc/passwd link", seconds=30)
        changes = shell.changes()

    assert seen.stdout == "x\n"
    assert changes == {"new.txt": b"x\n", "tests/test_shelf.py": None}
    assert not shell.folder.exists()


@pytest.mark.parametrize(
    ("request_line", "code", "said"),
    [
        (b"no json\n", 2, "cannot be read"),
        (b"{}\n", 2, "cannot be read"),
        (b'{"command": "sleep 20", "seconds": 1}\n', 124, "stopped: time limit"),
        (b'{"command": "pwd; echo $A", "env": {"A": "b"}, "cwd": "/etc"}\n', 0, "/work\nb"),
    ],
)
async def test_every_request_has_an_answer(
    ground: Ground, tmp_path: Path, reachable: Path, request_line: bytes, code: int, said: str
) -> None:
    (tmp_path / "a.py").write_text("1")
    async with open_shell(ground.bench.sandbox, ENVIRONMENT, tmp_path, reachable) as shell:
        answer = await shell.answer(request_line)

    assert answer["returncode"] == code
    assert said in str(answer["output"])


class ScriptedEndpoint(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint that calls the ``bash`` tool with one command after another."""

    commands: tuple[str, ...] = ()
    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        command = self.commands[min(len(self.asked), len(self.commands)) - 1]
        call = {
            "id": f"call_{len(self.asked)}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        message = {"role": "assistant", "content": "I go on.", "tool_calls": [call]}
        answer = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the library's name)
        """Write nothing."""


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    asked: list[dict[str, Any]] = []
    commands = ("ls; git log", EDIT, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
    handler = type("Handler", (ScriptedEndpoint,), {"commands": commands, "asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.slow
async def test_mini_swe_agent_repairs_with_a_scripted_model(
    ground: Ground, tmp_path: Path, reachable: Path, endpoint: tuple[str, list[dict[str, Any]]]
) -> None:
    """The plain agent from the package index, its model scripted: its commands run in our sandbox, its patch counts."""
    url, asked = endpoint
    passed_on = {
        name: value for name, value in os.environ.items() if name.startswith(("UV_", "PIP_", "SSL_"))
    }
    environment = {
        **passed_on,
        "PATH": os.environ["PATH"],
        "OPENAI_API_KEY": "none",
        "OPENAI_API_BASE": url,
        "OPENAI_BASE_URL": url,
        "UV_CACHE_DIR": str(reachable / "uv"),
        "UV_TOOL_DIR": str(reachable / "tools"),
    }
    repairer = build_repairer(
        ground,
        reachable,
        TEMPLATES["mini-swe-agent"],
        name="mini-swe-agent",
        model="scripted",
        environment=environment,
    )

    result = await measured(ground, tmp_path, repairer, minutes=10)

    log = (tmp_path / "SHELF-1" / "run-1" / "run" / "agent.log").read_text("utf-8")
    assert (result.ending, result.changed) == (Ending.RESOLVED, ["shelf/__init__.py"]), log[-2000:]
    assert (result.calls, result.tokens_in, result.tokens_out, result.unpriced_calls) == (3, 300, 30, 0)
    assert {finding.kind for finding in result.findings} == {"history"}
    assert "Path traversal" in json.dumps(asked[0]["messages"])
    assert FIXED_LINE.strip() not in json.dumps(asked[0]["messages"])

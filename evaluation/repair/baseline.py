"""Other agents beside Suture: a command that is given a task and a shell in the same sandbox.

The command runs on the host, as its own program and without the operator's environment; whatever it wants to run
on the project goes through the shell. Placeholders of a template: ``{task}`` the report, ``{task_file}`` a file
with it, ``{model}``, ``{out}`` a folder for its own record, ``{python}`` this interpreter, ``{socket}`` the shell
(also in the variable ``SUTURE_SHELL``).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent.domain.run import Cost, Outcome
from agent.errors import EnvironmentFailedError
from agent.toolchains.registry import detect
from evaluation.errors import EvaluationError
from evaluation.ports import RepairAnswer, RepairerFacts
from evaluation.repair.shell import open_shell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.domain.project import Environment
    from agent.ports import Sandbox, Toolchain
    from evaluation.ports import RepairTask
    from evaluation.repair.shell import SandboxShell

MINI_VERSION: Final = "2.4.6"
MINI_RECORD: Final = "mini.traj.json"
MINI: Final = (
    f"uv tool run --quiet --from mini-swe-agent=={MINI_VERSION} mini --yolo --exit-immediately "
    "--model openai/{model} --cost-limit 0 --task {task} --output {out}/" + MINI_RECORD + " "
    "-c mini.yaml -c environment.environment_class=suture_mini.SandboxEnvironment -c environment.socket={socket} "
    "-c model.cost_tracking=ignore_errors"
)
TEMPLATES: Final[Mapping[str, str]] = {"mini-swe-agent": MINI}
"""Known agents by name; anything else is a template itself."""

INSIDE = Path(__file__).parent / "inside"
MOST_OUTPUT = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRepairer:
    """Repairs by a command template. ``environment`` is all that its process gets beside the shell's address."""

    name: str
    template: str
    model: str
    sandbox: Sandbox
    toolchains: Sequence[Toolchain]
    scratch: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    cutoff: str = ""
    prices: str = "as the model's endpoint bills"

    @property
    def facts(self) -> RepairerFacts:
        """Return who repairs."""
        return RepairerFacts(
            name=self.name,
            version=MINI_VERSION if self.name in TEMPLATES else self.template,
            model=self.model,
            model_cutoff=self.cutoff,
            prices=self.prices,
            prompts={"task": "the report alone; the agent's own prompts are those of its release"},
            tools=("a shell on the tree",),
            network="the agent's own process reaches the model's endpoint; its commands reach nothing",
            sandbox=self.sandbox.name,
        )

    async def repair(self, task: RepairTask) -> RepairAnswer:
        """Install the project, run the command, and take what it left in the tree as its patch."""
        toolchain, plan = detect(task.tree, task.build, self.toolchains)
        try:
            environment = await toolchain.install(plan, task.tree, self.sandbox)
        except EnvironmentFailedError as error:
            return RepairAnswer(outcome=Outcome.ENVIRONMENT_FAILED, reason=error.reason)
        return await self._attempt(task, environment)

    async def _attempt(self, task: RepairTask, environment: Environment) -> RepairAnswer:
        task.out.mkdir(parents=True, exist_ok=True)
        task_file = task.out / "task.md"
        task_file.write_text(task.report.body, "utf-8")
        async with open_shell(self.sandbox, environment, task.tree, self.scratch) as shell:
            ended = await self._run(task, task_file, shell)
            changes = await asyncio.to_thread(shell.changes)
            cost, calls = _spent(task.out / MINI_RECORD)
            trajectory = "\n".join(json.dumps(event) for event in (*shell.log, *calls))
        (task.out / "trajectory.jsonl").write_text(trajectory, "utf-8")
        outcome = Outcome.BUDGET_EXHAUSTED if ended is None else Outcome.NO_PATCH
        return RepairAnswer(
            outcome=Outcome.UNPROVEN if changes else outcome,
            reason="stopped at its time limit" if ended is None else f"the agent ended with {ended}",
            changes=changes,
            cost=cost,
            trajectory=trajectory,
            source=self.name,
        )

    async def _run(self, task: RepairTask, task_file: Path, shell: SandboxShell) -> int | None:
        """Run the command; return its exit code, None when its time was up and it was ended."""
        values = {
            "{task}": task.report.body,
            "{task_file}": str(task_file),
            "{model}": self.model,
            "{out}": str(task.out),
            "{socket}": str(shell.socket),
            "{python}": sys.executable,
        }
        words = [_filled(word, values) for word in shlex.split(self.template)]
        with (task.out / "agent.log").open("wb") as log:
            try:
                process = await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=task.out,
                    env=self._environment(task, shell),
                    start_new_session=True,
                )
            except OSError as error:
                raise EvaluationError(f"{words[0]} cannot be started: {error.strerror}") from None
            try:
                async with asyncio.timeout(task.minutes * 60):
                    return await process.wait()
            except TimeoutError:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()

    def _environment(self, task: RepairTask, shell: SandboxShell) -> dict[str, str]:
        return {
            **self.environment,
            "HOME": str(task.out),
            "PYTHONPATH": str(INSIDE),
            "SUTURE_SHELL": str(shell.socket),
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_CONFIGURED": "true",
            "MSWEA_GLOBAL_CONFIG_DIR": str(task.out / "mini"),
            "MSWEA_COST_TRACKING": "ignore_errors",
        }


def _filled(word: str, values: Mapping[str, str]) -> str:
    """Return a word of the template filled in; a value is never read as a placeholder or by a shell."""
    for name, value in values.items():
        if name in word:
            before, _, after = word.partition(name)
            return before + value + _filled(after, values)
    return word


def _spent(record: Path) -> tuple[Cost, list[dict[str, object]]]:
    """Return what mini-swe-agent's own record says it spent, and an event for each call that it holds."""
    try:
        found: dict[str, Any] = json.loads(record.read_bytes())
    except (OSError, ValueError):
        return Cost(), []
    stats = found.get("info", {}).get("model_stats", {})
    usages = [
        message["extra"]["response"].get("usage") or {}
        for message in found.get("messages", [])
        if isinstance(message.get("extra"), dict) and isinstance(message["extra"].get("response"), dict)
    ]
    cost = Cost(
        calls=int(stats.get("api_calls", 0)),
        tokens_in=sum(int(usage.get("prompt_tokens", 0)) for usage in usages),
        tokens_out=sum(int(usage.get("completion_tokens", 0)) for usage in usages),
        money=float(stats.get("instance_cost", 0.0)),
    )
    return cost, [{"event": "model", **usage} for usage in usages]

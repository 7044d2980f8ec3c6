"""The four-phase oracle: build, proof ten times, regression tests, developer's tests; each on a fresh tree.

Every command runs in a sandbox of its own with a private, empty TMPDIR, no network and an unprivileged user. The
oracle works on its own copy of the vulnerable tree and never on one that a run has touched.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.execution import Limits, SandboxCommand
from agent.domain.project import BuildConfig
from agent.domain.proof import Verdict
from agent.errors import AgentError, EnvironmentFailedError, SandboxFaultError
from agent.toolchains.registry import detect
from agent.workflow.proving import verdict_of
from evaluation.repair.collisions import with_developer_tests, without_test_changes
from evaluation.repair.errors import CollisionError
from evaluation.repair.phases import (
    OraclePhase,
    PhaseResult,
    PhaseStatus,
    not_run,
    read_proof,
    read_tests,
    tail_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from agent.domain.execution import Execution
    from agent.domain.project import Environment
    from agent.ports import Sandbox, Toolchain
    from agent.workspace import Workspace
    from evaluation.repair.case import Case

PROOF_RUNS = 10
REPRODUCE_RUNS = 3
PROOF_SECONDS = 120.0
MEMORY_MB, DISK_MB, PROCESSES = 6144, 4096, 1024
CPU_FACTOR = 4

Changes = "Mapping[str, bytes | None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundTruth:
    """What only the evaluator has: the developer's tests and the vulnerable versions of what they change."""

    developer_tests: Mapping[str, bytes | None]
    before: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleLimits:
    """How often the proof runs and how long each kind of command may take, in seconds.

    ``proof_runs`` are asked to show that the flaw is gone, ``reproduce_runs`` that it is there.
    """

    proof_runs: int = PROOF_RUNS
    reproduce_runs: int = REPRODUCE_RUNS
    proof_seconds: float = PROOF_SECONDS
    regression_seconds: float | None = None
    developer_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Judges patches of one case. ``workspace`` holds the vulnerable tree."""

    case: Case
    truth: GroundTruth
    workspace: Workspace
    sandbox: Sandbox
    toolchains: Sequence[Toolchain]
    limits: OracleLimits

    async def judge(
        self, changes: Mapping[str, bytes | None], *, wanted: Verdict = Verdict.SAFE, stop: bool = False
    ) -> tuple[PhaseResult, ...]:
        """Return the four results in order for the vulnerable tree with ``changes``.

        Without a build nothing else runs; with ``stop`` nothing runs after the first phase that did not pass.
        """
        build, environment, toolchain = await self._build(changes)
        results = [build]
        steps = (self._proof, self._regression, self._developer)
        for phase, step in zip(tuple(OraclePhase)[1:], steps, strict=True):
            failed = next((result for result in results if result.status is not PhaseStatus.PASSED), None)
            if environment is None or toolchain is None or (stop and failed):
                results.append(not_run(phase, f"{(failed or build).phase.value} did not pass"))
                continue
            try:
                results.append(await step(changes, environment, toolchain, wanted))
            except (SandboxFaultError, CollisionError) as error:
                results.append(_pipeline(phase, error))
        return tuple(results)

    async def _build(
        self, changes: Mapping[str, bytes | None]
    ) -> tuple[PhaseResult, Environment | None, Toolchain | None]:
        """Install the patched tree (from the cache if its manifests are unchanged) and parse what changed."""
        with self._patched(changes) as tree:
            try:
                toolchain, plan = detect(tree, build_config(self.case), self.toolchains)
                environment = await toolchain.install(plan, tree, self.sandbox)
                checked = await self._checked(changes, tree, environment, toolchain)
            except EnvironmentFailedError as error:
                status = PhaseStatus.PIPELINE if error.retryable or not changes else PhaseStatus.FAILED
                result = PhaseResult(
                    phase=OraclePhase.BUILD, status=status, reason=error.reason, tail=error.log[-4000:]
                )
                return result, None, None
            except AgentError as error:
                return _pipeline(OraclePhase.BUILD, error), None, None
        if checked is not None:
            return checked, None, None
        passed = PhaseResult(
            phase=OraclePhase.BUILD,
            status=PhaseStatus.PASSED,
            reason="installed; what changed can be parsed",
            seconds=environment.seconds,
        )
        return passed, environment, toolchain

    async def _checked(
        self,
        changes: Mapping[str, bytes | None],
        tree: Path,
        environment: Environment,
        toolchain: Toolchain,
    ) -> PhaseResult | None:
        paths = [path for path, content in changes.items() if content is not None]
        argv = toolchain.syntax_check(environment, paths)
        if not argv:
            return None
        done = await self.sandbox.run(
            self._command(argv, tree, environment, seconds=self.limits.proof_seconds)
        )
        if done.exit_code == 0:
            return None
        return PhaseResult(
            phase=OraclePhase.BUILD,
            status=PhaseStatus.FAILED,
            reason="a changed file cannot be parsed",
            seconds=done.seconds,
            tail=tail_of(done),
        )

    async def _proof(
        self,
        changes: Mapping[str, bytes | None],
        environment: Environment,
        toolchain: Toolchain,
        wanted: Verdict,
    ) -> PhaseResult:
        path = f"/tmp/{self.case.proof_name}"  # noqa: S108 (the sandbox's own, private /tmp)
        times = self.limits.reproduce_runs if wanted is Verdict.VULNERABLE else self.limits.proof_runs
        verdicts: list[Verdict] = []
        seconds, last = 0.0, ""
        with self._patched(changes) as tree:
            command = self._command(
                toolchain.script(environment, path),
                tree,
                environment,
                seconds=self.limits.proof_seconds,
                files={path: self.case.proof.encode()},
            )
            for _ in range(times):
                done = await self.sandbox.run(command)
                verdicts.append(verdict_of(done))
                seconds, last = seconds + done.seconds, tail_of(done)
                if verdicts[-1] is not wanted:
                    break
        return read_proof(verdicts, wanted, times, seconds=seconds, tail=last)

    async def _regression(
        self,
        changes: Mapping[str, bytes | None],
        environment: Environment,
        toolchain: Toolchain,
        wanted: Verdict,
    ) -> PhaseResult:
        del toolchain, wanted
        kept, _held = without_test_changes(changes, self._existing(changes))
        line = self.case.regression_test
        seconds = self.limits.regression_seconds or self.case.regression_seconds
        done = await self._tests(line, kept, environment, seconds)
        return read_tests(OraclePhase.REGRESSION, line, done)

    async def _developer(
        self,
        changes: Mapping[str, bytes | None],
        environment: Environment,
        toolchain: Toolchain,
        wanted: Verdict,
    ) -> PhaseResult:
        del toolchain, wanted
        line = self.case.developer_test
        if not line or not self.truth.developer_tests:
            return PhaseResult(
                phase=OraclePhase.DEVELOPER,
                status=PhaseStatus.MISSING,
                reason="the fix has no tests of its own",
            )
        kept, _held = without_test_changes(changes, self._existing(changes))
        shared = {path: changes[path] for path in changes if path in self.truth.developer_tests}
        joined = with_developer_tests({**kept, **shared}, self.truth.developer_tests, self.truth.before)
        seconds = self.limits.developer_seconds or self.case.developer_seconds
        done = await self._tests(line, joined, environment, seconds)
        return read_tests(OraclePhase.DEVELOPER, line, done)

    async def _tests(
        self, line: str, changes: Mapping[str, bytes | None], environment: Environment, seconds: float
    ) -> Execution:
        with self._patched(changes) as tree:
            return await self.sandbox.run(
                self._command(("bash", "-c", line), tree, environment, seconds=seconds)
            )

    def _command(
        self,
        argv: tuple[str, ...],
        tree: Path,
        environment: Environment,
        *,
        seconds: float,
        files: Mapping[str, bytes] | None = None,
    ) -> SandboxCommand:
        return SandboxCommand(
            argv=argv,
            tree=tree,
            files=files or {},
            mounts=environment.mounts,
            env={**environment.env, "CASE_TREE": "/work", "CI": "true", **self.case.environment},
            limits=Limits(
                wall_seconds=seconds,
                cpu_seconds=int(seconds * CPU_FACTOR) + 60,
                memory_mb=MEMORY_MB,
                disk_mb=DISK_MB,
                processes=PROCESSES,
                open_files=8192,
            ),
        )

    def _existing(self, changes: Mapping[str, bytes | None]) -> dict[str, bytes]:
        found = {path: self.workspace.read(path) for path in changes}
        return {path: content for path, content in found.items() if content is not None}

    @contextlib.contextmanager
    def _patched(self, changes: Mapping[str, bytes | None]) -> Iterator[Path]:
        tree = self.workspace.patched(changes)
        try:
            yield tree
        finally:
            self.workspace.discard(tree)


def build_config(case: Case) -> BuildConfig:
    """Return what the case says of its environment, in the words of the repository configuration."""
    return BuildConfig(packages=case.packages, python=case.python, node=case.node)


def _pipeline(phase: OraclePhase, error: Exception) -> PhaseResult:
    return PhaseResult(phase=phase, status=PhaseStatus.PIPELINE, reason=str(error))

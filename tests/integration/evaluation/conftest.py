"""One small real case and a bench with a real sandbox for all tests of a module."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.sandbox.config import SandboxConfig
from agent.sandbox.select import open_sandbox
from evaluation.repair.case_file import read_cases
from evaluation.repair.oracle import OracleLimits
from evaluation.repair.posing import Bench
from tests.fakes.bench import SystemPython
from tests.repair_cases import real_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent.ports import Sandbox
    from evaluation.repair.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The evaluator's folders, the case in them, and the bench."""

    cases: Path
    repositories: Path
    case: Case
    bench: Bench


@pytest.fixture(scope="session")
def bench_sandbox() -> Iterator[Sandbox]:
    """Yield the sandbox of this machine."""
    with tempfile.TemporaryDirectory(prefix="suture-test-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o711)
        yield open_sandbox(SandboxConfig(cache=Path(folder)))


@pytest.fixture(scope="module")
def ground(bench_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Return the case ``SHELF-1`` on disk and a bench that judges it quickly."""
    root = tmp_path_factory.mktemp("evaluator")
    cases, repositories = real_case(root)
    bench = Bench(
        repositories=repositories,
        sandbox=bench_sandbox,
        toolchains=(SystemPython(),),
        limits=OracleLimits(proof_runs=2, reproduce_runs=2, proof_seconds=60),
    )
    return Ground(cases=cases, repositories=repositories, case=read_cases(cases)[0], bench=bench)

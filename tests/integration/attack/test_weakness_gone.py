"""A flaw that is the code itself: what only hides it from the proof is refused, the rule's patch is accepted.

Whole runs of the workflow, the proof run for real each time.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agent.config import BudgetLimits, RunConfig
from agent.domain.execution import Mount
from agent.domain.project import Environment
from agent.domain.proof import ProofOfConcept
from agent.domain.run import Outcome
from agent.rules.registry import RULES
from agent.sandbox.config import SandboxConfig
from agent.sandbox.unsafe import UnsafeSandbox
from agent.workflow.budget import Budget
from agent.workflow.driver import Workflow
from agent.workflow.sources import RuleCandidates
from agent.workflow.stages.catalogue import STAGES
from agent.workflow.state import Tools
from agent.workspace import open_workspace
from tests.fakes.workflow import (
    FakeCandidates,
    FakeProofs,
    FakeRanker,
    FakeToolchain,
    RecordedObserver,
    RecordedTrajectory,
    SteppingClock,
    build_candidate,
    build_report,
)
from tests.integration.attack.projects import PROJECTS
from tests.integration.attack.weaknesses import WEAK, Weak

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.project import ProjectPlan
    from agent.domain.run import RunResult
    from agent.ports import CandidateSource, Rule, Sandbox


@dataclass
class _Toolchain(FakeToolchain):
    """Checks syntax with the real interpreters, ours with what is installed beside it."""

    async def install(self, plan: ProjectPlan, tree: Path, sandbox: Sandbox) -> Environment:
        return Environment(plan=plan, mounts=(Mount(host=Path(sys.prefix), inside="/environment"),))

    def syntax_check(self, environment: Environment, paths: Sequence[str]) -> tuple[str, ...]:
        if self.language == "python":
            return (sys.executable, "-m", "py_compile", *paths)
        return ("node", "--check", *paths)


def _proof(weak: Weak) -> ProofOfConcept:
    python = weak.language == "python"
    path = f"/tmp/proof.{'py' if python else 'cjs'}"
    argv = (sys.executable if python else "node", path)
    return ProofOfConcept(language=weak.language, path=path, code=weak.proof, argv=argv, origin="report")


async def _run(weak: Weak, folder: Path, source: CandidateSource, rules: Sequence[Rule]) -> RunResult:
    project = folder / "project"
    project.mkdir()
    (project / weak.name).write_text(weak.module)
    with open_workspace(project, parent=folder) as workspace:
        tools = Tools(
            workspace=workspace,
            sandbox=UnsafeSandbox(SandboxConfig(cache=folder / "cache")),
            toolchains=[_Toolchain(language=weak.language, coverage=frozenset({weak.name}))],
            ranker=FakeRanker((weak.name,)),
            proof_sources=[FakeProofs([_proof(weak)])],
            candidate_sources=[source],
            rules=rules,
            trajectory=RecordedTrajectory(),
            observer=RecordedObserver(),
            budget=Budget(limits=BudgetLimits(minutes=None), clock=SteppingClock()),
            config=RunConfig(reproduce_runs=1, proof_runs=1),
        )
        report = build_report(title="A flaw", body="Words.", cwes=(weak.cwe,))
        return await Workflow(run_id="r", report=report, tools=tools, stages=STAGES).run()


def _hidden(weak: Weak) -> FakeCandidates:
    return FakeCandidates([(build_candidate(changes={weak.name: weak.hidden.encode()}),)])


@pytest.mark.parametrize("weak", WEAK, ids=str)
async def test_a_hidden_symptom_is_refused(weak: Weak, tmp_path: Path) -> None:
    """With the rule the run ends without a patch, by this row; the proof and the tests alone are satisfied."""
    (tmp_path / "without").mkdir()
    without = await _run(weak, tmp_path / "without", _hidden(weak), ())
    assert (without.outcome, without.reason) == (Outcome.FIXED, "every required row of the matrix passed")
    (tmp_path / "with").mkdir()
    refused = await _run(weak, tmp_path / "with", _hidden(weak), RULES)
    assert refused.outcome is Outcome.NO_PATCH
    assert f"{weak.rule} finds nothing more where it found something" in refused.reason


@pytest.mark.parametrize("weak", WEAK, ids=str)
async def test_the_rules_patch_is_accepted(weak: Weak, tmp_path: Path) -> None:
    result = await _run(weak, tmp_path, RuleCandidates(rules=RULES), RULES)
    assert (result.outcome, result.candidate and result.candidate.source) == (Outcome.FIXED, weak.rule)


def test_every_rule_is_shown_to_refuse_a_hidden_symptom() -> None:
    """Each rule stands in one of the two tests: by variants of the attack, or by the code that is left."""
    assert {rule.name for rule in RULES if rule.definitive} == {weak.rule for weak in WEAK}
    assert {rule.name for rule in RULES if not rule.definitive} == {project.rule for project in PROJECTS}

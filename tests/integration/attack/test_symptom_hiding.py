"""A patch that only hides the symptom is told from one that closes the flaw, for each weakness class.

Everything is run for real: the proof, its variants and its controls, on the vulnerable module, on the module
with an early return for the very input of the proof, and on what the rule makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from agent.attack import controls, variants
from agent.domain.proof import Verdict
from tests.integration.attack.build import build_proof, verdict
from tests.integration.attack.projects import PROJECTS, Project
from tests.unit.rules.build import build_file, build_report, rule_named, texts

if TYPE_CHECKING:
    from pathlib import Path

    from agent.domain.proof import ProofOfConcept, Variant

_ENOUGH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """A project, the rule's patch of it, and the variants that show its flaw."""

    project: Project
    fixed: str
    working: tuple[Variant, ...]

    @property
    def proof(self) -> ProofOfConcept:
        return build_proof(self.project.proof, self.project.language)


def _read(proof: ProofOfConcept, module: str, folder: Path) -> tuple[Verdict, str]:
    return verdict(proof, folder, project=module)


TIMED = {"slow-patterns"}
"""Rules whose proofs measure the wall clock: a busy machine can make these say anything."""

CHOSEN = [
    pytest.param(project, marks=pytest.mark.slow) if project.rule in TIMED else project
    for project in PROJECTS
]


@pytest.fixture(scope="module", params=CHOSEN, ids=str)
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    project: Project = request.param
    name = "project.py" if project.language == "python" else "project.js"
    items = rule_named(project.rule).propose(build_report(project.cwe), [build_file(project.module, name)])
    working = tuple(
        variant
        for variant in variants(build_proof(project.proof, project.language), [project.cwe])
        if _read(variant.proof, project.module, tmp_path_factory.mktemp("before"))[0] is Verdict.VULNERABLE
    )
    return Attacked(project=project, fixed=texts(items, name)[0], working=working)


def test_the_symptom_is_hidden_and_found_out(attacked: Attacked, tmp_path: Path) -> None:
    """The proof alone takes an early return for a fix; a variant does not."""
    project = attacked.project
    assert _read(attacked.proof, project.module, tmp_path / "vulnerable")[0] is Verdict.VULNERABLE
    assert _read(attacked.proof, project.hidden, tmp_path / "hidden")[0] is Verdict.SAFE
    found = [
        variant.name
        for number, variant in enumerate(attacked.working)
        if _read(variant.proof, project.hidden, tmp_path / f"hidden{number}")[0] is Verdict.VULNERABLE
    ]
    assert found != []


def test_the_rule_closes_every_variant(attacked: Attacked, tmp_path: Path) -> None:
    """At least three forms of the attack work before; after the rule's patch none does."""
    assert _read(attacked.proof, attacked.fixed, tmp_path / "fixed")[0] is Verdict.SAFE
    assert len(attacked.working) >= _ENOUGH
    after = {
        variant.name: _read(variant.proof, attacked.fixed, tmp_path / f"after{number}")
        for number, variant in enumerate(attacked.working)
    }
    assert {name: seen for name, seen in after.items() if seen[0] is not Verdict.SAFE} == {}


def test_a_control_ends_alike_before_and_after(attacked: Attacked, tmp_path: Path) -> None:
    """With a harmless payload the program is safe and prints the same with and without the patch."""
    benign = controls(attacked.proof, [attacked.project.cwe])
    seen = [
        (
            _read(control.proof, attacked.project.module, tmp_path / f"before{number}"),
            _read(control.proof, attacked.fixed, tmp_path / f"after{number}"),
        )
        for number, control in enumerate(benign)
    ]
    assert all(control.benign for control in benign)
    assert [before for before, after in seen if before == after and before[0] is Verdict.SAFE] != []

"""Proofs of concept for attacks, and how they are run here."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from agent.domain.proof import ProofOfConcept, Verdict

if TYPE_CHECKING:
    from pathlib import Path


def build_proof(code: str, language: str = "python") -> ProofOfConcept:
    return ProofOfConcept(language=language, path="/tmp/proof", code=code, argv=(), origin="report")


def verdict(proof: ProofOfConcept, folder: Path, **modules: str) -> tuple[Verdict, str]:
    """Run our own program beside ``modules`` and read it: 0 vulnerable, 1 safe, a crash or the rest neither."""
    folder.mkdir(parents=True, exist_ok=True)
    ending = "py" if proof.language == "python" else "js"
    for name, text in modules.items():
        (folder / f"{name}.{ending}").write_text(text)
    program = folder / f"proof.{ending}"
    program.write_text(proof.code)
    command = [sys.executable, str(program)] if ending == "py" else ["node", str(program)]
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "HOME": str(folder)}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 1 and done.stderr.rstrip():
        return Verdict.INCONCLUSIVE, done.stdout + done.stderr
    return {0: Verdict.VULNERABLE, 1: Verdict.SAFE}.get(done.returncode, Verdict.INCONCLUSIVE), done.stdout

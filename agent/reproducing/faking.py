"""Whether a program fakes the symptom, as far as its text tells. Pure; what it does is judged by ``stubbing``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agent.reproducing import faking_javascript, faking_python

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agent.domain.proof import ProofOfConcept

_CHECKS = {"python": faking_python.faults, "javascript": faking_javascript.faults}


def faults(proof: ProofOfConcept, project: Collection[str]) -> tuple[str, ...]:
    """Return what a proof may not do and does, one line each; ``project`` are the names of its modules."""
    check = _CHECKS.get(proof.language)
    return tuple(dict.fromkeys(check(proof.code, project))) if check is not None else ()


def project_names(paths: Iterable[str], declared: str = "") -> frozenset[str]:
    """Return the names by which the project's own modules are imported, as its paths and its manifest tell."""
    names = {declared} - {""}
    for path in paths:
        parts = path.removeprefix("src/").removeprefix("lib/").split("/")
        names.add(parts[0].rpartition(".")[0] if len(parts) == 1 else parts[0])
    return frozenset(names - {"", "tests", "test", "docs", "examples"})


def package_name(manifest: bytes) -> str:
    """Return the name in a ``package.json``, empty when it has none."""
    try:
        declared = json.loads(manifest)
    except ValueError:
        return ""
    name = declared.get("name") if isinstance(declared, dict) else None
    return name if isinstance(name, str) else ""

"""Variants and controls of a proof of concept, by the weakness it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent.attack import lengths, markup, objects, paths, prototype, queries, redirects, shell
from agent.attack.program import program_of
from agent.domain.proof import Variant

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent.attack.program import Program
    from agent.attack.technique import Form, Technique
    from agent.domain.proof import ProofOfConcept

TECHNIQUES: Final[tuple[Technique, ...]] = (
    prototype.TECHNIQUE,
    paths.TECHNIQUE,
    shell.TECHNIQUE,
    objects.YAML,
    objects.EXPRESSION,
    queries.TECHNIQUE,
    markup.ENTITY,
    markup.SCRIPT,
    redirects.TECHNIQUE,
    lengths.TECHNIQUE,
)


def variants(poc: ProofOfConcept, cwes: Sequence[str]) -> tuple[Variant, ...]:
    """Return the same attack in the other forms known for its weakness.

    Each is the program with its payload literals rewritten. Whether a form works here is for a run to tell:
    one counts only if it shows the flaw before the patch. Without a known CWE the payloads decide.
    """
    return _distinct(poc, [(form, False) for technique in _chosen(poc, cwes) for form in technique.forms])


def controls(poc: ProofOfConcept, cwes: Sequence[str]) -> tuple[Variant, ...]:
    """Return the program with harmless payloads; what it prints must be the same before and after a patch."""
    return _distinct(poc, [(form, True) for technique in _chosen(poc, cwes) for form in technique.harmless])


def _distinct(poc: ProofOfConcept, forms: list[tuple[Form, bool]]) -> tuple[Variant, ...]:
    program = program_of(poc.code, poc.language)
    return tuple(_written(poc, program, forms)) if program is not None else ()


def _written(poc: ProofOfConcept, program: Program, forms: list[tuple[Form, bool]]) -> Iterator[Variant]:
    seen = {poc.code}
    for form, benign in forms:
        code = program.edited(form.rewrite(program))
        if code is not None and code not in seen:
            seen.add(code)
            yield Variant(name=form.name, proof=replace(poc, code=code), benign=benign)


def _chosen(poc: ProofOfConcept, cwes: Sequence[str]) -> tuple[Technique, ...]:
    """Return the techniques of the weakness that find a payload here, else all that do."""
    program = program_of(poc.code, poc.language)
    if program is None:
        return ()
    fitting = tuple(
        technique
        for technique in TECHNIQUES
        if any(technique.payload.search(literal.raw) for literal in program.literals)
    )
    named = tuple(technique for technique in fitting if technique.cwes & set(cwes))
    return named or tuple(technique for technique in fitting if technique is not lengths.TECHNIQUE)

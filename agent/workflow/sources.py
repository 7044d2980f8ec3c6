"""Sources that need no model: the reporter's snippets, and rules over the ranked files."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.domain.patch import Candidate, Declined, SourceFile
from agent.oracles import proof_from_snippet
from agent.workflow.proving import with_argv

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from agent.domain.proof import ProofOfConcept, Trial
    from agent.ports import Rule
    from agent.workflow.state import RunState, Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetProofs:
    """Proofs made from the code blocks of the report."""

    async def proofs(
        self, state: RunState, tools: Tools, trials: Sequence[Trial] = ()
    ) -> AsyncIterator[ProofOfConcept]:
        """Yield a proof for each snippet in the project's language that can show something."""
        del trials  # a reporter is asked once
        if state.toolchain is None or state.environment is None:
            return
        for snippet in state.report.snippets:
            proof = proof_from_snippet(snippet, state.report)
            if proof is None or proof.language != state.toolchain.language:
                tools.trajectory.record("snippet_skipped", language=snippet.language)
                continue
            yield with_argv(proof, state.toolchain.script(state.environment, proof.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCandidates:
    """Candidates made by rules, on the ranked files only."""

    rules: Sequence[Rule]

    async def candidates(self, state: RunState, tools: Tools) -> tuple[Candidate | Declined, ...]:
        """Apply every rule; after failed attempts, on top of the best one."""
        best = state.attempts[0].candidate if state.attempts else None
        files = tuple(_sources(state, tools, best))
        proposed = (item for rule in self.rules for item in rule.propose(state.report, files))
        return tuple(_on_top_of(best, item) if best else item for item in proposed)


def _sources(state: RunState, tools: Tools, best: Candidate | None) -> list[SourceFile]:
    changed = best.changes if best else {}
    contents = (
        (file.path, changed.get(file.path) or tools.workspace.read(file.path)) for file in state.files
    )
    return [SourceFile(path=path, content=content) for path, content in contents if content is not None]


def _on_top_of(best: Candidate, item: Candidate | Declined) -> Candidate | Declined:
    """Return the best attempt with a further change; a refusal stays as it is."""
    if isinstance(item, Declined):
        return item
    return dataclasses.replace(
        item,
        changes={**best.changes, **item.changes},
        rationale=f"{best.rationale} Then: {item.rationale}",
    )

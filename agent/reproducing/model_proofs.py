"""Proofs of concept by the author, each written in the light of the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent.domain.conversation import ModelRole
from agent.domain.proof import NoProof
from agent.errors import ModelError
from agent.localizing.narrowing import MOST_REPORT, existing
from agent.localizing.overview import overview
from agent.localizing.ranking import ranked_files
from agent.prompts.rendering import render
from agent.reading import ReadableTree, ReadingTools
from agent.reproducing.programs import ORIGIN, new_test_of, proof_of
from agent.reproducing.prompts import PROOF, ProofPrompt
from agent.reproducing.replies import Answer, ProofReply
from retrieval.files.kinds import FileKind, kind_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from agent.domain.proof import ProofOfConcept, Trial
    from agent.workflow.state import RunState, Tools

MOST_TRIES: Final = 7
_TURNS: Final = 6
_WARM: Final = 0.4
_TESTS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProofs:
    """Asks the author for a proof, at most ``MOST_TRIES`` times; ends early with its reason why there is none."""

    async def proofs(
        self, state: RunState, tools: Tools, trials: Sequence[Trial] = ()
    ) -> AsyncIterator[ProofOfConcept | NoProof]:
        """Yield proofs, or the one reason why there is none; nothing without a model."""
        toolchain, environment, desk = state.toolchain, state.environment, tools.models
        if desk is None or not desk.offers(ModelRole.AUTHOR) or toolchain is None or environment is None:
            return
        tree = ReadableTree(workspace=tools.workspace)
        state = replace(state, files=await ranked_files(state, tools))
        for number in range(MOST_TRIES):
            prompt = render(PROOF, _inputs(state, tree, trials, MOST_TRIES - number))
            try:
                reply = await desk.reply(
                    ModelRole.AUTHOR,
                    prompt,
                    ProofReply,
                    temperature=_WARM if number else 0.0,
                    toolbox=ReadingTools(tree=tree),
                    turns=_TURNS,
                )
            except ModelError as error:
                yield NoProof(
                    origin=ORIGIN, reason=f"the model could not be asked for a proof: {error.reason}"
                )
                return
            if reply.answer is not Answer.PROOF:
                yield NoProof(origin=ORIGIN, reason=" ".join(reply.reason.split()))
                return
            sinks = existing((one.named() for one in reply.sinks), tree)
            test = new_test_of(reply, toolchain.language, tools.workspace.read)
            proof = proof_of(reply, toolchain.language, sinks, test)
            yield replace(proof, argv=toolchain.script(environment, proof.path))


def _inputs(state: RunState, tree: ReadableTree, trials: Sequence[Trial], left: int) -> ProofPrompt:
    last = trials[-1] if trials else None
    plan = state.environment.plan if state.environment is not None else None
    tests = [path for path in tree.paths() if kind_of(path) is FileKind.TEST]
    return ProofPrompt(
        language=state.toolchain.language if state.toolchain is not None else "",
        runner=plan.runner if plan is not None else "",
        report=f"{state.report.title}\n\n{state.report.body}"[:MOST_REPORT],
        files=overview(state.files, tree),
        tests="\n".join(tests[:_TESTS_SHOWN]),
        code=last.proof.code if last is not None else "",
        output=_seen(last) if last is not None else "",
        tried=last.reason if last is not None else "",
        left=left,
    )


def _seen(trial: Trial) -> str:
    ran = ", ".join(sorted(trial.covered)[:12]) or "no file of the project"
    code = "no exit code" if trial.exit_code is None else f"exit code {trial.exit_code}"
    return f"{code} ({trial.verdict.value}); code ran of {ran}\n{trial.output}"

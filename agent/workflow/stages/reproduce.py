"""Reproduce: show the flaw on the unpatched tree, several times, in the project's own code."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from agent.domain.proof import NoProof, Trial, Verdict
from agent.localizing.ranking import ranked_files
from agent.reproducing.programs import ORIGIN
from agent.workflow.failing_test import failing_test
from agent.workflow.released import carries_fix, declared_version
from agent.workflow.state import Step
from agent.workflow.transitions import Result
from agent.workflow.trying import try_proof

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agent.domain.patch import SourceFile
    from agent.domain.proof import ProofOfConcept
    from agent.workflow.state import RunState, Tools
    from agent.workflow.trying import Tried


async def reproduce(state: RunState, tools: Tools) -> Step:
    """Try each proof in turn; the first that shows the flaw every time, through the project's code, counts."""
    if state.toolchain is None or state.environment is None:
        raise AssertionError("the environment stage comes first")
    trials: list[Trial] = []
    claims: list[NoProof] = []
    if tools.models is not None:  # a model's proof is held against the ranking, which needs no proof
        state = dataclasses.replace(state, files=await ranked_files(state, tools))
    async for proof in _proofs(state, tools, trials):
        if isinstance(proof, NoProof):
            tools.observer.note(f"no proof from the {proof.origin}: {proof.reason}")
            tools.trajectory.record("no_proof", origin=proof.origin, reason=proof.reason)
            claims.append(proof)
            continue
        tried = await try_proof(proof, state, tools)
        trials.append(tried.trial)
        if tried.counts:
            return _reproduced(state, tried, await failing_test(proof, state, tools))
        tools.observer.note(
            f"a proof from the {proof.origin} was {tried.trial.verdict.value}: {tried.trial.reason}"
        )
    return _not_reproduced(state, trials, claims, tools)


async def _proofs(
    state: RunState, tools: Tools, trials: list[Trial]
) -> AsyncIterator[ProofOfConcept | NoProof]:
    """Yield each different proof once; of the reporter's at most as many as may be tried: each costs several runs."""
    tried: set[str] = set()
    theirs = 0
    for source in tools.proof_sources:
        async for proof in source.proofs(state, tools, trials):
            if isinstance(proof, NoProof):
                yield proof
                continue
            if proof.code in tried:
                trials += [_again(proof)] if proof.origin == ORIGIN else []
                continue
            if proof.origin != ORIGIN:
                if theirs == tools.config.proofs:
                    tools.observer.note(f"only the first {theirs} proofs of the report are tried")
                    break
                theirs += 1
            tried.add(proof.code)
            yield proof


def _again(proof: ProofOfConcept) -> Trial:
    reason = "this very program was tried before; write another one"
    return Trial(proof=proof, verdict=Verdict.INCONCLUSIVE, reason=reason)


def _reproduced(state: RunState, tried: Tried, test: SourceFile | None) -> Step:
    proof, runs, count = tried.trial.proof, len(tried.seen), len(tried.coverage.files)
    return Step(
        result=Result.REPRODUCED,
        summary=f"the {proof.origin}'s proof showed the flaw {runs} of {runs} times, "
        f"running code of {count} file{'s' if count != 1 else ''}"
        f"{f'; {test.path} fails as it should' if test is not None else ''}",
        state=dataclasses.replace(
            state,
            proof=proof,
            observed=tried.seen[0],
            covered=tried.coverage.files,
            functions=tried.coverage.functions,
            regression_test=test,
        ),
    )


def _not_reproduced(state: RunState, trials: list[Trial], claims: list[NoProof], tools: Tools) -> Step:
    """Say how it ended. A reporter's proof that reads safe is a finding; a model's, or its claim, is not."""
    ran = f"{len(trials)} proof{'s' if len(trials) != 1 else ''} ran"
    claim = f"; the model says: {claims[-1].reason}" if claims else ""
    if not trials or (claims and all(trial.proof.origin == ORIGIN for trial in trials)):
        summary = (
            "the report holds no proof that could be run" if not trials else f"{ran}, none showed the flaw"
        )
        return Step(result=Result.NO_PROOF, summary=summary + claim, state=state)
    version = declared_version(tools.workspace.read)
    if any(trial.verdict is not Verdict.SAFE for trial in trials if _decides(trial, trials)):
        return Step(result=Result.INCONCLUSIVE, summary=f"{ran} without a clear result{claim}", state=state)
    if carries_fix(version, state.report.fixed):
        summary = f"{ran} and read safe, and version {version} already carries the fix"
        return Step(result=Result.ALREADY_FIXED, summary=summary, state=state)
    if all(trial.proof.origin == ORIGIN for trial in trials):
        return Step(result=Result.INCONCLUSIVE, summary=f"{ran}, none showed the flaw{claim}", state=state)
    summary = f"{ran}, none showed the flaw at this revision{claim}"
    return Step(result=Result.SAFE, summary=summary, state=state)


def _decides(trial: Trial, trials: list[Trial]) -> bool:
    """Tell whether a trial's verdict counts: the reporter's where there are any, else the model's."""
    theirs = any(one.proof.origin != ORIGIN for one in trials)
    return trial.proof.origin != ORIGIN or not theirs

"""The loop of the listwise agent: a model surveys, inspects, drills and submits, within a bounded number of turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.domain.conversation import Message, Role
from agent.errors import ModelError
from agent.prompts.rendering import render
from agent.tracing.domain import Basis, FixCommit, TracingAnswer
from agent.tracing.prompt import TEMPLATE, TracePrompt
from agent.tracing.tools import DESCRIPTIONS, Tools
from agent.untrusted import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent.domain.conversation import Turn
    from agent.domain.report import Report
    from agent.ports import ChatModel
    from agent.tracing.domain import Candidate
    from agent.tracing.ports import CommitSource

TURNS = 15
ADVISORY_CHARACTERS = 12_000
CALLS_A_TURN = 8
_URGE = "Use a tool: read further candidates, or call submit_answer."
_LAST = "This is your last turn: call submit_answer now."


class ListwiseAgent:
    """Asks a model which commits of a shortlist are the fix; what it does not answer is answered by rank 1."""

    def __init__(self, model: ChatModel, source: CommitSource, *, turns: int = TURNS) -> None:
        self._model = model
        self._source = source
        self._turns = turns

    async def choose(self, report: Report, candidates: Sequence[Candidate]) -> TracingAnswer:
        """Return the fix; raise ``ValueError`` without candidates, for then there is nothing to choose."""
        if not candidates:
            raise ValueError("a choice needs candidates")
        tools = Tools(candidates, self._source)
        messages = [self._opening(report, candidates)]
        tokens = 0
        for number in range(1, self._turns + 1):
            if number == self._turns:
                messages.append(Message(role=Role.USER, text=_LAST))
            try:
                turn = await self._model.answer(tuple(messages), DESCRIPTIONS)
            except ModelError as error:
                return _fallback(candidates, messages, number - 1, tokens, f"the model failed: {error}")
            tokens += turn.tokens
            fixes = _take(turn, tools, messages)
            if fixes:
                return TracingAnswer(
                    commits=fixes,
                    basis=Basis.SUBMITTED,
                    turns=number,
                    tokens=tokens,
                    conversation=tuple(messages),
                )
        note = f"the model submitted nothing in {self._turns} turns"
        return _fallback(candidates, messages, self._turns, tokens, note)

    def _opening(self, report: Report, candidates: Sequence[Candidate]) -> Message:
        advisory = clean(f"{report.title}\n\n{report.body}").text[:ADVISORY_CHARACTERS]
        prompt = TracePrompt(advisory=advisory, candidates=len(candidates), turns=self._turns)
        return Message(role=Role.USER, text=render(TEMPLATE, prompt).text)


def _take(turn: Turn, tools: Tools, messages: list[Message]) -> tuple[FixCommit, ...]:
    """Add a turn and its tools' replies to the conversation and return what was submitted."""
    messages.append(Message(role=Role.ASSISTANT, text=turn.text, calls=turn.calls))
    if not turn.calls:
        messages.append(Message(role=Role.USER, text=_URGE))
    for number, call in enumerate(turn.calls):
        if number >= CALLS_A_TURN:
            text = f"Not done: at most {CALLS_A_TURN} calls a turn."
            messages.append(Message(role=Role.TOOL, text=text, call_id=call.id))
            continue
        reply = tools.use(call)
        messages.append(Message(role=Role.TOOL, text=reply.text, call_id=call.id))
        if reply.fixes:
            return reply.fixes
    return ()


def _fallback(
    candidates: Sequence[Candidate], messages: Sequence[Message], turns: int, tokens: int, note: str
) -> TracingAnswer:
    return TracingAnswer(
        commits=(FixCommit(id=candidates[0].id, reason="first of the ranking; no model confirmed it"),),
        basis=Basis.FALLBACK,
        turns=turns,
        tokens=tokens,
        note=note,
        conversation=tuple(messages),
    )

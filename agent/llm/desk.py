"""The desk where stages ask models: it picks the model of a role, counts the cost and writes every call down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from agent.domain.conversation import Message, Role
from agent.errors import MalformedReplyError, ModelError
from agent.llm.replies import read_reply, shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent.domain.conversation import ModelRole, Prompt, ToolCall, ToolDescription, Turn
    from agent.ports import ChatModel, Trajectory
    from agent.workflow.budget import Budget

ReplyT = TypeVar("ReplyT", bound=BaseModel)
REPAIRS = 2
"""How often a malformed reply is asked for again, with what was wrong."""
CALLS_A_TURN = 8
_LAST = "This was the last tool call. Give your final answer now, as the one JSON object asked for."


class Toolbox(Protocol):
    """Tools that a model may use while it works on an answer."""

    @property
    def descriptions(self) -> Sequence[ToolDescription]:
        """Return what the model is told of the tools."""
        ...

    def use(self, call: ToolCall) -> str:
        """Return what a call gives, bounded; a call that cannot be served is answered with what to do."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDesk:
    """Asks models for stages. ``models`` holds those of each role; a role may be given the author's."""

    models: Mapping[ModelRole, Sequence[ChatModel]]
    budget: Budget
    trajectory: Trajectory

    def offers(self, role: ModelRole) -> int:
        """Return how many models a role has."""
        return len(self.models.get(role, ()))

    async def text(self, role: ModelRole, prompt: Prompt, *, temperature: float = 0.0, which: int = 0) -> str:
        """Return a model's free answer; raise ``ModelError`` or ``BudgetExhaustedError``."""
        asked = (Message(role=Role.USER, text=prompt.text),)
        return (await self._ask(role, prompt, asked, temperature=temperature, which=which)).text

    async def reply(
        self,
        role: ModelRole,
        prompt: Prompt,
        shape: type[ReplyT],
        *,
        temperature: float = 0.0,
        which: int = 0,
        toolbox: Toolbox | None = None,
        turns: int = 8,
    ) -> ReplyT:
        """Return an answer of the given shape; the model may use ``toolbox`` for at most ``turns`` turns before.

        A reply that does not fit is asked for again with the error, at most ``REPAIRS`` times; then
        ``MalformedReplyError`` is raised.
        """
        messages = [Message(role=Role.USER, text=f"{prompt.text}\n\n{shape_of(shape)}")]
        wrong, used = 0, 0
        while True:
            tools = toolbox.descriptions if toolbox is not None and used < turns else ()
            turn = await self._ask(
                role, prompt, messages, tools=tools, shape=shape, temperature=temperature, which=which
            )
            messages.append(Message(role=Role.ASSISTANT, text=turn.text, calls=turn.calls))
            if turn.calls and toolbox is not None:
                used += 1
                messages += _used(turn.calls, toolbox)
                messages += [Message(role=Role.USER, text=_LAST)] if used == turns else []
                continue
            try:
                return read_reply(turn.text, shape)
            except (ValidationError, ValueError) as error:
                wrong += 1
                if wrong > REPAIRS:
                    raise MalformedReplyError(f"{prompt.name}: no reply of the right shape") from None
                self.trajectory.record("malformed_reply", prompt=prompt.name, why=str(error)[:2_000])
                messages.append(Message(role=Role.USER, text=f"This cannot be read: {error}\nAnswer again."))

    async def _ask(
        self,
        role: ModelRole,
        prompt: Prompt,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolDescription] = (),
        shape: type[BaseModel] | None = None,
        temperature: float,
        which: int,
    ) -> Turn:
        self.budget.check()
        model = self._model(role, which)
        started = monotonic()
        schema = shape.model_json_schema() if shape is not None and not tools else None
        try:
            turn = await model.answer(messages, tools, temperature=temperature, schema=schema)
        except ModelError as error:
            self.trajectory.record("model_failed", prompt=prompt.name, model=model.name, why=error.reason)
            raise
        self.budget.spend(turn.cost)
        self.trajectory.record(
            "model",
            prompt=prompt.name,
            template=prompt.digest,
            role=role.value,
            model=model.name,
            asked=messages[-1].text if len(messages) > 1 else prompt.text,
            reply=turn.text,
            calls=[json.dumps({"name": call.name, "arguments": call.arguments}) for call in turn.calls],
            tokens_in=turn.cost.tokens_in,
            tokens_out=turn.cost.tokens_out,
            money=turn.cost.money,
            seconds=round(monotonic() - started, 3),
        )
        return turn

    def _model(self, role: ModelRole, which: int) -> ChatModel:
        models = self.models.get(role, ())
        if which >= len(models):
            raise ModelError(f"no model is configured for the role {role.value}")
        return models[which]


def _used(calls: Sequence[ToolCall], toolbox: Toolbox) -> list[Message]:
    """Return the tools' answers; calls above the bound of a turn are told so."""
    answers = [
        toolbox.use(call) if number < CALLS_A_TURN else f"Not done: at most {CALLS_A_TURN} calls a turn."
        for number, call in enumerate(calls)
    ]
    return [
        Message(role=Role.TOOL, text=text, call_id=call.id) for call, text in zip(calls, answers, strict=True)
    ]

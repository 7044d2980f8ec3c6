"""Any OpenAI-compatible endpoint as a ``ChatModel``; the one place of the agent that knows the SDK."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import openai
import structlog

from agent.domain.conversation import ToolCall, Turn
from agent.domain.run import Cost
from agent.errors import ModelError
from agent.llm.config import Price
from agent.llm.faults import is_too_long, line, may_pass, pause, words
from agent.llm.shortening import shortened
from agent.llm.text_tools import calls_in, told
from agent.llm.wire import arguments_of, as_sdk, tool_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openai.types.chat import ChatCompletion

    from agent.domain.conversation import Message, ToolDescription
    from agent.llm.config import EndpointConfig

_SHORTER: Final = 4

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Habits:
    """What an endpoint was found not to take; it is asked without it from then on."""

    tools: bool = True
    schema: bool = True
    temperature: bool = True
    limit: str = "max_tokens"


@dataclass(slots=True, kw_only=True)
class EndpointModel:
    """One model of an endpoint. Waits and tries again where that can help; says in one line where it cannot."""

    name: str
    config: EndpointConfig
    habits: Habits = field(default_factory=Habits)

    async def answer(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDescription] = (),
        *,
        temperature: float = 0.0,
        schema: Mapping[str, object] | None = None,
    ) -> Turn:
        """Return the next turn; a conversation that is too long is cut, at most four times."""
        for _ in range(_SHORTER):
            try:
                return await self._answer(messages, tools, temperature, schema)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                shorter = shortened(messages) if is_too_long(error) else None
                if shorter is None:
                    raise ModelError(f"{self.name} refused the question: {words(error)}") from None
                log.warning("conversation_cut", model=self.name, messages=len(shorter))
                messages = shorter
        raise ModelError(f"{self.name} cannot hold the question, even cut")

    async def _answer(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDescription],
        temperature: float,
        schema: Mapping[str, object] | None,
    ) -> Turn:
        """Ask; what the endpoint does not take is left out and remembered."""
        while True:
            asked = self._asked(messages, tools, temperature, schema)
            try:
                completion = await self._patiently(asked)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if is_too_long(error) or not self._learn(asked, error):
                    raise
                continue
            return self._turn(completion, tools)

    def _asked(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDescription],
        temperature: float,
        schema: Mapping[str, object] | None,
    ) -> dict[str, Any]:
        native = bool(tools) and self.habits.tools
        said = messages if self.habits.tools else told(messages, tools)
        asked: dict[str, Any] = {
            "model": self.name,
            "messages": [as_sdk(message) for message in said],
            self.habits.limit: self.config.most_output,
        }
        if self.habits.temperature:
            asked["temperature"] = temperature
        if native:
            asked["tools"] = [tool_of(tool) for tool in tools]
        elif schema is not None and self.habits.schema:
            asked["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": dict(schema)},
            }
        return asked

    def _learn(self, asked: Mapping[str, Any], error: openai.APIStatusError) -> bool:
        """Note what the endpoint refused; False when nothing is left to leave out."""
        said = words(error).lower()
        habits = self.habits
        if "max_tokens" in asked and "max_completion_tokens" in said:
            habits.limit = "max_completion_tokens"
        elif "temperature" in asked and "temperature" in said:
            habits.temperature = False
        elif "response_format" in asked:
            habits.schema = False
        elif "tools" in asked or any(message["role"] == "tool" for message in asked["messages"]):
            habits.tools = False
        else:
            return False
        log.info("endpoint_habit_learnt", model=self.name, tools=habits.tools, schema=habits.schema)
        return True

    async def _patiently(self, asked: Mapping[str, Any]) -> ChatCompletion:
        """Ask as often as may be; wait as the endpoint says, else longer each time, with jitter."""
        waited = 0.0
        for number in range(1, self.config.tries + 1):
            try:
                return await self._once(asked)
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                raise
            except openai.APIError as error:
                seconds = pause(error, number)
                last = number == self.config.tries
                if last or not may_pass(error) or waited + seconds > self.config.waiting:
                    raise ModelError(line(self.name, error), retryable=may_pass(error)) from None
                log.info("model_asked_again", model=self.name, attempt=number, seconds=round(seconds, 1))
                await asyncio.sleep(seconds)
                waited += seconds
            except openai.OpenAIError as error:
                raise ModelError(f"the model endpoint cannot be used: {type(error).__name__}") from None
        raise AssertionError("the last try returns or raises")

    async def _once(self, asked: Mapping[str, Any]) -> ChatCompletion:
        """Ask once, over a connection of its own: runs are minutes apart, and none must be left open."""
        async with openai.AsyncOpenAI(
            base_url=self.config.url or None,
            api_key=self.config.key or "none",
            timeout=self.config.seconds,
            max_retries=0,
        ) as client:
            try:
                completion: ChatCompletion = await client.chat.completions.create(**asked)
            except ValueError:
                raise ModelError(f"{self.name} gave an answer that is no JSON", retryable=True) from None
        return completion

    def _turn(self, completion: ChatCompletion, tools: Sequence[ToolDescription]) -> Turn:
        """Read an answer; the SDK does not check its shape."""
        try:
            message = completion.choices[0].message
            text = message.content or ""
            calls = tuple(
                ToolCall(id=call.id, name=call.function.name, arguments=arguments_of(call.function.arguments))
                for call in message.tool_calls or ()
                if call.type == "function"
            )
            cost = self._cost(completion)
        except (AttributeError, TypeError, IndexError):
            raise ModelError(f"{self.name} gave an answer that cannot be read", retryable=True) from None
        if not calls and tools:
            calls = calls_in(text, frozenset(tool.name for tool in tools))
        return Turn(text=text, calls=calls, cost=cost)

    def _cost(self, completion: ChatCompletion) -> Cost:
        usage = completion.usage
        if usage is None:
            return Cost(calls=1)
        details = usage.prompt_tokens_details
        cached = (details.cached_tokens or 0) if details else 0
        price = self.config.prices.get(self.name, Price())
        return Cost(
            calls=1,
            tokens_in=usage.prompt_tokens,
            tokens_out=usage.completion_tokens,
            money=price.of(usage.prompt_tokens, usage.completion_tokens, cached),
        )

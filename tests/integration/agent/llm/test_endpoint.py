"""The adapter of any OpenAI-compatible endpoint, against one that errs in every way such endpoints do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from agent.domain.conversation import Message, Role, ToolCall, ToolDescription
from agent.domain.run import Cost
from agent.errors import ModelError
from agent.llm.config import EndpointConfig, Price
from agent.llm.endpoint import EndpointModel
from tests.fakes.endpoint import build_answer, build_error, serving

if TYPE_CHECKING:
    from tests.fakes.endpoint import FakeEndpoint

QUESTION = (Message(role=Role.USER, text="What is it?"),)
TOOL = ToolDescription(name="look", description="Look.", parameters={"type": "object", "properties": {}})
KEY = "sk-very-secret-key-1234567890"


def build_model(endpoint: FakeEndpoint, **changes: Any) -> EndpointModel:
    given: dict[str, Any] = {"url": endpoint.url, "key": KEY, "waiting": 1.0, "tries": 3} | changes
    return EndpointModel(name="m", config=EndpointConfig(**given))


async def test_an_answer_comes_with_its_price() -> None:
    async with serving(build_answer("yes", prompt_tokens=1_000_000, completion_tokens=500_000)) as endpoint:
        model = build_model(endpoint, prices={"m": Price(tokens_in=2.0, tokens_out=8.0)})
        turn = await model.answer(QUESTION)
    assert turn.text == "yes"
    assert turn.cost == Cost(calls=1, tokens_in=1_000_000, tokens_out=500_000, money=6.0)
    assert endpoint.keys == [f"Bearer {KEY}"]


async def test_tools_are_called_natively_and_their_results_go_back() -> None:
    async with serving(build_answer(None, ("look", {"at": "a.py"})), build_answer("done")) as endpoint:
        model = build_model(endpoint)
        turn = await model.answer(QUESTION, (TOOL,))
        said = Message(role=Role.ASSISTANT, text=turn.text, calls=turn.calls)
        result = Message(role=Role.TOOL, text="1: x", call_id=turn.calls[0].id)
        final = await model.answer((*QUESTION, said, result), (TOOL,))
    assert turn.calls == (ToolCall(id="c0", name="look", arguments={"at": "a.py"}),)
    assert final.text == "done"
    assert [message["role"] for message in endpoint.asked[1]["messages"]] == ["user", "assistant", "tool"]


async def test_an_endpoint_without_tools_gets_them_in_words_from_then_on() -> None:
    in_text = build_answer('```json\n{"tool_calls": [{"name": "look", "arguments": {"at": "b"}}]}\n```')
    async with serving(build_error(400, "tools is not supported"), in_text, in_text) as endpoint:
        model = build_model(endpoint)
        turns = [await model.answer(QUESTION, (TOOL,)) for _ in range(2)]
    assert [turn.calls[0].arguments for turn in turns] == [{"at": "b"}, {"at": "b"}]
    assert ["tools" in asked for asked in endpoint.asked] == [True, False, False]
    assert "look: Look." in endpoint.asked[1]["messages"][0]["content"]


async def test_a_refused_schema_or_temperature_is_left_out_from_then_on() -> None:
    answers = (build_error(400, "response_format unknown"), build_error(400, "temperature must be 1"))
    async with serving(*answers, build_answer("yes")) as endpoint:
        model = build_model(endpoint)
        for _ in range(2):
            assert (await model.answer(QUESTION, schema={"type": "object"})).text == "yes"
    assert ["response_format" in asked for asked in endpoint.asked] == [True, False, False, False]
    assert ["temperature" in asked for asked in endpoint.asked] == [True, True, False, False]


async def test_the_newer_name_of_the_output_limit_is_learnt() -> None:
    refusal = build_error(400, "Use 'max_completion_tokens' instead of 'max_tokens'")
    async with serving(refusal, build_answer("yes")) as endpoint:
        await build_model(endpoint).answer(QUESTION)
    assert "max_completion_tokens" in endpoint.asked[1]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    async with serving(build_error(status, retry_after="0"), build_answer("yes")) as endpoint:
        assert (await build_model(endpoint).answer(QUESTION)).text == "yes"
    assert len(endpoint.asked) == 2


async def test_a_long_pause_is_not_waited_for() -> None:
    async with serving(build_error(429, retry_after="3600")) as endpoint:
        with pytest.raises(ModelError, match="no quota left or is asked too often") as caught:
            await build_model(endpoint).answer(QUESTION)
    assert (caught.value.retryable, len(endpoint.asked)) == (True, 1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (build_error(401, f"Incorrect API key provided: {KEY}"), "refuses the key; check OPENAI_API_KEY"),
        (build_error(403, "forbidden"), "refuses the key"),
        (build_error(404, "no such model"), "does not know m; check SUTURE_MODEL"),
        (build_error(429, "pay", code="insufficient_quota"), "no quota left"),
        (build_error(500, "boom", retry_after="0"), "failed: status 500"),
        (build_error(400, "content refused"), "refused the question: .*content refused"),
        (build_error(422, "bad role"), "refused the question: .*bad role"),
    ],
)
async def test_what_goes_wrong_is_one_line_without_the_key(answer: web.Response, said: str) -> None:
    async with serving(answer) as endpoint:
        with pytest.raises(ModelError, match=said) as caught:
            await build_model(endpoint).answer(QUESTION)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    ["{", "[]", "null", '{"choices": []}', '{"choices": null}', '{"choices": [{"index": 0}]}', "<html>"],
)
async def test_an_answer_that_cannot_be_read_is_an_error_of_the_model(body: str) -> None:
    async with serving(web.Response(text=body, content_type="application/json")) as endpoint:
        with pytest.raises(ModelError):
            await build_model(endpoint).answer(QUESTION)


async def test_an_endpoint_that_is_not_there_says_what_to_check() -> None:
    config = EndpointConfig(url="http://127.0.0.1:1/v1", key=KEY, tries=1)
    with pytest.raises(ModelError, match="cannot be reached; check OPENAI_BASE_URL"):
        await EndpointModel(name="m", config=config).answer(QUESTION)


async def test_a_conversation_that_is_too_long_is_cut_where_it_is_least_needed() -> None:
    """Old results of tools first; the question and the last message stay."""

    def answer(asked: dict[str, Any]) -> web.Response:
        size = len(json.dumps(asked["messages"]))
        too_long = build_error(400, "This model's maximum context length is 8192 tokens")
        return build_answer("yes") if size < 20_000 else too_long

    result = Message(role=Role.TOOL, text="x" * 30_000, call_id="c0")
    call = Message(role=Role.ASSISTANT, text="", calls=(ToolCall(id="c0", name="look"),))
    last = Message(role=Role.USER, text="Answer now.")
    async with serving(answer) as endpoint:
        turn = await build_model(endpoint).answer((*QUESTION, call, result, last))
    sent = endpoint.asked[-1]["messages"]
    assert turn.text == "yes"
    assert (sent[0]["content"], sent[-1]["content"]) == ("What is it?", "Answer now.")
    assert "the conversation was too long" in sent[2]["content"]


async def test_a_conversation_that_never_fits_is_given_up() -> None:
    async with serving(build_error(400, "too many tokens")) as endpoint:
        with pytest.raises(ModelError):
            await build_model(endpoint).answer((Message(role=Role.USER, text="x" * 50_000),))
    assert len(endpoint.asked) <= 5

"""Tools in words: what a model without tool calling is told, and what it says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.conversation import Message, Role, ToolCall, ToolDescription
from agent.llm.config import Price
from agent.llm.shortening import KEPT, shortened
from agent.llm.text_tools import calls_in, told

NAMES = frozenset({"look", "find"})
TOOL = ToolDescription(name="look", description="Look.", parameters={"type": "object"})
CALL = {"name": "look", "arguments": {"at": 1}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"tool_calls": [CALL]}),
        json.dumps(CALL),
        f"Let me look.\n```json\n{json.dumps(CALL)}\n```",
        f"```\n{json.dumps({'tool_calls': [CALL]})}\n```",
        json.dumps({"name": "look", "arguments": '{"at": 1}'}),
    ],
)
def test_a_call_is_found_in_the_forms_that_models_write(text: str) -> None:
    assert calls_in(text, NAMES) == (ToolCall(id="text-0", name="look", arguments={"at": 1}),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would look.",
        '{"places": []}',
        '{"name": "remove", "arguments": {}}',
        '{"name": "look", "arguments": "{"}',
        '{"name": "look", "arguments": [1]}',
        '{"tool_calls": "look"}',
        '{"tool_calls": []}',
        '{"tool_calls": [{"name": "look"}, {"name": "remove"}]}',
    ],
)
def test_what_is_no_call_of_a_known_tool_is_an_answer(text: str) -> None:
    assert calls_in(text, NAMES) == ()


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    calls_in(text, NAMES)
    calls_in("{" + text + "}", NAMES)


def test_the_sides_take_turns_and_no_tool_message_is_left() -> None:
    conversation = (
        Message(role=Role.USER, text="Question."),
        Message(role=Role.ASSISTANT, text="", calls=(ToolCall(id="1", name="look"),)),
        Message(role=Role.TOOL, text="one", call_id="1"),
        Message(role=Role.TOOL, text="two", call_id="2"),
        Message(role=Role.USER, text="Now answer."),
    )
    said = told(conversation, (TOOL,))
    assert [message.role for message in said] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert "- look: Look." in said[0].text
    assert calls_in(said[1].text, NAMES)[0].name == "look"
    assert all(part in said[2].text for part in ("one", "two", "Now answer."))


def test_without_tools_the_question_is_as_it_was() -> None:
    assert told((Message(role=Role.USER, text="Question."),), ()) == (
        Message(role=Role.USER, text="Question."),
    )


def test_a_short_conversation_cannot_be_cut() -> None:
    assert shortened((Message(role=Role.USER, text="x"),)) is None
    assert shortened(()) is None


@given(st.lists(st.tuples(st.sampled_from(Role), st.integers(0, 20_000)), min_size=1, max_size=12))
def test_cutting_always_makes_shorter_and_ends(parts: list[tuple[Role, int]]) -> None:
    messages: tuple[Message, ...] | None = tuple(Message(role=role, text="x" * size) for role, size in parts)
    sizes = []
    while messages is not None:
        sizes.append(sum(len(message.text) for message in messages))
        assert len(sizes) < 40
        following = shortened(messages)
        if following is not None and sum(len(message.text) for message in following) >= sizes[-1]:
            break
        messages = following
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= max(4 * KEPT, len(parts) * KEPT + 100, sizes[0] if len(sizes) == 1 else 0)


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        (Price(tokens_in=1.0, tokens_out=2.0), 1.0 + 2.0),
        (Price(tokens_in=1.0, tokens_out=2.0, cached=0.5), 0.75 + 2.0),
        (Price(), 0.0),
    ],
)
def test_a_price_is_for_a_million_tokens(price: Price, expected: float) -> None:
    assert price.of(1_000_000, 1_000_000, cached=500_000) == expected

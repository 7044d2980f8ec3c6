"""The desk: the model of a role, replies that fit, every call counted and written down."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from agent.config import BudgetLimits
from agent.domain.conversation import ModelRole, Prompt, ToolDescription, Turn
from agent.domain.run import Cost
from agent.errors import MalformedReplyError, ModelError
from agent.llm.desk import CALLS_A_TURN, REPAIRS, ModelDesk
from agent.workflow.budget import Budget, BudgetExhaustedError
from tests.fakes.models import PRICE, ScriptedModel, call, say
from tests.fakes.workflow import RecordedTrajectory, SteppingClock

PROMPT = Prompt(name="a_prompt", digest="d", text="What is it?")


class Answer(BaseModel):
    """A shape."""

    word: str


class Echo:
    """A toolbox of one tool."""

    descriptions = (ToolDescription(name="echo", description="Say it again.", parameters={}),)

    def use(self, call: object) -> str:
        return f"echo of {getattr(call, 'name', '')}"


def build_desk(*models: ScriptedModel, calls: int | None = None) -> ModelDesk:
    budget = Budget(limits=BudgetLimits(calls=calls), clock=SteppingClock())
    return ModelDesk(models={ModelRole.AUTHOR: models}, budget=budget, trajectory=RecordedTrajectory())


async def test_a_reply_is_read_and_paid_for() -> None:
    desk = build_desk(ScriptedModel(say({"word": "yes"})))
    assert await desk.reply(ModelRole.AUTHOR, PROMPT, Answer) == Answer(word="yes")
    assert desk.budget.spent == PRICE


async def test_a_fenced_reply_amid_prose_is_read() -> None:
    desk = build_desk(ScriptedModel(say('Sure!\n```json\n{"word": "yes"}\n```\nDone.')))
    assert await desk.reply(ModelRole.AUTHOR, PROMPT, Answer) == Answer(word="yes")


async def test_a_malformed_reply_is_asked_for_again_with_the_error() -> None:
    model = ScriptedModel(say("no idea"), say({"wrong": 1}), say({"word": "yes"}))
    assert await build_desk(model).reply(ModelRole.AUTHOR, PROMPT, Answer) == Answer(word="yes")
    assert "no JSON object" in model.asked[1][-1].text
    assert "word" in model.asked[2][-1].text


async def test_after_the_last_repair_the_reply_is_given_up() -> None:
    model = ScriptedModel(*[say("no idea")] * (REPAIRS + 2))
    with pytest.raises(MalformedReplyError, match="a_prompt"):
        await build_desk(model).reply(ModelRole.AUTHOR, PROMPT, Answer)
    assert len(model.asked) == REPAIRS + 1


async def test_tools_are_used_until_their_turns_are_spent() -> None:
    model = ScriptedModel(call("echo"), call("echo"), say({"word": "yes"}))
    answer = await build_desk(model).reply(ModelRole.AUTHOR, PROMPT, Answer, toolbox=Echo(), turns=2)
    assert answer == Answer(word="yes")
    assert model.offered == [("echo",), ("echo",), ()]
    assert "final answer" in model.asked[2][-1].text


async def test_calls_above_the_bound_of_a_turn_are_not_done() -> None:
    many = call("echo").calls * (CALLS_A_TURN + 1)
    model = ScriptedModel(Turn(calls=many), say({"word": "yes"}))
    await build_desk(model).reply(ModelRole.AUTHOR, PROMPT, Answer, toolbox=Echo())
    assert "at most" in model.asked[1][-1].text


async def test_the_budget_is_asked_before_every_call() -> None:
    desk = build_desk(ScriptedModel(say("no"), say({"word": "yes"})), calls=1)
    with pytest.raises(BudgetExhaustedError, match="calls"):
        await desk.reply(ModelRole.AUTHOR, PROMPT, Answer)


async def test_every_call_is_in_the_trajectory_with_its_template_and_price() -> None:
    desk = build_desk(ScriptedModel(say("free"), name="m"))
    assert await desk.text(ModelRole.AUTHOR, PROMPT) == "free"
    [(kind, fields)] = desk.trajectory.events  # type: ignore[attr-defined]
    assert kind == "model"
    assert (fields["prompt"], fields["template"], fields["model"]) == ("a_prompt", "d", "m")
    assert (fields["tokens_in"], fields["tokens_out"]) == (8, 2)


async def test_a_model_that_cannot_be_asked_is_written_down() -> None:
    desk = build_desk(ScriptedModel())
    with pytest.raises(ModelError, match="connection lost"):
        await desk.text(ModelRole.AUTHOR, PROMPT)
    assert [kind for kind, _ in desk.trajectory.events] == ["model_failed"]  # type: ignore[attr-defined]
    assert desk.budget.spent == Cost()


async def test_a_role_without_a_model_says_so() -> None:
    with pytest.raises(ModelError, match="role reviewer"):
        await build_desk(ScriptedModel()).text(ModelRole.REVIEWER, PROMPT)

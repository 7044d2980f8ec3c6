"""What is stored comes back as it was, and older or newer rows can be read."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.patch import Candidate, Origin
from agent.domain.report import Report, Severity, Snippet, Visibility
from agent.domain.run import Outcome, RunResult
from bot.store.codec import decode, decode_tagged, encode, encode_tagged
from handlers.intents import Actor, Permission, ReportKind, Repository, StartRun, Subject
from tests.fakes.engine import build_result

reports = st.builds(
    Report,
    id=st.text(),
    title=st.text(),
    body=st.text(),
    aliases=st.lists(st.text(), max_size=3).map(tuple),
    severity=st.sampled_from(Severity),
    visibility=st.sampled_from(Visibility),
    published=st.none() | st.dates(min_value=date(1990, 1, 1)),
    snippets=st.lists(st.builds(Snippet, language=st.text(), code=st.text()), max_size=2).map(tuple),
)


@given(reports)
def test_a_report_survives_json(report: Report) -> None:
    assert decode(Report, json.loads(json.dumps(encode(report)))) == report


@given(st.dictionaries(st.text(), st.none() | st.binary(), max_size=4))
def test_bytes_and_deletions_survive(changes: dict[str, bytes | None]) -> None:
    candidate = Candidate(origin=Origin.RULE, source="s", rationale="r", changes=changes)
    assert decode(Candidate, json.loads(json.dumps(encode(candidate)))) == candidate


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_whole_result_survives(outcome: Outcome) -> None:
    result = build_result(outcome)
    assert decode(RunResult, json.loads(json.dumps(encode(result)))) == result


def test_an_intent_comes_back_with_its_type() -> None:
    intent = StartRun(
        repository=Repository(id=1, full_name="o/r", installation_id=2),
        actor=Actor(id=3, login="a", is_bot=False),
        requires=Permission.WRITE,
        subject=Subject(kind=ReportKind.ISSUE, key="issue-1", number=1),
        report=Report(id="i", title="t", body="b"),
    )
    assert decode_tagged(json.loads(json.dumps(encode_tagged(intent)))) == intent


def test_a_newer_key_is_ignored_and_an_older_row_takes_defaults() -> None:
    found = decode(Report, {"id": "i", "title": "t", "body": "b", "from_the_future": 1})
    assert found == Report(id="i", title="t", body="b")


def test_an_unknown_type_is_an_error() -> None:
    with pytest.raises(KeyError):
        decode_tagged({"type": "NoSuchIntent"})

"""Whatever arrives under an event's name leads to intents or to PayloadError, never to anything else."""

from __future__ import annotations

import contextlib
import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handlers.errors import PayloadError
from handlers.registry import EVENTS, interpret
from handlers.triggers import AlertThreshold
from tests.unit.handlers.builders import EVERY_EVENT, build_config
from tests.unit.handlers.webhooks import examples, installed, sample

if TYPE_CHECKING:
    from handlers.events.event import Event
    from handlers.intents import AnyIntent

LONGEST_REFUSAL = 2_000
CONFIG = build_config(
    labels=frozenset({"bug", "security"}), code_scanning=AlertThreshold.ANY, dependabot=AlertThreshold.ANY
)
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**63,
    10**400,
    1.5,
    float("nan"),
    "",
    "\x00",
    "\ud800",
    "²",
    "CWE-²",
    "9" * 5_000,
    "0001-01-01T00:00:00+23:00",
    "9999-12-31T23:59:59-23:00",
    "/patch",
    "/patch retry --model \ud800",
    "x" * 100_000,
    [],
    {},
    [[]],
    [None],
    {"id": None},
    {"name": 1},
)


def deeply(depth: int) -> Any:
    nested: Any = []
    for _ in range(depth):
        nested = [nested, {"a": nested}] if depth < 20 else [nested]
    return nested


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value inside a payload."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [prefix, *(path for key, one in inner for path in paths(one, (*prefix, key)))]


def mutate(payload: Any, path: tuple[Any, ...], value: Any, *, delete: bool) -> Any:
    """Return the payload with one value replaced or taken out; paths that are gone change nothing."""
    if not path:
        return value
    changed = copy.deepcopy(payload)
    holder = changed
    with contextlib.suppress(KeyError, IndexError, TypeError):
        for key in path[:-1]:
            holder = holder[key]
        if delete:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
    return changed


def read(event: str, payload: Any) -> tuple[AnyIntent, ...]:
    """Return the intents, none for a refusal; any other exception fails the test."""
    try:
        return interpret(event, payload, CONFIG)
    except PayloadError as error:
        if error.event != event or len(str(error)) > LONGEST_REFUSAL:
            pytest.fail(f"an odd refusal of {event}: {error}"[:300])
        return ()


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.name)
def test_every_single_wrong_value_is_refused_or_read(event: Event[Any]) -> None:
    """Each value of the payload in turn becomes each hostile one, or goes missing."""
    payload = sample(event)
    for path in paths(payload):
        read(event.name, mutate(payload, path, None, delete=True))
        for value in (*HOSTILE, deeply(10_000)):
            read(event.name, mutate(payload, path, value, delete=False))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_many_wrong_values_at_once_are_refused_or_read(data: st.DataObject) -> None:
    """Several places change together, by any JSON value."""
    event = data.draw(st.sampled_from(sorted(EVERY_EVENT)))
    payload = EVERY_EVENT[event]
    values = st.one_of(st.sampled_from(HOSTILE), st.text(), st.integers(), st.floats(), st.booleans())
    json_values = st.recursive(values, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
    for _ in range(data.draw(st.integers(1, 5))):
        path = data.draw(st.sampled_from(paths(EVERY_EVENT[event])[1:]))
        payload = mutate(payload, path, data.draw(json_values), delete=data.draw(st.booleans()))
    read(event, payload)


@installed
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_github_s_own_examples_survive_any_change(data: st.DataObject) -> None:
    """The real payloads, changed in up to five places."""
    event = data.draw(st.sampled_from([one.name for one in EVENTS if one.name in examples()]))
    chosen = data.draw(st.sampled_from(range(len(examples()[event]))))
    payload = examples()[event][chosen]
    places = paths(payload)[1:]
    for _ in range(data.draw(st.integers(1, 5))):
        path = data.draw(st.sampled_from(places))
        payload = mutate(payload, path, data.draw(st.sampled_from(HOSTILE)), delete=data.draw(st.booleans()))
    read(event, payload)


def test_the_fuzzer_changes_what_it_names() -> None:
    """A fuzzer that mutates nothing finds nothing."""
    assert mutate({"a": [1, 2]}, ("a", 1), 3, delete=False) == {"a": [1, 3]}
    assert mutate({"a": [1, 2]}, ("a",), None, delete=True) == {}
    assert mutate({"a": 1}, ("a", "b"), 3, delete=False) == {"a": 1}
    assert ("issue", "labels", 0, "name") in paths(EVERY_EVENT["issues"])

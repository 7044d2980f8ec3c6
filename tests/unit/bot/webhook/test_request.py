"""What is believed of a webhook request, and what is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from bot.store.deliveries import DeliveryState
from bot.webhook.errors import WebhookRefusedError
from bot.webhook.request import check_headers, check_signature, read_delivery
from tests.integration.bot.running_app import headers, sign
from tests.unit.handlers.builders import build_issue_event

if TYPE_CHECKING:
    from http import HTTPStatus

LIMIT = 1000


def refused(call: object, *arguments: object) -> HTTPStatus:
    assert callable(call)
    with pytest.raises(WebhookRefusedError) as caught:
        call(*arguments)
    return caught.value.status


def test_good_headers_pass() -> None:
    check_headers(headers("issues", b"{}"), LIMIT)


def test_the_sha1_signature_alone_is_not_enough() -> None:
    head = headers("issues", b"{}")
    del head["X-Hub-Signature-256"]
    assert refused(check_headers, {**head, "X-Hub-Signature": "sha1=" + "0" * 40}, LIMIT) == 401
    assert refused(check_headers, {**head, "X-Hub-Signature-256": "sha1=" + "0" * 40}, LIMIT) == 401


@pytest.mark.parametrize("length", ["1001", "-1", "1e3", "99999999999"])
def test_a_body_declared_too_large_is_not_read(length: str) -> None:
    assert refused(check_headers, {**headers("issues", b"{}"), "Content-Length": length}, LIMIT) == 413


def test_either_secret_is_accepted_while_one_is_replaced() -> None:
    body = b'{"a": 1}'
    for secret in ("new", "old"):
        check_signature(body, sign(body, secret), (b"new", b"old"))
    assert refused(check_signature, body, sign(body, "older"), (b"new", b"old")) == 401


def test_without_a_secret_nothing_is_accepted() -> None:
    assert refused(check_signature, b"{}", sign(b"{}", ""), ()) == 401


def test_a_signature_of_other_bytes_is_not_accepted() -> None:
    assert refused(check_signature, b"{} ", sign(b"{}", "s"), (b"s",)) == 401


def test_a_delivery_is_read_with_its_ids() -> None:
    body = json.dumps(build_issue_event()).encode()
    found = read_delivery(headers("issues", body, "guid-0001"), body, 5.0)
    assert (found.guid, found.event, found.action) == ("guid-0001", "issues", "labeled")
    assert (found.installation_id, found.repository_id, found.received_at) == (5, 1, 5.0)
    assert (found.body, found.state) == (body, DeliveryState.ACCEPTED)


def test_form_encoding_is_githubs_too() -> None:
    body = urlencode({"payload": json.dumps(build_issue_event())}).encode()
    head = headers("issues", body, **{"Content-Type": "application/x-www-form-urlencoded"})
    found = read_delivery(head, body, 5.0)
    assert json.loads(found.body) == build_issue_event()


@pytest.mark.parametrize(("event", "action"), [("star", "created"), ("issues", "pinned"), ("issues", 7)])
def test_what_no_handler_reads_is_only_remembered(event: str, action: object) -> None:
    body = json.dumps({"action": action}).encode()
    assert read_delivery(headers(event, body), body, 0.0).state is DeliveryState.IGNORED


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"not json", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"{}", "text/html", 415),
        (b"nothing=1", "application/x-www-form-urlencoded", 400),
    ],
)
def test_a_body_that_is_no_event_is_refused(body: bytes, kind: str, status: int) -> None:
    head = headers("issues", body, **{"Content-Type": kind})
    assert refused(read_delivery, head, body, 0.0) == status


@pytest.mark.parametrize("value", [{"id": "7"}, [], None, {"id": True, "x": 1}])
def test_ids_of_another_shape_are_none(value: object) -> None:
    body = json.dumps({"action": "opened", "repository": value}).encode()
    assert read_delivery(headers("issues", body), body, 0.0).repository_id in {0, 1}

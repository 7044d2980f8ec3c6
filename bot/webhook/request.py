"""Reads one webhook request: signature, identity, JSON. Pure; gidgethub knows GitHub's formats."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import gidgethub
from gidgethub import sansio

from bot.store.deliveries import Delivery, DeliveryState
from bot.webhook.errors import WebhookRefusedError
from handlers.registry import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIGNATURE = "X-Hub-Signature-256"
GUID = re.compile(r"[0-9A-Za-z-]{8,64}")
TYPES = ("application/json", "application/x-www-form-urlencoded")
EVENT = re.compile(r"[a-z_]{2,64}")


def check_headers(headers: Mapping[str, str], limit: int) -> None:
    """Refuse what need not be read: no SHA-256 signature, no identity, or a declared size over the limit.

    The SHA-1 signature that GitHub still sends beside it is never enough.
    """
    if not headers.get(SIGNATURE, "").startswith("sha256="):
        raise WebhookRefusedError(HTTPStatus.UNAUTHORIZED, f"{SIGNATURE} is required")
    if not GUID.fullmatch(headers.get("X-GitHub-Delivery", "")):
        raise WebhookRefusedError(HTTPStatus.BAD_REQUEST, "X-GitHub-Delivery is missing or malformed")
    if not EVENT.fullmatch(headers.get("X-GitHub-Event", "")):
        raise WebhookRefusedError(HTTPStatus.BAD_REQUEST, "X-GitHub-Event is missing or malformed")
    length = headers.get("Content-Length", "0")
    if not length.isdecimal() or int(length) > limit:
        raise WebhookRefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"body is over {limit} bytes")


def check_signature(body: bytes, signature: str, secrets: Sequence[bytes]) -> None:
    """Accept a signature by any of the secrets; every one is tried, each in constant time."""
    accepted = [_signed(body, signature, secret) for secret in secrets]
    if not any(accepted):
        raise WebhookRefusedError(HTTPStatus.UNAUTHORIZED, "signature does not match")


def read_delivery(headers: Mapping[str, str], body: bytes, received_at: float) -> Delivery:
    """Return the delivery of a verified request; JSON and form encoding are both GitHub's."""
    signatures = {"x-hub-signature", SIGNATURE.lower()}  # checked before, by either secret
    lower = {name.lower(): value for name, value in headers.items() if name.lower() not in signatures}
    try:
        event = sansio.Event.from_http(lower, body)
    except (gidgethub.BadRequest, ValueError, KeyError):
        status = (
            HTTPStatus.BAD_REQUEST if _content_type(headers) in TYPES else HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        )
        raise WebhookRefusedError(status, "body is not a GitHub event") from None
    if not isinstance(event.data, dict):
        raise WebhookRefusedError(HTTPStatus.BAD_REQUEST, "body is not a JSON object")
    action = _action(event.data)
    return Delivery(
        guid=event.delivery_id or "",
        event=event.event,
        action=action,
        state=DeliveryState.ACCEPTED if _is_known(event.event, action) else DeliveryState.IGNORED,
        installation_id=_id(event.data, "installation"),
        repository_id=_id(event.data, "repository"),
        received_at=received_at,
        body=_json(headers, body, event.data),
    )


def _signed(body: bytes, signature: str, secret: bytes) -> bool:
    try:
        sansio.validate_event(body, signature=signature, secret=secret.decode())
    except gidgethub.ValidationFailure:
        return False
    return True


def _json(headers: Mapping[str, str], body: bytes, payload: Any) -> bytes:
    """Return the JSON as it was sent; of a form, its payload."""
    return body if _content_type(headers) == TYPES[0] else json.dumps(payload).encode()


def _content_type(headers: Mapping[str, str]) -> str:
    return headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _is_known(event: str, action: str) -> bool:
    """Return whether some handler reads this; anything else is acknowledged, remembered and no more."""
    handler = BY_NAME.get(event)
    return handler is not None and (not handler.actions or action in handler.actions)


def _action(payload: Mapping[str, Any]) -> str:
    action = payload.get("action")
    return action if isinstance(action, str) else ""


def _id(payload: Mapping[str, Any], name: str) -> int:
    value = payload.get(name)
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, int) else 0

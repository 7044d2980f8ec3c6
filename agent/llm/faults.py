"""What the SDK's errors mean: whether to try again, how long to wait, and the one line for people."""

from __future__ import annotations

import random
from http import HTTPStatus
from typing import Final

import openai

_FIRST_PAUSE: Final = 2.0
_TOO_LONG: Final = (
    "context length",
    "context_length",
    "too many tokens",
    "maximum context",
    "context window",
)
_PASSING: Final = frozenset({408, 409, 425, 429})


def may_pass(error: openai.APIError) -> bool:
    """Tell whether asking again can help."""
    if isinstance(error, openai.APIConnectionError):
        return True
    status = getattr(error, "status_code", 0)
    quota = getattr(error, "code", None) == "insufficient_quota"
    return (status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR) and not quota


def pause(error: openai.APIError, number: int) -> float:
    """Return the seconds to wait after try ``number``: as the endpoint says, else longer each time, with jitter."""
    response = getattr(error, "response", None)
    told_seconds = response.headers.get("retry-after", "") if response is not None else ""
    try:
        return max(0.0, float(str(told_seconds)))
    except ValueError:
        longer: float = _FIRST_PAUSE * 2 ** (number - 1)
        return longer * random.uniform(0.5, 1.5)  # noqa: S311 - no secret


def is_too_long(error: openai.APIStatusError) -> bool:
    """Tell whether the conversation does not fit the model."""
    said = words(error).lower()
    return getattr(error, "code", None) == "context_length_exceeded" or any(
        words in said for words in _TOO_LONG
    )


def words(error: openai.APIError) -> str:
    """Return what the endpoint said, on one line."""
    return " ".join(str(error.message).split())[:300]


def line(name: str, error: openai.APIError) -> str:
    """Return what went wrong and what to do; never the key, never what was asked."""
    status = getattr(error, "status_code", 0)
    if isinstance(error, openai.APITimeoutError):
        return f"{name} did not answer in time"
    if isinstance(error, openai.APIConnectionError):
        return "the model endpoint cannot be reached; check OPENAI_BASE_URL"
    if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
        return "the model endpoint refuses the key; check OPENAI_API_KEY"
    if isinstance(error, openai.NotFoundError):
        return f"the model endpoint does not know {name}; check SUTURE_MODEL and OPENAI_BASE_URL"
    if isinstance(error, openai.RateLimitError):
        return f"{name} has no quota left or is asked too often"
    return f"{name} failed: status {status}" if status else f"{name} gave an answer that cannot be read"

"""The one call to GitHub: a code for the new App's credentials."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

import aiohttp
from pydantic import ValidationError

from bot.setup.credentials import AppCredentials
from bot.setup.errors import ConversionError

if TYPE_CHECKING:
    from bot.setup.hosts import Host

SECONDS = 20.0


def exchange(host: Host, code: str) -> AppCredentials:
    """Return the credentials of the App that ``code`` stands for; raise ``ConversionError``.

    A code works once and for one hour. It is spent only by an answer, so a call that never arrived may be
    made again.
    """
    return asyncio.run(_exchange(host, code))


async def _exchange(host: Host, code: str) -> AppCredentials:
    headers = {"Accept": "application/vnd.github+json", "User-Agent": "suture-setup"}
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, headers=headers, trust_env=True) as session,
            session.post(host.conversion_url(code), allow_redirects=False) as answer,
        ):
            _check(answer.status, host)
            body = await answer.read()
    except (aiohttp.ClientError, TimeoutError) as error:
        reason = (
            f"{host.api_url} cannot be reached ({type(error).__name__}); check the network and try again."
        )
        raise ConversionError(reason, retryable=True) from None
    try:
        return AppCredentials.model_validate_json(body)
    except ValidationError:
        raise ConversionError(
            f"{host.api_url} answered, but not with an App. Delete the App on GitHub and begin again.",
            retryable=False,
        ) from None


def _check(status: int, host: Host) -> None:
    if status == HTTPStatus.CREATED:
        return
    if status in {HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY}:
        raise ConversionError(
            "GitHub does not know this code: it is spent, or older than an hour. Begin again.",
            retryable=False,
        )
    later = status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS
    raise ConversionError(
        f"{host.api_url} answered {status}. {'Try again in a minute.' if later else 'Begin again.'}",
        retryable=later,
    )

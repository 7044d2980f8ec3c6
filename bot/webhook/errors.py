"""Why a webhook was not taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import BotError

if TYPE_CHECKING:
    from http import HTTPStatus


class WebhookRefusedError(BotError):
    """The request is not answered with 202; ``message`` is safe to send back."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

"""Registration of the App by GitHub's manifest flow."""

from __future__ import annotations

from bot.setup.errors import SetupError
from bot.setup.page import Wishes
from bot.setup.server import Registered, register_app

__all__ = ["Registered", "SetupError", "Wishes", "register_app"]

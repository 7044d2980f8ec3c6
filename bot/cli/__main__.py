"""``python -m bot.cli`` is ``suture``."""

from __future__ import annotations

from bot.cli import main

main()

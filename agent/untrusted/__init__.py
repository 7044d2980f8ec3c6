"""Text that others wrote: what comes in is normalised, what goes out to people is defused."""

from __future__ import annotations

from agent.untrusted.incoming import Cleaned, clean
from agent.untrusted.outgoing import for_people, redact_secrets, shown

__all__ = ["Cleaned", "clean", "for_people", "redact_secrets", "shown"]

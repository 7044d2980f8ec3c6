"""How models are reached: one endpoint, what it costs, how long it is waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0
    cached: float | None = None

    def of(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """Return what a call cost; ``cached`` of the tokens read were known to the endpoint."""
        at = self.tokens_in if self.cached is None else self.cached
        read = (tokens_in - cached) * self.tokens_in + cached * at
        return (read + tokens_out * self.tokens_out) / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointConfig:
    """An OpenAI-compatible endpoint; ``key`` is never shown. Times in seconds, ``waiting`` in all between tries."""

    url: str = ""
    key: str = field(default="", repr=False)
    prices: Mapping[str, Price] = field(default_factory=dict)
    seconds: float = 600.0
    tries: int = 4
    waiting: float = 120.0
    most_output: int = 8_000

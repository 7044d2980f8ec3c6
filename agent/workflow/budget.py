"""What a run may spend. Crossing a bound is a typed error that the driver turns into an outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent.domain.run import Cost
from agent.errors import AgentError

if TYPE_CHECKING:
    from agent.config import BudgetLimits
    from agent.ports import Clock


class BudgetExhaustedError(AgentError):
    """A bound was reached; ``bound`` names it (``minutes``, ``money``, ``tokens``, ``calls``)."""

    def __init__(self, bound: str, limit: float) -> None:
        super().__init__(f"the run's limit of {limit:g} {bound} is spent")
        self.bound = bound


@dataclass(slots=True, kw_only=True)
class Budget:
    """Counts what was spent. ``check`` is asked before every model call and every stage."""

    limits: BudgetLimits
    clock: Clock
    spent: Cost = field(default_factory=Cost)
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock.monotonic()

    @property
    def seconds(self) -> float:
        """Return the seconds since the run began."""
        return self.clock.monotonic() - self._started

    def seconds_left(self) -> float:
        """Return the seconds that are left, infinite without a bound."""
        if self.limits.minutes is None:
            return float("inf")
        return max(0.0, self.limits.minutes * 60 - self.seconds)

    def spend(self, cost: Cost) -> None:
        """Add the price of one model call."""
        self.spent += cost

    def check(self) -> None:
        """Raise ``BudgetExhaustedError`` when a bound is reached."""
        used = {
            "minutes": (self.seconds / 60, self.limits.minutes),
            "money": (self.spent.money, self.limits.money),
            "tokens": (self.spent.tokens_in + self.spent.tokens_out, self.limits.tokens),
            "calls": (self.spent.calls, self.limits.calls),
        }
        for bound, (spent, limit) in used.items():
            if limit is not None and spent >= limit:
                raise BudgetExhaustedError(bound, limit)

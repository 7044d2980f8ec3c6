"""What an event handler is: the shape it reads, the actions it knows, and the intents they become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import ValidationError

from handlers.errors import PayloadError
from handlers.payloads import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from handlers.intents import AnyIntent
    from handlers.triggers import TriggerConfig

ShapeT = TypeVar("ShapeT", bound=Shape)

_MAXIMUM_PROBLEMS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Generic[ShapeT]):
    """One event as GitHub names it. Empty ``actions``: the event has none."""

    name: str
    shape: type[ShapeT]
    actions: frozenset[str] = frozenset()
    interpret: Callable[[ShapeT, TriggerConfig], tuple[AnyIntent, ...]]

    def intents(self, payload: object, config: TriggerConfig) -> tuple[AnyIntent, ...]:
        """Return the intents of a payload; raise ``PayloadError`` when it cannot be read."""
        if not isinstance(payload, dict):
            raise PayloadError(self.name, ("an object was expected",))
        action = payload.get("action")
        if self.actions and not (isinstance(action, str) and action in self.actions):
            return ()
        return self.interpret(self._read(payload), config)

    def _read(self, payload: object) -> ShapeT:
        try:
            return self.shape.model_validate(payload)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            raise PayloadError(
                self.name,
                tuple(
                    f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
                    for problem in problems[:_MAXIMUM_PROBLEMS]
                ),
            ) from None

"""What a model answers when it is asked for places."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.localizing.places import Named


class PlaceReply(BaseModel):
    """One place; ``symbol`` is the qualified name of its definition, empty at module level."""

    path: str = Field(max_length=500)
    symbol: str = Field(default="", max_length=200)
    start_line: int = 0
    end_line: int = 0
    reason: str = Field(default="", max_length=600)

    def named(self) -> Named:
        """Return it for checking."""
        return Named(
            path=self.path.strip().removeprefix("/work/").removeprefix("./"),
            symbol=self.symbol,
            start_line=self.start_line,
            end_line=self.end_line,
            reason=" ".join(self.reason.split()),
        )


class PlacesReply(BaseModel):
    """The places that a fix should change, the most likely first."""

    places: list[PlaceReply] = Field(max_length=8)

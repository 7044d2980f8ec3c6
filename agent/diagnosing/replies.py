"""What a model answers when it is asked for the boundary of a flaw."""

from __future__ import annotations

from pydantic import BaseModel, Field

from agent.localizing.replies import PlaceReply

MOST_VARIANTS = 6
MOST_CONTROLS = 4
_MOST_CODE = 20_000


class ProgramReply(BaseModel):
    """A whole program; ``sure`` tells whether every right fix of the report makes it read as it should."""

    name: str = Field(max_length=120, description="what it tries, in a few words")
    code: str = Field(min_length=1, max_length=_MOST_CODE)
    sure: bool = Field(description="whether every right fix of this report must make it read safe")


class BoundaryReply(BaseModel):
    """Attacks in other forms, ordinary use close to them, and the ways to the same sink."""

    variants: list[ProgramReply] = Field(default_factory=list, max_length=MOST_VARIANTS)
    controls: list[ProgramReply] = Field(default_factory=list, max_length=MOST_CONTROLS)
    entry_points: list[PlaceReply] = Field(default_factory=list, max_length=12)

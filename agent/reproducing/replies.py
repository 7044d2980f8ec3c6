"""What a model answers when it is asked for a proof of concept."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, Field, model_validator

from agent.localizing.replies import PlaceReply

_MOST_CODE = 30_000


class Answer(StrEnum):
    """A proof, or why there is none."""

    PROOF = "proof"
    NO_FLAW = "no_flaw"
    CANNOT = "cannot"


class ProofReply(BaseModel):
    """A program with its oracle, or the claim that none can be written.

    ``test_path`` and ``test_code`` are a new test of the project that fails while the flaw is there.
    """

    answer: Answer
    reason: str = Field(max_length=2_000, description="how the attack works, or why there is no proof")
    code: str = Field(default="", max_length=_MOST_CODE, description="the whole program")
    oracle: str = Field(default="", max_length=1_000, description="how it tells vulnerable from safe")
    expected: str = Field(default="", max_length=1_000, description="what it prints in either case")
    sinks: list[PlaceReply] = Field(default_factory=list, max_length=4)
    test_path: str = Field(default="", max_length=300)
    test_code: str = Field(default="", max_length=_MOST_CODE)

    @model_validator(mode="after")
    def _whole(self) -> ProofReply:
        if self.answer is Answer.PROOF and not (self.code.strip() and self.sinks):
            raise ValueError("a proof needs `code` and at least one of `sinks`")
        return self

"""The stages of a run and where each result leads. Everything that decides a transition lives here.

    environment --ready--> baseline --passed|no_tests--> reproduce --reproduced|inconclusive|no_proof--> localize
         |                    |                              |                                              |
       failed              unusable                    safe|already_fixed                             found | nothing
         |                    |                              |                                              |
         +--------------------+--------> publish <-----------+---------------------------- nothing ---------+
                                          ^  ^                                                            found
                                          |  +--- none --- generate <--- diagnosed|skipped --- diagnose <---+
                                          |                   |
                                          |               candidates
                                          |                   v
                                          +-- accepted --- validate --rejected--> refine --again--> validate
                                          +--------------------------------------- exhausted

A result that a stage may give but that is not in the table is a fault of Suture, never a silent ending.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from agent.domain.run import Outcome, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping


class Result(StrEnum):
    """What a stage can end with."""

    READY = "ready"
    FAILED = "failed"
    PASSED = "passed"
    NO_TESTS = "no_tests"
    UNUSABLE = "unusable"
    REPRODUCED = "reproduced"
    INCONCLUSIVE = "inconclusive"
    NO_PROOF = "no_proof"
    SAFE = "safe"
    ALREADY_FIXED = "already_fixed"
    FOUND = "found"
    NOTHING = "nothing"
    DIAGNOSED = "diagnosed"
    SKIPPED = "skipped"
    CANDIDATES = "candidates"
    NONE = "none"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    AGAIN = "again"
    EXHAUSTED = "exhausted"
    PUBLISHED = "published"


FIRST = Stage.ENVIRONMENT

TRANSITIONS: Mapping[tuple[Stage, Result], Stage] = {
    (Stage.ENVIRONMENT, Result.READY): Stage.BASELINE,
    (Stage.ENVIRONMENT, Result.FAILED): Stage.PUBLISH,
    (Stage.BASELINE, Result.PASSED): Stage.REPRODUCE,
    (Stage.BASELINE, Result.NO_TESTS): Stage.REPRODUCE,
    (Stage.BASELINE, Result.UNUSABLE): Stage.PUBLISH,
    (Stage.REPRODUCE, Result.REPRODUCED): Stage.LOCALIZE,
    (Stage.REPRODUCE, Result.INCONCLUSIVE): Stage.LOCALIZE,
    (Stage.REPRODUCE, Result.NO_PROOF): Stage.LOCALIZE,
    (Stage.REPRODUCE, Result.SAFE): Stage.PUBLISH,
    (Stage.REPRODUCE, Result.ALREADY_FIXED): Stage.PUBLISH,
    (Stage.LOCALIZE, Result.FOUND): Stage.DIAGNOSE,
    (Stage.LOCALIZE, Result.NOTHING): Stage.PUBLISH,
    (Stage.DIAGNOSE, Result.DIAGNOSED): Stage.GENERATE,
    (Stage.DIAGNOSE, Result.SKIPPED): Stage.GENERATE,
    (Stage.GENERATE, Result.CANDIDATES): Stage.VALIDATE,
    (Stage.GENERATE, Result.NONE): Stage.PUBLISH,
    (Stage.VALIDATE, Result.ACCEPTED): Stage.PUBLISH,
    (Stage.VALIDATE, Result.REJECTED): Stage.REFINE,
    (Stage.REFINE, Result.AGAIN): Stage.VALIDATE,
    (Stage.REFINE, Result.EXHAUSTED): Stage.PUBLISH,
}

ENDINGS: Mapping[tuple[Stage, Result], Outcome] = {
    (Stage.ENVIRONMENT, Result.FAILED): Outcome.ENVIRONMENT_FAILED,
    (Stage.BASELINE, Result.UNUSABLE): Outcome.ENVIRONMENT_FAILED,
    (Stage.REPRODUCE, Result.SAFE): Outcome.NOT_REPRODUCED,
    (Stage.REPRODUCE, Result.ALREADY_FIXED): Outcome.ALREADY_FIXED,
    (Stage.LOCALIZE, Result.NOTHING): Outcome.NO_PATCH,
    (Stage.GENERATE, Result.NONE): Outcome.NO_PATCH,
    (Stage.REFINE, Result.EXHAUSTED): Outcome.NO_PATCH,
}
"""Outcomes that a transition to ``PUBLISH`` fixes; an accepted patch is judged by ``acceptance.decide``."""


def next_stage(stage: Stage, result: Result) -> Stage | None:
    """Return the stage after ``stage``, None after publishing."""
    return None if stage is Stage.PUBLISH else TRANSITIONS[stage, result]

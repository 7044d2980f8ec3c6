"""What a command is: its words, where it may be used, and the intent it becomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from handlers.intents import Ask, Permission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from handlers.intents import Actor, AnyIntent, Repository, Subject
    from handlers.triggers import TriggerConfig


class Place(StrEnum):
    """What a comment stands on, in the words a refusal uses."""

    ISSUE = "an issue"
    OWN_PULL_REQUEST = "a pull request of Suture"
    OTHER_PULL_REQUEST = "any other pull request"


class Takes(StrEnum):
    """What may follow a command's name."""

    NOTHING = "nothing"
    BRANCHES = "branches"
    TEXT = "text"


REPORTS = frozenset({Place.ISSUE, Place.OWN_PULL_REQUEST})
EVERYWHERE = frozenset(Place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A command that was understood: its options, and its words or free text."""

    options: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Who said a command, and where. ``requires`` is what this command needs of this actor."""

    repository: Repository
    actor: Actor
    subject: Subject
    place: Place
    closed: bool
    config: TriggerConfig
    requires: Permission = Permission.WRITE


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command. ``least`` is needed besides what the repository asks; ``instead`` replaces that.

    What would start or publish a patch is refused on closed items, so ``on_closed`` is the exception.
    """

    name: str
    usage: str
    summary: str
    intent: Callable[[Situation, Invocation], AnyIntent]
    places: frozenset[Place] = REPORTS
    takes: Takes = Takes.NOTHING
    options: frozenset[str] = frozenset()
    least: Permission = Permission.TRIAGE
    instead: Permission | None = None
    on_closed: bool = False


def asking(name: str) -> Callable[[Situation, Invocation], Ask]:
    """Return what makes the intent of a command that only answers."""

    def intent(situation: Situation, invocation: Invocation) -> Ask:
        return Ask(
            repository=situation.repository,
            actor=situation.actor,
            requires=situation.requires,
            subject=situation.subject,
            command=name,
            arguments=invocation.words,
        )

    return intent

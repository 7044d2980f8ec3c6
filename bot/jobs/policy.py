"""What a repository asks of the jobs; read from its configuration by the reader that ``bot/app.py`` joins."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from agent.domain.run import Depth
from bot.errors import BotError
from handlers.triggers import TriggerConfig


class Unproven(StrEnum):
    """What happens to a patch whose flaw could not be reproduced."""

    PULL_REQUEST = "pull_request"
    COMMENT = "comment"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The repository's wishes with their defaults."""

    triggers: TriggerConfig = field(default_factory=TriggerConfig)
    unproven: Unproven = Unproven.COMMENT
    minutes: int = 60
    ci_refinements: int = 2
    open_pull_requests: int = 5
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    draft: bool = True
    sign_off: bool = False
    title: str = ""
    base_branch: str = ""
    depth: Depth = Depth.STANDARD
    model: str = ""


class ConfigProblemsError(BotError):
    """A repository's configuration cannot be used; each problem names its line and key."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("the repository configuration cannot be used")
        self.problems = problems


class PolicyReader(Protocol):
    """Reads ``.github/suture.yml``."""

    def read(self, text: str) -> Policy:
        """Return the policy of a configuration, the default one for empty text; ``ConfigProblemsError``."""
        ...

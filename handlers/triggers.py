"""What a repository wants Suture to react to, as far as the handlers need to know."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agent.domain.report import Severity
from handlers.intents import Permission


class AdvisoryTrigger(StrEnum):
    """Which repository advisories start a run: reported in private, or published."""

    REPORTED = "reported"
    PUBLISHED = "published"


class AlertThreshold(StrEnum):
    """The lowest severity of alerts that start a run; ``ANY`` takes those without a severity too."""

    NEVER = "never"
    CRITICAL = "critical"
    HIGH = "high"
    MODERATE = "moderate"
    LOW = "low"
    ANY = "any"

    def admits(self, severity: Severity) -> bool:
        """Return whether an alert of this severity is asked for."""
        if self in {AlertThreshold.NEVER, AlertThreshold.ANY}:
            return self is AlertThreshold.ANY
        return severity in _FROM_WORST[: _FROM_WORST.index(Severity(self.value)) + 1]


_FROM_WORST = (Severity.CRITICAL, Severity.HIGH, Severity.MODERATE, Severity.LOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerConfig:
    """The triggers of one repository, and who Suture is, so that it knows itself.

    ``permission`` is what a command needs; ``trusted_bots`` are user ids of bots that may ask at all;
    ``models`` are the names a command may choose from, None when that is not decided here;
    ``release_branches`` are shell patterns.
    """

    enabled: bool = True
    labels: frozenset[str] = frozenset({"security"})
    advisories: frozenset[AdvisoryTrigger] = frozenset(AdvisoryTrigger)
    code_scanning: AlertThreshold = AlertThreshold.NEVER
    dependabot: AlertThreshold = AlertThreshold.NEVER
    permission: Permission = Permission.WRITE
    trusted_bots: frozenset[int] = frozenset()
    models: tuple[str, ...] | None = None
    release_branches: tuple[str, ...] = ()
    app_id: int = 0
    app_slug: str = ""
    branch_prefix: str = "suture/"
    config_path: str = ".github/suture.yml"

    @property
    def bot_login(self) -> str:
        """Return the login under which Suture writes."""
        return f"{self.app_slug}[bot]" if self.app_slug else ""

"""Who lives in the testbed: an organisation, people with tokens, and the App with its key."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.github.grants import requested

if TYPE_CHECKING:
    from pathlib import Path

APP_ID = 4242
INSTALLATION_ID = 77
ORGANISATION = "acme"
SLUG = "suture"
WEBHOOK_SECRET = "a secret of the testbed only"
TOKENS = 100
PEOPLE = ("owner", "maintainer", "triager", "stranger", "helper-bot", "reporter")
EVENTS = [
    "issues",
    "issue_comment",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "create",
    "check_run",
    "check_suite",
]


@cache
def private_key() -> str:
    """Return a key made for this process alone."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


_TURN = count()


def tokens(login: str) -> list[str]:
    """Return a person's tokens: each has a rate limit of its own, and tests ask much."""
    return [f"token-of-{login}-{number}" for number in range(TOKENS)]


def token(login: str) -> str:
    """Return one of a person's tokens."""
    return f"token-of-{login}-{next(_TURN) % TOKENS}"


@dataclass(kw_only=True)
class World:
    """The seed of the emulator."""

    webhook_url: str
    permissions: dict[str, str] = field(default_factory=requested)

    def write(self, path: Path) -> None:
        """Write the seed file."""
        path.write_text(json.dumps(self._seed()))

    def _seed(self) -> dict[str, Any]:
        return {
            "tokens": {
                name: {"login": login, "scopes": ["repo"]} for login in PEOPLE for name in tokens(login)
            },
            "github": {
                "users": [{"login": login, "name": login.title()} for login in PEOPLE],
                "orgs": [{"login": ORGANISATION, "members": [{"login": "owner", "role": "admin"}]}],
                "apps": [
                    {
                        "app_id": APP_ID,
                        "slug": SLUG,
                        "name": "Suture",
                        "private_key": private_key(),
                        "permissions": self.permissions,
                        "events": list(EVENTS),
                        "webhook_url": self.webhook_url,
                        "webhook_secret": WEBHOOK_SECRET,
                        "installations": [
                            {
                                "installation_id": INSTALLATION_ID,
                                "account": ORGANISATION,
                                "repository_selection": "all",
                            }
                        ],
                    }
                ],
            },
        }

"""Defuse text that a model or a report wrote before people see it on GitHub.

No mention may notify anybody, no reference may link itself to another issue, no image may call home, no line
may be read as a command, and nothing that looks like a secret may be shown.
"""

from __future__ import annotations

import re

from agent.untrusted.incoming import HIDDEN

_SECRETS = re.compile(
    r"""(?x)
    \b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b
    | \bsk-[A-Za-z0-9_-]{20,}
    | \bxox[abprs]-[A-Za-z0-9-]{10,}
    | (?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}
    | -----BEGIN[ A-Z]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z]*PRIVATE[ ]KEY-----|\Z)
    | (?<=://)[^\s/@:]+:[^\s/@]+(?=@)
    """,
    re.DOTALL,
)
_IMAGE = re.compile(
    r"!\[([^\]]{0,500})\](?:\([^)]{0,2000}\)|\[[^\]]{0,500}\])|<img\b[^>]{0,2000}>", re.IGNORECASE
)
_IMAGE_START = re.compile(r"!(?=\[)|<(?=img\b)", re.IGNORECASE)
_MENTION = re.compile(r"(?<![\w`/.])@(?=[A-Za-z0-9])")
_REFERENCE = re.compile(r"(?<![&`])#(?=\d)")
_GH_REFERENCE = re.compile(r"\bGH-(?=\d)", re.IGNORECASE)
_COMMAND = re.compile(r"^(\s*)/(?=[a-z])", re.MULTILINE)
_BREAK = "<!-- -->"


def redact_secrets(text: str) -> str:
    """Return ``text`` with everything that looks like a credential replaced."""
    return _SECRETS.sub("[removed: looks like a secret]", text)


def shown(text: str) -> str:
    """Return ``text`` with what acts on a terminal or hides from a reader written out, ``[U+202E]``."""
    return HIDDEN.sub(lambda match: f"[U+{ord(match.group()):04X}]", text.replace("\r\n", "\n"))


def for_people(text: str) -> str:
    """Return ``text`` fit for a comment or a pull request body."""
    text = redact_secrets(shown(text))
    text = _IMAGE.sub(lambda match: match.group(1) or "", text)
    text = _IMAGE_START.sub(lambda match: f"\\{match.group()}", text)
    text = _MENTION.sub(f"@{_BREAK}", text)
    text = _REFERENCE.sub(f"#{_BREAK}", text)
    text = _GH_REFERENCE.sub(f"GH-{_BREAK}", text)
    return _COMMAND.sub(r"\1" + _BREAK + "/", text)

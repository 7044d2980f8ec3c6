"""Hidden marks by which Suture finds its own comments, sections and commits again. Pure."""

from __future__ import annotations

import re

LONGEST_BODY = 65_000  # GitHub takes 65,536 characters
CUT = "\n\n_The rest was cut: GitHub takes no longer text._"
TRAILER = "Suture-Run"


def token(key: str) -> str:
    """Return a key as it may stand inside an HTML comment or a trailer."""
    return re.sub(r"(?:[^A-Za-z0-9._]|-)+", "-", key).strip("-") or "none"


def marked(key: str, body: str) -> str:
    """Return a body that carries its key, cut to what GitHub takes."""
    return f"{_open(key)}\n{_fit(body)}\n{_close(key)}"


def carries(key: str, body: str | None) -> bool:
    """Whether a body was written for the key; a quoted copy (``> ``) does not count."""
    return any(line.strip() == _open(key) for line in (body or "").splitlines())


def rewritten(key: str, old: str | None, body: str) -> str | None:
    """Return ``old`` with Suture's section replaced and people's words around it kept; None without one."""
    section = re.compile(
        rf"^{re.escape(_open(key))}$.*?^{re.escape(_close(key))}\s*?$", re.DOTALL | re.MULTILINE
    )
    text = (old or "").replace("\r\n", "\n")
    if not section.search(text):
        return None
    return section.sub(lambda _: marked(key, body), text, count=1)


def trailer(key: str) -> str:
    """Return the line that ends the message of a commit made for the key."""
    return f"{TRAILER}: {token(key)}"


def made_for(key: str, message: str) -> bool:
    """Whether a commit message says it was made for the key."""
    return trailer(key) in message.splitlines()


def _open(key: str) -> str:
    return f"<!-- suture {token(key)} -->"


def _close(key: str) -> str:
    return f"<!-- /suture {token(key)} -->"


def _fit(body: str) -> str:
    return body if len(body) <= LONGEST_BODY else body[: LONGEST_BODY - len(CUT)] + CUT

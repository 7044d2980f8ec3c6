"""The templates of the output, from files beside this package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from agent.untrusted import for_people, redact_secrets, shown


@cache
def environment() -> Environment:
    """Return the template environment: HTML is escaped, an unknown name is an error."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(["html.j2"], default_for_string=False, default=False),
        finalize=lambda value: shown(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"plain": plain, "code": code, "redacted": redacted, "fenced": fenced}
    return made


def redacted(text: str) -> str:
    """Return foreign text without secrets, hidden characters written out."""
    return redact_secrets(shown(text))


def fenced(text: str) -> str:
    """Return foreign text fit to stand in a fence: no line begins with a command."""
    return "\n".join(f" {line}" if line.startswith("/") else line for line in redacted(text).splitlines())


def plain(text: str, limit: int = 300) -> str:
    """Return one line of foreign text, fit for a table cell or a sentence."""
    harmless = for_people(text.replace("<", "&lt;").replace(">", "&gt;"))
    one_line = " ".join(harmless.split()).replace("|", "\\|")
    return one_line if len(one_line) <= limit else f"{one_line[: limit - 1]}…"


def code(text: str, limit: int = 200) -> str:
    """Return foreign text as inline code of one line."""
    one_line = " ".join(redacted(text).split()).replace("`", "'").replace("|", "\\|")
    return f"`{one_line[:limit]}`"

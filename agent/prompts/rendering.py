"""Render a prompt's template from its input dataclass; a missing or unknown variable is an error."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from agent.domain.conversation import Prompt
from agent.untrusted import clean

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FOLDER = Path(__file__).parent
ENDING = ".md.j2"


def quoted(text: str, tag: str) -> str:
    """Return untrusted text cleaned and between tags that it cannot close itself."""
    inner = clean(text).text.replace(f"</{tag}", f"<\\/{tag}")
    return f"<{tag}>\n{inner.strip()}\n</{tag}>"


def render(name: str, inputs: DataclassInstance) -> Prompt:
    """Return the prompt ``name`` (a file beside this one without its ending) with ``inputs`` filled in.

    Templates write untrusted fields by the filter ``quoted``: ``{{ report | quoted("report") }}``.
    """
    template = ENVIRONMENT.get_template(name + ENDING)
    source = (FOLDER / (name + ENDING)).read_bytes()
    # Not ``asdict``: it copies whole state by value, and what a template reads must stay what it was given.
    values = {field.name: getattr(inputs, field.name) for field in fields(inputs)}
    return Prompt(name=name, digest=hashlib.sha256(source).hexdigest(), text=template.render(values))


ENVIRONMENT = Environment(  # noqa: S701 - Markdown for a model, not HTML for a browser
    loader=FileSystemLoader(FOLDER),
    undefined=StrictUndefined,
    keep_trailing_newline=False,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters["quoted"] = quoted

"""Read a model's structured reply. Pure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

    ReplyT = TypeVar("ReplyT", bound=BaseModel)

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


def shape_of(shape: type[BaseModel]) -> str:
    """Return what a model is told of the shape of its answer."""
    schema = json.dumps(shape.model_json_schema(), separators=(",", ":"))
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{schema}"


def read_reply(text: str, shape: type[ReplyT]) -> ReplyT:
    """Return the object in ``text``, which may stand in a fence or amid prose.

    Raises ``ValueError`` (pydantic's is one) that says what is wrong, fit to be shown to the model.
    """
    fenced = _FENCE.search(text)
    body = fenced.group(1) if fenced else text[text.find("{") : text.rfind("}") + 1]
    if not body.strip():
        raise ValueError("there is no JSON object in the answer")
    return shape.model_validate_json(body)

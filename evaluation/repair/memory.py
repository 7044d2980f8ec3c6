"""Did the model know the fix beforehand? It is asked after a run, and its answer is held against the fix. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    from evaluation.repair.case import Case


class Recall(StrEnum):
    """What the answer shows. ``CLAIMED``: it says so, but nothing of the fix is in it."""

    RECALLED = "recalled"
    CLAIMED = "claimed"
    NOT_RECALLED = "not_recalled"
    UNREADABLE = "unreadable"
    NOT_ASKED = "not_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a model remembers of a fix; ``before_cutoff`` is None when its cut-off is not stated."""

    recall: Recall
    answer: str = ""
    before_cutoff: bool | None = None


NOTHING = Memory(recall=Recall.NOT_ASKED)
_JSON = re.compile(r"\{.*\}", re.DOTALL)
MOST = 4_000


def question(case: Case) -> str:
    """Return the question: it names the flaw as the report did and shows nothing of the fix."""
    return (
        f"The open-source project {case.repo} had a security flaw: {case.title} ({', '.join(case.identifiers)}).\n"
        "Without guessing: do you remember the change by which its maintainers fixed it? Answer with one JSON "
        'object: {"remembered": true or false, "files": [paths that were changed], "code": "the lines that were '
        'added, as you remember them, or empty"}.'
    )


def read_answer(answer: str, unique: frozenset[str], fixed: date, cutoff: date | None) -> Memory:
    """Return what ``answer`` shows; ``unique`` are lines that only the fix has."""
    before = None if cutoff is None else fixed <= cutoff
    told = answer[:MOST]
    try:
        found = json.loads(match.group()) if (match := _JSON.search(answer)) else None
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("remembered"), bool):
        return Memory(recall=Recall.UNREADABLE, answer=told, before_cutoff=before)
    code = str(found.get("code", ""))
    if any(line in code for line in unique):
        return Memory(recall=Recall.RECALLED, answer=told, before_cutoff=before)
    recall = Recall.CLAIMED if found["remembered"] else Recall.NOT_RECALLED
    return Memory(recall=recall, answer=told, before_cutoff=before)

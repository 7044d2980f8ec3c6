"""The named ways to rank commits, and their weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Preset(StrEnum):
    """``paper`` is PatchHolmes' recipe as published, ``default`` what measures best."""

    DEFAULT = "default"
    PAPER = "paper"


WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "message": 2.39,
        "paths": 0.64,
        "diff": 0.62,
        "sections": 0.83,
        "document": 2.08,
        "weakness": 0.8,
        "date": 1.84,
        "author_date": 1.79,
        "late": -1.34,
        "window": 2.1,
        "window_end": 1.77,
        "id": 2.02,
        "issue": 1.35,
        "issue_of_copy": 0.26,
        "file": 0.63,
        "docs_only": -0.6,
        "tests_only": -0.13,
        "with_tests": 0.77,
        "with_changelog": 0.55,
        "empty": -0.02,
        "revert": -0.2,
        "bump": -0.7,
        "release": -0.79,
        "security_words": 0.95,
        "copies": -0.45,
        "main_line": 0.86,
        "many_files": 0.62,
        "lines": -0.62,
        "files": -0.54,
    }
)
"""Weights of the default preset; ``suture eval tracing --fit`` prints them (ridge 1.0, all advisories)."""

PLAIN_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"message": 0.35, "diff": 0.3, "paths": 0.15, "document": 0.5, "date": 0.7}
)
"""The ranking that believes neither versions nor habits; it fills the second half of a shortlist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingConfig:
    """How commits are ranked.

    ``kinship`` is how far a commit is lifted towards a better one with the same patch. Of a shortlist of ``k``,
    the first ``trusted`` places go by ``weights``, the others by ``plain``: wrong versions cannot empty them.
    """

    preset: Preset = Preset.DEFAULT
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    plain: Mapping[str, float] = field(default_factory=lambda: PLAIN_WEIGHTS)
    trusted: float = 0.5
    kinship: float = 0.8
    alike: float = 0.6

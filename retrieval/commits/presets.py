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
        "message": 2.4,
        "paths": 0.75,
        "diff": 0.6,
        "sections": 0.96,
        "document": 2.03,
        "weakness": 0.78,
        "date": 1.71,
        "author_date": 1.67,
        "late": -1.35,
        "window": 1.98,
        "window_end": 2.02,
        "id": 2.1,
        "issue": 1.39,
        "issue_of_copy": 0.26,
        "file": 0.71,
        "docs_only": -0.71,
        "tests_only": -0.19,
        "with_tests": 0.8,
        "with_changelog": 0.47,
        "empty": -0.02,
        "revert": -0.19,
        "bump": -0.73,
        "release": -0.8,
        "security_words": 0.79,
        "copies": -0.56,
        "main_line": 0.85,
        "many_files": 0.56,
        "lines": -0.58,
        "files": -0.52,
    }
)
"""Weights of the default preset: what ``suture eval tracing --fit`` prints for the 124 advisories of the benchmark."""

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

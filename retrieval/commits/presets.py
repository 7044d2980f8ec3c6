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


WEIGHTS: Mapping[str, float] = MappingProxyType({})
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

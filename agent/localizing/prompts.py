"""The inputs of the prompts for localization."""

from __future__ import annotations

from dataclasses import dataclass

PLACES = "localize_places"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesPrompt:
    """Asks for the places of a fix; all fields are untrusted, ``proof`` is empty when none was found."""

    report: str
    files: str
    proof: str

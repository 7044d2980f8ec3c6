"""Patches by a model: plans, SEARCH/REPLACE edits, candidates."""

from __future__ import annotations

from agent.authoring.model_candidates import ModelCandidates

__all__ = ["ModelCandidates"]

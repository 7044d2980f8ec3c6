"""Proofs of concept by a model, and the checks that keep them honest."""

from __future__ import annotations

from agent.reproducing.model_proofs import ModelProofs

__all__ = ["ModelProofs"]

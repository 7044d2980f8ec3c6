"""What can go wrong while measuring; the message says what to do."""

from __future__ import annotations


class EvaluationError(Exception):
    """Base of every error of this package: data or repositories that cannot be used."""

    retryable = False

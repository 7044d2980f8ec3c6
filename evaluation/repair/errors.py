"""What can go wrong around a case: its description, its repository, its results. Never the patch's fault."""

from __future__ import annotations

from evaluation.errors import EvaluationError


class CaseError(EvaluationError):
    """A case cannot be read or is not whole; the message names it and says what to do."""


class SourceError(EvaluationError):
    """A case's repository or commit is not there."""


class ResultsError(EvaluationError):
    """The folder of results cannot be used for this run."""


class CollisionError(EvaluationError):
    """The developer's tests and the patch change the same file in ways that cannot be joined."""

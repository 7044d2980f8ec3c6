"""What can go wrong in the agent; facts are attributes, ``retryable`` says whether trying again can help."""

from __future__ import annotations


class AgentError(Exception):
    """Base of every error of this package."""

    retryable = False


class ReportError(AgentError):
    """The report cannot be used; the message says what to do."""


class ProjectError(AgentError):
    """The path is missing or holds no project."""


class SandboxUnavailableError(AgentError):
    """No sandbox backend works here; ``advice`` is what to type."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}. {advice}")
        self.reason = reason
        self.advice = advice


class SandboxFaultError(AgentError):
    """The sandbox itself failed to start or to return a result: a pipeline fault, not the command's."""

    retryable = True


class ModelError(AgentError):
    """A model could not be asked, or its answer could not be read."""

    def __init__(self, reason: str, *, retryable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable


class MalformedReplyError(ModelError):
    """A model answered, but never in the shape that was asked for."""


class TrajectoryError(AgentError):
    """The record of a run cannot be written; a run without one is not continued."""


class EnvironmentFailedError(AgentError):
    """The project could not be installed, or its test runner could not be used."""

    def __init__(self, reason: str, *, log: str = "", retryable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log
        self.retryable = retryable

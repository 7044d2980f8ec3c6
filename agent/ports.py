"""What the workflow needs from the outside, as Protocols; ``bot/app.py`` joins them to adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from agent.domain.conversation import Message, ToolDescription, Turn
    from agent.domain.execution import Coverage, Execution, SandboxCommand
    from agent.domain.patch import Candidate, Declined, Finding, SourceFile
    from agent.domain.project import BuildConfig, Environment, ProjectPlan, TestRun
    from agent.domain.proof import ProofOfConcept, Trial
    from agent.domain.report import Report
    from agent.domain.run import Stage, StageRecord
    from agent.workflow.state import RunState, Tools
    from retrieval.domain import RankedFile


class Sandbox(Protocol):
    """Runs commands apart from the host. Each call is a fresh one; cancelling the task kills its tree."""

    @property
    def name(self) -> str:
        """Return the backend's name, ``unsafe`` for none."""
        ...

    async def run(self, command: SandboxCommand) -> Execution:
        """Run one command; raise ``SandboxFaultError`` when the sandbox itself fails."""
        ...

    def prepare_directory(self, path: Path) -> Path:
        """Create a host folder that may be given as a writable mount, closed to other users; return it."""
        ...


class Toolchain(Protocol):
    """Installs and tests projects of one language."""

    @property
    def language(self) -> str:
        """Return ``python``, ``javascript``, ..."""
        ...

    def detect(self, tree: Path, config: BuildConfig) -> ProjectPlan | None:
        """Read the manifests and return the plan, or None when this is no project of the language."""
        ...

    async def install(self, plan: ProjectPlan, tree: Path, sandbox: Sandbox) -> Environment:
        """Install (or take from the cache); raise ``EnvironmentFailedError``."""
        ...

    async def test(
        self,
        environment: Environment,
        tree: Path,
        sandbox: Sandbox,
        *,
        files: Mapping[str, bytes] | None = None,
        only: Sequence[str] = (),
        seconds: float = 600.0,
    ) -> TestRun:
        """Run the suite (or the test files in ``only``) on ``tree`` with ``files`` written over it."""
        ...

    def script(self, environment: Environment, path: str) -> tuple[str, ...]:
        """Return the command that runs one script at ``path`` inside the environment."""
        ...

    def syntax_check(self, environment: Environment, paths: Sequence[str]) -> tuple[str, ...]:
        """Return a command that fails when one of the files does not parse, empty when there is none."""
        ...

    async def covered(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> frozenset[str]:
        """Run ``command`` under coverage and return the files of the tree of which code ran."""
        ...

    async def reached(
        self, environment: Environment, tree: Path, sandbox: Sandbox, command: SandboxCommand
    ) -> Coverage:
        """Run ``command`` as ``covered`` does and tell the functions that ran as well."""
        ...


class FileRanker(Protocol):
    """Ranks the files of a tree for a report, best first."""

    def rank(self, report: Report, tree: Path, *, k: int) -> tuple[RankedFile, ...]:
        """Return the best ``k`` files; ``tree`` may be a git checkout or a plain folder."""
        ...


class Rule(Protocol):
    """A deterministic fixer of one weakness. Pure: bytes in, bytes out."""

    @property
    def name(self) -> str:
        """Return the rule's name, as shown in evidence."""
        ...

    @property
    def cwes(self) -> frozenset[str]:
        """Return the weaknesses it answers."""
        ...

    def propose(self, report: Report, files: Sequence[SourceFile]) -> tuple[Candidate | Declined, ...]:
        """Return candidates over the given ranked files only, and where it declined and why."""
        ...

    @property
    def definitive(self) -> bool:
        """Tell whether the code this rule finds is the flaw itself, whatever the input.

        Only of such a rule may the matrix ask that it finds nothing more: in any other class the code may be
        safe by means that a rule does not see.
        """
        ...

    def findings(self, report: Report, files: Sequence[SourceFile]) -> tuple[Finding, ...]:
        """Return every place that surely shows the weakness the report speaks of, none for another report."""
        ...


class ProofSource(Protocol):
    """Proposes proofs of concept: the reporter's snippets, a model."""

    def proofs(
        self, state: RunState, tools: Tools, trials: Sequence[Trial] = ()
    ) -> AsyncIterator[ProofOfConcept]:
        """Yield proofs to be tried in turn; ``trials`` grows by each one before the next is asked for.

        A source that ends with a reason for people raises nothing: it notes the reason with the observer.
        """
        ...


class CandidateSource(Protocol):
    """Proposes candidates: rules, fixes that exist upstream, later a model."""

    async def candidates(self, state: RunState, tools: Tools) -> tuple[Candidate | Declined, ...]:
        """Return candidates for the state; after failed attempts, better ones that build on the best of them."""
        ...


class ChatModel(Protocol):
    """A model that can hold a conversation and call tools, or is made to by its adapter."""

    @property
    def name(self) -> str:
        """Return the model's name, as shown in records and evidence."""
        ...

    async def answer(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDescription] = (),
        *,
        temperature: float = 0.0,
        schema: Mapping[str, object] | None = None,
    ) -> Turn:
        """Return the next turn; ``schema`` (JSON Schema) is a wish that the caller checks itself.

        Raises ``ModelError`` when the model cannot be asked.
        """
        ...


class Observer(Protocol):
    """Is told how a run goes; shows it to people."""

    def started(self, stage: Stage) -> None:
        """Note that a stage began."""
        ...

    def finished(self, record: StageRecord) -> None:
        """Note that a stage ended."""
        ...

    def note(self, text: str) -> None:
        """Note one line within a stage."""
        ...


class Trajectory(Protocol):
    """The record of every command and model call."""

    def record(self, kind: str, /, **fields: object) -> None:
        """Append one event; ``fields`` must be JSON values."""
        ...


class Clock(Protocol):
    """Time, so that tests can hold it still."""

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...

"""What the bench needs from above: somebody who repairs, a model to ask, a place to show progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from agent.domain.run import Cost

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agent.domain.project import BuildConfig
    from agent.domain.report import Report
    from agent.domain.run import Depth, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairTask:
    """What a run is given, and all of it: ``tree`` has no history; results go below ``out``."""

    tree: Path
    report: Report
    out: Path
    build: BuildConfig
    depth: Depth
    minutes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairAnswer:
    """What a run came to. ``changes`` is its patch (path -> new bytes, None = deleted), empty for none.

    ``ranked`` are the files it thought of, best first. ``trajectory`` is the text of its record, for the leak
    audit. ``refused_by`` names the row of its own matrix that refused its best patch, if one did.
    """

    outcome: Outcome
    reason: str
    changes: Mapping[str, bytes | None] = field(default_factory=dict)
    rejected: Mapping[str, bytes | None] = field(default_factory=dict)
    ranked: tuple[str, ...] = ()
    reproduced: bool = False
    refused_by: str = ""
    cost: Cost = field(default_factory=Cost)
    trajectory: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairerFacts:
    """Who repairs, for the report's checklist: prompts with hashes, tools, network scope, model and prices."""

    name: str
    version: str
    model: str = ""
    model_cutoff: str = ""
    prices: str = "no model is used"
    prompts: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    network: str = ""
    sandbox: str = ""


class Repairer(Protocol):
    """Repairs one task."""

    @property
    def facts(self) -> RepairerFacts:
        """Return who repairs."""
        ...

    async def repair(self, task: RepairTask) -> RepairAnswer:
        """Repair; raise ``AgentError`` or ``EvaluationError`` for a fault of the pipeline only."""
        ...


class MemoryModel(Protocol):
    """A model that can be asked one question, outside of any run."""

    async def ask(self, question: str) -> str:
        """Return its answer."""
        ...


class Progress(Protocol):
    """Shows how far the bench is."""

    def begin(self, count: int) -> None:
        """Note how many items there are."""
        ...

    def note(self, item: str, text: str) -> None:
        """Note what an item is at."""
        ...

    def finish(self, item: str, text: str, *, fresh: bool) -> None:
        """Note that an item is done; not ``fresh`` when it was kept from an earlier run."""
        ...

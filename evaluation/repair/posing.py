"""Posing a case: a sanitised tree for a run, another copy for the judge, ground truth for nobody else."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent.workspace import open_workspace
from evaluation.repair.oracle import GroundTruth, Judge, OracleLimits
from evaluation.repair.source import CaseSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent.ports import Sandbox, Toolchain
    from evaluation.repair.case import Case
    from evaluation.repair.source import Sanitised


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What outlives a case: where repositories are, the sandbox, the toolchains, a folder for private copies."""

    repositories: Path
    sandbox: Sandbox
    toolchains: Sequence[Toolchain]
    scratch: Path | None = None
    limits: OracleLimits = OracleLimits()  # noqa: RUF009 (frozen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """A case ready to be answered: ``tree`` is all of it that a run may see.

    ``vulnerable`` holds the files of the vulnerable commit, ``fix`` what the fix changes of them.
    """

    case: Case
    tree: Path
    sanitised: Sanitised
    vulnerable: Mapping[str, bytes]
    fix: Mapping[str, bytes | None]
    judge: Judge


@contextmanager
def pose(case: Case, bench: Bench) -> Iterator[Posed]:
    """Yield the case; raise ``SourceError``. Every copy is removed at the end.

    The folder has a neutral name: a path that names the flaw would be a hint.
    """
    source = CaseSource(case, bench.repositories)
    name = case.repo.rpartition("/")[2]
    with tempfile.TemporaryDirectory(prefix="case-", dir=bench.scratch) as folder:
        tree = Path(folder) / name
        sanitised = source.export(case.vulnerable_commit, tree)
        with open_workspace(tree, parent=bench.scratch) as workspace:
            truth = GroundTruth(developer_tests=source.developer_tests(), before=source.before())
            judge = Judge(
                case=case,
                truth=truth,
                workspace=workspace,
                sandbox=bench.sandbox,
                toolchains=bench.toolchains,
                limits=bench.limits,
            )
            known = {path: entry.content for path, entry in source.entries(case.vulnerable_commit).items()}
            yield Posed(
                case=case, tree=tree, sanitised=sanitised, vulnerable=known, fix=source.fix(), judge=judge
            )

"""Reading cases: ``case.yaml`` with its report and proof beside it, and corrections kept in one file.

The shape is published as ``docs/case.schema.json``. Keys that are not known are refused: a misspelt
``developer_test`` must not become a case without one.
"""

from __future__ import annotations

import datetime as dt
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from evaluation.repair.case import Amendment, Case, FixSize, Language
from evaluation.repair.errors import CaseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

DESCRIPTION = "case.yaml"
MAXIMUM_BYTES = 1_000_000
Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class GoldStats(BaseModel):
    """Size of the upstream fix without its tests."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: int = Field(ge=1)
    hunks: int = Field(ge=1)
    lines_added: int = Field(ge=0)
    lines_removed: int = Field(ge=0)


class CaseFile(BaseModel):
    """``case.yaml``: the facts of one vulnerability and how its tests are run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$", description="Also the name of its folder.")
    aliases: list[str] = []
    cwe: str = Field(pattern=r"^CWE-\d+$")
    title: str = Field(min_length=1)
    repo: str = Field(pattern=r"^[\w.-]+/[\w.-]+$", description="owner/name")
    vulnerable_commit: Commit
    fix_commit: Commit
    fix_date: dt.date
    published: dt.date | None = None
    language: Language
    python: str = ""
    node: str = ""
    gold_files: list[str] = Field(
        min_length=1, description="Files that the upstream fix changes, without tests."
    )
    test_files: list[str] = Field(
        default=[], description="Test files of the upstream fix; empty: none exist."
    )
    gold_stats: GoldStats
    repo_files: int = 0
    difficulty: str = ""
    deselected_preexisting_failures: list[str] = []
    registry_packages: list[str] = Field(default=[], description="Packages that the tests need, with pins.")
    environment: dict[str, str] = {}
    regression_test: str = Field(min_length=1, description="A shell line, run at the root of the tree.")
    developer_test: str = Field(default="", description="A shell line that runs the fix's own tests.")
    regression_test_limit_s: float = Field(default=1800.0, gt=0)
    developer_test_limit_s: float = Field(default=900.0, gt=0)
    poc: str = Field(pattern=r"^[\w.-]+$", description="A file beside this one: exit 0 vulnerable, 1 safe.")
    image: str = Field(
        default="", description="A container image with the project, where it runs in no other."
    )

    @field_validator("gold_files", "test_files")
    @classmethod
    def _inside(cls, paths: list[str]) -> list[str]:
        if outside := [path for path in paths if not _is_inside(path)]:
            raise ValueError(f"not a path inside the repository: {outside[0]}")
        return paths


class AmendmentFile(BaseModel):
    """Corrections of cases that are kept apart from them: id -> reason and changed fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reason: str = Field(min_length=10)
    change: dict[str, Any] = Field(min_length=1)


def read_cases(folder: Path, *, only: Sequence[str] = (), amendments: Path | None = None) -> tuple[Case, ...]:
    """Return the cases below ``folder`` in the order of their ids; raise ``CaseError``.

    ``only`` chooses ids; ``amendments`` is a file of corrections (id -> ``reason``, ``change``).
    """
    changes = _amendments(amendments)
    found = sorted(path.parent for path in folder.glob(f"*/{DESCRIPTION}"))
    if not found:
        raise CaseError(f"{folder} holds no cases; give the folder that has <id>/{DESCRIPTION} below it")
    if unknown := set(only) - {path.name for path in found}:
        raise CaseError(f"there is no case {min(unknown)} below {folder}")
    return tuple(read_case(path, changes.get(path.name)) for path in found if not only or path.name in only)


def read_case(folder: Path, amendment: AmendmentFile | None = None) -> Case:
    """Return the case in ``folder``; raise ``CaseError`` with one line that says what is wrong with it."""
    known = _mapping(folder / DESCRIPTION)
    changes = amendment.change if amendment else {}
    try:
        facts = CaseFile.model_validate({**known, **changes})
    except ValidationError as error:
        raise CaseError(f"case {folder.name}: {_first(error)}") from None
    if facts.id != folder.name:
        raise CaseError(f"case {folder.name} calls itself {facts.id}; rename the folder or the id")
    amended = (Amendment(reason=amendment.reason, fields=tuple(sorted(changes))),) if amendment else ()
    contract = folder / "contract.md"
    return case_of(
        facts,
        advisory=_text(folder / "advisory.md"),
        proof=_text(folder / facts.poc),
        contract=_text(contract) if contract.exists() else "",
        amendments=amended,
    )


def case_of(
    facts: CaseFile, *, advisory: str, proof: str, contract: str = "", amendments: tuple[Amendment, ...] = ()
) -> Case:
    """Join the facts with the texts beside them."""
    return Case(
        id=facts.id,
        title=facts.title,
        cwe=facts.cwe,
        repo=facts.repo,
        vulnerable_commit=facts.vulnerable_commit,
        fix_commit=facts.fix_commit,
        fix_date=facts.fix_date,
        language=facts.language,
        fixed_files=tuple(facts.gold_files),
        test_files=tuple(facts.test_files),
        size=FixSize(**facts.gold_stats.model_dump()),
        regression_test=facts.regression_test,
        developer_test=facts.developer_test,
        advisory=advisory,
        proof_name=facts.poc,
        proof=proof,
        contract=contract,
        aliases=tuple(facts.aliases),
        python=facts.python,
        node=facts.node,
        packages=tuple(facts.registry_packages),
        environment=facts.environment,
        regression_seconds=facts.regression_test_limit_s,
        developer_seconds=facts.developer_test_limit_s,
        known_failures=tuple(facts.deselected_preexisting_failures),
        difficulty=facts.difficulty,
        image=facts.image,
        amendments=amendments,
    )


def _amendments(path: Path | None) -> dict[str, AmendmentFile]:
    if path is None:
        return {}
    try:
        return {name: AmendmentFile.model_validate(entry) for name, entry in _mapping(path).items()}
    except ValidationError as error:
        raise CaseError(f"{path.name}: {_first(error)}") from None


def _mapping(path: Path) -> Mapping[str, Any]:
    try:
        found = yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", -1) + 1
        raise CaseError(f"{path.parent.name}/{path.name} is no YAML (line {line})") from None
    if not isinstance(found, dict):
        raise CaseError(f"{path.parent.name}/{path.name} must hold one mapping")
    return found


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise CaseError(f"{path.parent.name}/{path.name} is larger than {MAXIMUM_BYTES // 1_000_000} MB")
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise CaseError(f"{path.parent.name}/{path.name} is not UTF-8 text") from None
    except OSError as error:
        raise CaseError(f"{path.parent.name}/{path.name} cannot be read: {error.strerror}") from None


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, found['loc'])) or 'it'}: {found['msg']}"


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts

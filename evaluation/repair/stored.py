"""What the bench keeps on disk, a version with each: validations and results of runs, one folder a case."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluation.repair.errors import ResultsError
from evaluation.repair.phases import OraclePhase, PhaseResult, PhaseStatus
from evaluation.repair.validation import Probe, Probed, Validation

if TYPE_CHECKING:
    from pathlib import Path

VALIDATION = "validation.json"
_ShapeT = TypeVar("_ShapeT", bound=BaseModel)


class Shape(BaseModel):
    """A stored shape: nothing unknown in it, nothing changed in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PhaseShape(Shape):
    """One phase."""

    phase: OraclePhase
    status: PhaseStatus
    reason: str
    seconds: float
    tail: str

    @classmethod
    def of(cls, result: PhaseResult) -> PhaseShape:
        """Return the shape of a result."""
        return cls(
            phase=result.phase,
            status=result.status,
            reason=result.reason,
            seconds=round(result.seconds, 2),
            tail=result.tail,
        )

    def result(self) -> PhaseResult:
        """Return the result again."""
        return PhaseResult(**self.model_dump())


class ProbeShape(Shape):
    """One probe of a case."""

    probe: Probe
    phases: list[PhaseShape]


class ValidationShape(Shape):
    """``validation.json`` of a case; ``digest`` says of which description of it."""

    schema_version: Literal[1]
    case_id: str
    digest: str
    holds: bool
    wrong: list[str]
    probes: list[ProbeShape]

    @classmethod
    def of(cls, validation: Validation, digest: str) -> ValidationShape:
        """Return the shape of a validation."""
        probes = [
            ProbeShape(probe=one.probe, phases=[PhaseShape.of(phase) for phase in one.phases])
            for one in validation.probes
        ]
        return cls(
            schema_version=1,
            case_id=validation.case_id,
            digest=digest,
            holds=validation.holds,
            wrong=list(validation.wrong),
            probes=probes,
        )

    def validation(self) -> Validation:
        """Return the validation again."""
        probes = tuple(
            Probed(probe=one.probe, phases=tuple(phase.result() for phase in one.phases))
            for one in self.probes
        )
        return Validation(case_id=self.case_id, probes=probes, wrong=tuple(self.wrong))


def write_shape(path: Path, shape: BaseModel) -> None:
    """Write a file whole or not at all; raise ``ResultsError``."""
    write_text(path, shape.model_dump_json(indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all; raise ``ResultsError``."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise ResultsError(f"cannot write to {path.parent}: {error.strerror}; give another --out") from None


def read_shape(path: Path, model: type[_ShapeT]) -> _ShapeT | None:
    """Return what was stored, None when there is nothing or nothing whole; raise ``ResultsError`` on others."""
    try:
        return model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        return None
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror}") from None

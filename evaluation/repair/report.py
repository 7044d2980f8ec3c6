"""The report of a measurement: Markdown, HTML and JSON of the same figures, with the field's checklist."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from evaluation.repair.checklist import Checked, checklist
from evaluation.repair.phases import OraclePhase
from evaluation.repair.plots import bars, intervals
from evaluation.repair.stored import write_text
from evaluation.repair.summary import Duel, Summary, summarise
from evaluation.repair.validation_table import SIGNS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluation.ports import RepairerFacts
    from evaluation.repair.case import Case
    from evaluation.repair.comparison import Change
    from evaluation.repair.conditions import Conditions
    from evaluation.repair.results import ResultShape

REPORT_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Everything a report is made of. ``machine`` describes where, ``date`` when, ``command`` how."""

    cases: Sequence[Case]
    results: Sequence[ResultShape]
    facts: RepairerFacts
    conditions: Conditions
    machine: str
    date: str
    command: str
    against: str = ""
    duel: Duel | None = None
    changes: Sequence[Change] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the table of runs."""

    case: Case
    result: ResultShape
    phases: tuple[str, ...]


def lines_of(measurement: Measurement) -> tuple[Line, ...]:
    """Return the rows of the table of runs."""
    known = {case.id: case for case in measurement.cases}
    return tuple(
        Line(case=known[one.case_id], result=one, phases=tuple(SIGNS[phase.status] for phase in one.phases))
        for one in measurement.results
    )


def write_report(folder: Path, measurement: Measurement) -> Summary:
    """Write ``report.md``, ``report.html`` and ``report.json``; raise ``ResultsError``."""
    summary = summarise(measurement.cases, measurement.results)
    write_text(folder / "report.md", render("report.md.j2", measurement, summary))
    write_text(folder / "report.html", render("report.html.j2", measurement, summary))
    write_text(folder / "report.json", json.dumps(as_values(measurement, summary), indent=1) + "\n")
    return summary


def render(template: str, measurement: Measurement, summary: Summary) -> str:
    """Return one form of the report."""
    environment = Environment(
        loader=PackageLoader("evaluation.repair", "templates"),
        undefined=StrictUndefined,
        autoescape=template.endswith(".html.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["percent"] = lambda share: f"{100 * share:.0f} %"
    environment.filters["cell"] = lambda text: " ".join(str(text).split()).replace("|", "/")
    return environment.get_template(template).render(
        measurement=measurement,
        summary=summary,
        lines=lines_of(measurement),
        checklist=checklist(measurement.facts, measurement.conditions, summary),
        endings=bars([(ending.value, count) for ending, count in summary.endings.items()]),
        phases=intervals([summary.resolved, *summary.phases]),
        by_group={name: intervals(rates) for name, rates in summary.groups.items() if rates},
        phase_names=[phase.value for phase in OraclePhase],
    )


def as_values(measurement: Measurement, summary: Summary) -> dict[str, Any]:
    """Return the report as JSON values; what is compared later is read from here."""
    checked: tuple[Checked, ...] = checklist(measurement.facts, measurement.conditions, summary)
    return {
        "schema_version": REPORT_VERSION,
        "date": measurement.date,
        "machine": measurement.machine,
        "command": measurement.command,
        "repairer": dataclasses.asdict(measurement.facts),
        "conditions": dataclasses.asdict(measurement.conditions),
        "checklist": {one.item: one.said for one in checked},
        "summary": dataclasses.asdict(summary),
        "duel": dataclasses.asdict(measurement.duel) if measurement.duel else None,
        "results": [
            json.loads(one.model_dump_json(exclude={"phases": {"__all__": {"tail"}}}))
            for one in measurement.results
        ],
    }

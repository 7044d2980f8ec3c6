"""Reports, and the keys by which a second report of the same flaw is known."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

import sqlalchemy as sa

from agent.domain.report import Report
from bot.store.codec import decode, encode
from bot.store.database import writing
from bot.store.schema import report_keys, reports

if TYPE_CHECKING:
    from collections.abc import Collection

ADVISORY_ID = re.compile(r"\b(?:CVE-\d{4}-\d{4,}|GHSA(?:-[0-9a-z]{4}){3})\b", re.IGNORECASE)


def flaw_keys(report: Report) -> frozenset[str]:
    """Return what identifies the flaw: advisory ids of the report, and a fingerprint of its words.

    Ids count in the report's own id, aliases and title only: a body may mention other advisories.
    """
    named = " ".join((report.id, report.title, *report.aliases))
    ids = {match.group().upper() for match in ADVISORY_ID.finditer(named)}
    words = " ".join(re.findall(r"\w+", f"{report.title} {report.body}".lower()))
    return frozenset(ids | {"words:" + hashlib.sha256(words.encode()).hexdigest()})


class Reports:
    """The table of reports."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def save(self, report_id: str, repository_id: int, subject_key: str, report: Report, at: float) -> None:
        """Store a report under an id of ours; saving it again replaces it."""
        keys = [{"repository_id": repository_id, "key": k, "report_id": report_id} for k in flaw_keys(report)]
        with writing(self._engine) as connection:
            connection.execute(sa.delete(report_keys).where(report_keys.c.report_id == report_id))
            connection.execute(sa.delete(reports).where(reports.c.id == report_id))
            connection.execute(
                sa.insert(reports).values(
                    id=report_id,
                    repository_id=repository_id,
                    subject_key=subject_key,
                    visibility=report.visibility,
                    severity=report.severity,
                    title=report.title,
                    content=json.dumps(encode(report)),
                    created_at=at,
                )
            )
            connection.execute(sa.insert(report_keys), keys)

    def get(self, report_id: str) -> Report | None:
        """Return a report."""
        query = sa.select(reports.c.content).where(reports.c.id == report_id)
        with self._engine.connect() as connection:
            content = connection.execute(query).scalar()
        return None if content is None else decode(Report, json.loads(content))

    def same_flaw(self, repository_id: int, keys: Collection[str]) -> list[str]:
        """Return ids of the repository's reports that share a key."""
        query = sa.select(report_keys.c.report_id).where(
            report_keys.c.repository_id == repository_id, report_keys.c.key.in_(list(keys))
        )
        with self._engine.connect() as connection:
            return sorted(set(connection.execute(query).scalars()))

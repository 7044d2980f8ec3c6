"""The tables. Times are epoch seconds; JSON is text in the shape of ``codec``; names never clash with DBOS's.

``deliveries`` keeps each GUID for good, so that nothing runs twice; its payload is dropped after a while.
``runs.active`` with a partial unique index is what makes two commands at once one run.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, server_default="0")


def _time(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=False, server_default="0")


deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("guid", sa.Text, primary_key=True),
    _text("event"),
    _text("action"),
    _number("installation_id"),
    _number("repository_id"),
    _time("received_at"),
    _text("state"),
    _text("note"),
    sa.Column("payload", sa.LargeBinary),
    sa.Index("deliveries_received", "received_at"),
)

installations = sa.Table(
    "installations",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    _text("account"),
    _flag("suspended"),
    _time("created_at"),
)

repositories = sa.Table(
    "repositories",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    _number("installation_id"),
    _text("full_name"),
    _text("default_branch"),
    _flag("private"),
    _flag("archived"),
    _flag("fork"),
    _text("config_text"),
    _text("config_problem"),
    _time("config_checked_at"),
    _time("seen_at"),
    sa.Index("repositories_installation", "installation_id"),
)

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _number("repository_id"),
    _text("subject_key"),
    _text("visibility"),
    _text("severity"),
    _text("title"),
    _text("content"),
    _time("created_at"),
    sa.Index("reports_subject", "repository_id", "subject_key"),
)

report_keys = sa.Table(
    "report_keys",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("report_id", sa.Text, primary_key=True),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _number("repository_id"),
    _number("installation_id"),
    _text("report_id"),
    _text("subject"),
    _text("subject_key"),
    _text("kind"),
    _text("cause"),
    _text("state"),
    _flag("active"),
    _text("outcome"),
    _text("reason"),
    _text("visibility"),
    _number("priority"),
    _text("depth"),
    _text("model"),
    _text("requested_by"),
    _text("feedback"),
    _text("parent_id"),
    _text("linked_run_id"),
    _text("base_branch"),
    _text("base_sha"),
    _text("branch"),
    _number("pull_number"),
    _text("pull_url"),
    _text("expected_head"),
    _text("head_sha"),
    _text("result_digest"),
    _text("approved_by"),
    _number("attempts"),
    sa.Column("money", sa.Double, nullable=False, server_default="0"),
    _number("tokens"),
    _time("created_at"),
    _time("started_at"),
    _time("finished_at"),
    sa.Index("runs_subject", "repository_id", "subject_key"),
    sa.Index("runs_pull", "repository_id", "pull_number"),
    sa.Index("runs_created", "created_at"),
    sa.Index(
        "runs_one_active",
        "repository_id",
        "subject_key",
        unique=True,
        sqlite_where=sa.text("active"),
        postgresql_where=sa.text("active"),
    ),
)

run_events = sa.Table(
    "run_events",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    _text("run_id"),
    _time("at"),
    _text("what"),
    _text("detail"),
    sa.Index("run_events_run", "run_id"),
)

run_artifacts = sa.Table(
    "run_artifacts",
    metadata,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    _text("digest"),
    _number("size"),
)

pulls = sa.Table(
    "pulls",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    _text("run_id"),
    _text("subject_key"),
    _text("branch"),
    _text("head_sha"),
    _text("state"),
    _flag("handed_over"),
)

feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    _number("repository_id"),
    _number("pull_number"),
    _text("run_id"),
    _text("what"),
    _text("actor"),
    _text("origin"),
    _text("source"),
    _text("model"),
    _text("cwes"),
    _text("detail"),
    _time("at"),
    sa.Index("feedback_source", "origin", "source"),
)

refusals = sa.Table(
    "refusals",
    metadata,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("subject_key", sa.Text, primary_key=True),
    sa.Column("actor_id", sa.BigInteger, primary_key=True, autoincrement=False),
    _text("key"),
    _time("at"),
)

slots = sa.Table(
    "slots",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    _text("owner"),
    _text("host"),
    _text("process"),
    _time("beat_at"),
)

marks = sa.Table(
    "marks",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    _time("at"),
)

"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    _deliveries()
    _feedback()
    _installations()
    _marks()
    _pulls()
    _refusals()
    _report_keys()
    _reports()
    _repositories()
    _run_artifacts()
    _run_events()
    _runs()
    _slots()


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("deliveries")
    op.drop_table("feedback")
    op.drop_table("installations")
    op.drop_table("marks")
    op.drop_table("pulls")
    op.drop_table("refusals")
    op.drop_table("report_keys")
    op.drop_table("reports")
    op.drop_table("repositories")
    op.drop_table("run_artifacts")
    op.drop_table("run_events")
    op.drop_table("runs")
    op.drop_table("slots")


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("guid", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), server_default="", nullable=False),
        sa.Column("action", sa.Text(), server_default="", nullable=False),
        sa.Column("installation_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("repository_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("received_at", sa.Double(), server_default="0", nullable=False),
        sa.Column("state", sa.Text(), server_default="", nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("guid"),
    )
    op.create_index("deliveries_received", "deliveries", ["received_at"], unique=False)


def _feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("pull_number", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("run_id", sa.Text(), server_default="", nullable=False),
        sa.Column("what", sa.Text(), server_default="", nullable=False),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("origin", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("model", sa.Text(), server_default="", nullable=False),
        sa.Column("cwes", sa.Text(), server_default="", nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("feedback_source", "feedback", ["origin", "source"], unique=False)


def _installations() -> None:
    op.create_table(
        "installations",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account", sa.Text(), server_default="", nullable=False),
        sa.Column("suspended", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _marks() -> None:
    op.create_table(
        "marks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _pulls() -> None:
    op.create_table(
        "pulls",
        sa.Column("repository_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.Text(), server_default="", nullable=False),
        sa.Column("subject_key", sa.Text(), server_default="", nullable=False),
        sa.Column("branch", sa.Text(), server_default="", nullable=False),
        sa.Column("head_sha", sa.Text(), server_default="", nullable=False),
        sa.Column("state", sa.Text(), server_default="", nullable=False),
        sa.Column("handed_over", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "number"),
    )


def _refusals() -> None:
    op.create_table(
        "refusals",
        sa.Column("repository_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("subject_key", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "subject_key", "actor_id"),
    )


def _report_keys() -> None:
    op.create_table(
        "report_keys",
        sa.Column("repository_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("report_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "key", "report_id"),
    )


def _reports() -> None:
    op.create_table(
        "reports",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("subject_key", sa.Text(), server_default="", nullable=False),
        sa.Column("visibility", sa.Text(), server_default="", nullable=False),
        sa.Column("severity", sa.Text(), server_default="", nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("reports_subject", "reports", ["repository_id", "subject_key"], unique=False)


def _repositories() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("installation_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("full_name", sa.Text(), server_default="", nullable=False),
        sa.Column("default_branch", sa.Text(), server_default="", nullable=False),
        sa.Column("private", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("archived", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("fork", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("config_text", sa.Text(), server_default="", nullable=False),
        sa.Column("config_problem", sa.Text(), server_default="", nullable=False),
        sa.Column("config_checked_at", sa.Double(), server_default="0", nullable=False),
        sa.Column("seen_at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("repositories_installation", "repositories", ["installation_id"], unique=False)


def _run_artifacts() -> None:
    op.create_table(
        "run_artifacts",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), server_default="", nullable=False),
        sa.Column("size", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("run_id", "name"),
    )


def _run_events() -> None:
    op.create_table(
        "run_events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Double(), server_default="0", nullable=False),
        sa.Column("what", sa.Text(), server_default="", nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("run_events_run", "run_events", ["run_id"], unique=False)


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("installation_id", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("report_id", sa.Text(), server_default="", nullable=False),
        sa.Column("subject", sa.Text(), server_default="", nullable=False),
        sa.Column("subject_key", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), server_default="", nullable=False),
        sa.Column("cause", sa.Text(), server_default="", nullable=False),
        sa.Column("state", sa.Text(), server_default="", nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("visibility", sa.Text(), server_default="", nullable=False),
        sa.Column("priority", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("depth", sa.Text(), server_default="", nullable=False),
        sa.Column("model", sa.Text(), server_default="", nullable=False),
        sa.Column("requested_by", sa.Text(), server_default="", nullable=False),
        sa.Column("feedback", sa.Text(), server_default="", nullable=False),
        sa.Column("parent_id", sa.Text(), server_default="", nullable=False),
        sa.Column("linked_run_id", sa.Text(), server_default="", nullable=False),
        sa.Column("base_branch", sa.Text(), server_default="", nullable=False),
        sa.Column("base_sha", sa.Text(), server_default="", nullable=False),
        sa.Column("branch", sa.Text(), server_default="", nullable=False),
        sa.Column("pull_number", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("pull_url", sa.Text(), server_default="", nullable=False),
        sa.Column("expected_head", sa.Text(), server_default="", nullable=False),
        sa.Column("head_sha", sa.Text(), server_default="", nullable=False),
        sa.Column("result_digest", sa.Text(), server_default="", nullable=False),
        sa.Column("approved_by", sa.Text(), server_default="", nullable=False),
        sa.Column("attempts", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("money", sa.Double(), server_default="0", nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Double(), server_default="0", nullable=False),
        sa.Column("started_at", sa.Double(), server_default="0", nullable=False),
        sa.Column("finished_at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("runs_created", "runs", ["created_at"], unique=False)
    op.create_index(
        "runs_one_active",
        "runs",
        ["repository_id", "subject_key"],
        unique=True,
        sqlite_where=sa.text("active"),
        postgresql_where=sa.text("active"),
    )
    op.create_index("runs_pull", "runs", ["repository_id", "pull_number"], unique=False)
    op.create_index("runs_subject", "runs", ["repository_id", "subject_key"], unique=False)


def _slots() -> None:
    op.create_table(
        "slots",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), server_default="", nullable=False),
        sa.Column("host", sa.Text(), server_default="", nullable=False),
        sa.Column("process", sa.Text(), server_default="", nullable=False),
        sa.Column("beat_at", sa.Double(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )

"""Runs the migrations on the connection it is given; there is no offline mode and no ini file."""

from __future__ import annotations

from alembic import context

from bot.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="suture_version",
    render_as_batch=True,
)
context.run_migrations()

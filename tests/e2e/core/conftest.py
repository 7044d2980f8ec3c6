"""Databases for the tests of the store and the jobs."""

from __future__ import annotations

from tests.postgres import database_url, postgres_cluster

__all__ = ["database_url", "postgres_cluster"]

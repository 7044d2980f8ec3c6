"""Joins the workflow's question for files to the ranking engine."""

from __future__ import annotations

"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """``WARNING`` means Suture works without it, but does less."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the doctor: what was looked at, what was seen, what to do."""

    check: str
    status: Status
    seen: str
    advice: str = ""

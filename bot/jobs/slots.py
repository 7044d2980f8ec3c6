"""Keeps this process's slot, and takes over the jobs of slots whose holder is dead.

The engine recovers only the jobs of its own slot name, so a name must be stable over restarts and unique
among live processes. A holder of this host that no longer exists is known at once; any other is dead when its
beat is older than the lease.
"""

from __future__ import annotations

import os
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot.errors import SettingsError, SlotLostError
from bot.store.slots import Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bot.store.slots import Slots

MOST = 1000

log = structlog.get_logger(__name__)


def process_mark(pid: int) -> str:
    """Return what tells a process from an earlier one of the same number; empty when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
    return f"{pid}:{text.rpartition(')')[2].split()[19]}:{boot}"


def is_dead(slot: Slot, *, now: float, lease: float, host: str, mark: Callable[[int], str]) -> bool:
    """Return whether nobody works under a slot any more. Pure but for ``mark``."""
    if now - slot.beat_at > lease:
        return True
    pid = slot.process.partition(":")[0]
    return slot.host == host and pid.isdecimal() and mark(int(pid)) != slot.process


def names(wanted: str) -> Iterable[str]:
    """Yield the slot names to try: the operator's one, or numbers from 0."""
    return [wanted] if wanted else (f"slot-{number}" for number in range(MOST))


@dataclass(slots=True, kw_only=True)
class SlotKeeper:
    """Holds one slot of the table for this process."""

    slots: Slots
    lease: float
    adopt: Callable[[str], int]
    host: str = ""
    mine: Slot | None = None

    def claim(self, wanted: str = "") -> str:
        """Take a free slot, or that of a dead holder; return its name."""
        host = self.host or socket.gethostname()
        held = {slot.name: slot for slot in self.slots.all()}
        now = self.slots.now()
        for name in names(wanted):
            holder = held.get(name)
            if holder and not is_dead(holder, now=now, lease=self.lease, host=host, mark=process_mark):
                continue
            mine = Slot(name=name, owner=uuid.uuid4().hex, host=host, process=process_mark(os.getpid()))
            if self.slots.claim(mine, instead_of=holder.owner if holder else ""):
                self.mine = mine
                return name
        raise SettingsError(
            f"slot {wanted or MOST} is held by a live process; give each worker its own SUTURE_SLOT"
        )

    def beat(self) -> None:
        """Say that we live; ``SlotLostError`` when another process took the slot over meanwhile."""
        if self.mine and not self.slots.beat(self.mine.name, self.mine.owner):
            raise SlotLostError(f"slot {self.mine.name} was taken over by another process")

    def take_over(self) -> int:
        """Adopt the jobs of dead slots; return how many."""
        if self.mine is None:
            return 0
        now, adopted = self.slots.now(), 0
        for slot in self.slots.all():
            dead = is_dead(slot, now=now, lease=self.lease, host=self.mine.host, mark=process_mark)
            if slot.name == self.mine.name or not dead:
                continue
            adopted += self._adopt(slot, self.mine)
        return adopted

    def release(self) -> None:
        """Declare the slot dead: whoever comes next goes on with its jobs, if it left any."""
        if self.mine:
            self.slots.retire(self.mine.name, self.mine.owner)
            self.mine = None

    def _adopt(self, dead: Slot, mine: Slot) -> int:
        """Fence the dead holder off first, so that two survivors do not adopt the same jobs."""
        fence = Slot(name=dead.name, owner=mine.owner, host=mine.host, process=mine.process)
        if not self.slots.claim(fence, instead_of=dead.owner):
            return 0
        adopted = self.adopt(dead.name)
        self.slots.remove(dead.name, mine.owner)
        log.warning("slot_taken_over", slot=dead.name, jobs=adopted)
        return adopted

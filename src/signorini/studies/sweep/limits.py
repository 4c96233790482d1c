"""Limits of a run: time and memory, checked between its steps."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
"""Bytes of a page of memory."""


class LimitError(Exception):
    """A run has exceeded a limit; `status` is timeout or memory."""

    def __init__(self, status: str, text: str):
        super().__init__(status, text)
        self.status, self.text = status, text

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Limits:
    """Limits of one run; None is no limit."""

    seconds: float | None = None
    """Wall time [s]."""
    memory: float | None = None
    """Resident memory of the process [bytes]."""
    _deadline: float = field(default=float("inf"), repr=False)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """The time of a run begins."""
        self._deadline = float("inf") if self.seconds is None else time.monotonic() + self.seconds
        yield

    def check(self) -> None:
        """Raise a `LimitError` if this process has exceeded a limit."""
        if time.monotonic() > self._deadline:
            raise self.time_error()
        if self.memory is not None and resident_bytes(os.getpid()) > self.memory:
            raise self.memory_error()

    def time_error(self) -> LimitError:
        return LimitError("timeout", f"the run took longer than its limit of {self.seconds:g} s")

    def memory_error(self) -> LimitError:
        return LimitError("memory", f"the run took more memory than its limit of {(self.memory or 0.0) / 1e6:.0f} MB")


def resident_bytes(process: int) -> int:
    """Resident memory of a process [bytes]; 0 where the system does not tell (only Linux does)."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0

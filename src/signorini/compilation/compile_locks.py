"""Locks between processes: a kernel that one process is compiling is awaited by the others instead of being compiled again.

A lock is one byte of a file, so that nothing is left behind by a process that ends in whatever way. Where the system or the
file system has no such locks, kernels are compiled more than once, and the last one written stays.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

LONGEST_WAIT = 300.0
"""A process that holds a lock for longer [s] hangs: the others then compile for themselves."""
PAUSE = 0.02
"""Time [s] between two looks at a lock that another process holds."""


class CompileLocks:
    """Locks of this process on the kernels that it is compiling."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor = -1
        self._process = 0
        self._held: set[int] = set()

    def acquire(self, digest: str, *, wait: bool = True) -> bool:
        """Hold the lock of a digest; False if another process holds it and either `wait` is false or LONGEST_WAIT is over."""
        place = _place(digest)
        if not self._opened() or place in self._held:
            return True
        end = time.monotonic() + (LONGEST_WAIT if wait else 0.0)
        while not self._try(place):
            if time.monotonic() >= end:
                return False
            time.sleep(PAUSE)
        self._held.add(place)
        return True

    def release(self, digest: str) -> None:
        """Give the lock of a digest back; nothing happens if this process does not hold it."""
        place = _place(digest)
        if place in self._held and self._opened():
            self._held.discard(place)
            with contextlib.suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, place)  # pyright: ignore[reportOptionalMemberAccess]

    def _try(self, place: int) -> bool:
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)  # pyright: ignore[reportOptionalMemberAccess]
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # this file system has no locks
            return True
        return True

    def _opened(self) -> bool:
        """Open the file; after a fork, forget the locks, which stay with the parent. False where there are no locks."""
        if fcntl is None:
            return False
        if self._process != os.getpid():
            self._process, self._held = os.getpid(), set()
        if self._descriptor < 0:
            with contextlib.suppress(OSError):
                self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        return self._descriptor >= 0


def _place(digest: str) -> int:
    """The byte that stands for a digest."""
    return int(digest[:15], 16)

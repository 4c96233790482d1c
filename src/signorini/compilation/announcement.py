"""The progress lines while kernels are compiled: what the first simulation on a machine waits for.

They go to standard error, and only if somebody looks: at a terminal, or after a command that has not been told to be quiet.
"""

from __future__ import annotations

import functools
import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from numba.core import event

from signorini.compilation.kernel_cache import KernelCache

PATIENCE = 0.5
"""Time [s] after which compilation is announced: one small kernel of a user's own is nothing to speak of."""
INTERVAL = 5.0
"""Time [s] between two lines."""


class Announcement(event.Listener):
    """Listens to Numba, counts the kernels that are compiled, and says so."""

    def __init__(self) -> None:
        self.enabled: bool | None = None
        """Whether to write; None: if standard error is a terminal."""
        self.count = 0
        """Kernels that this process has compiled, with those that were compiled as a part of others."""
        self._depth = 0
        self._left: Callable[[], int] | None = None
        self._expected = 0
        self._collects = False
        self._spent = 0.0
        self._since = 0.0
        self._next = PATIENCE

    def expect(self, left: Callable[[], int], expected: int) -> None:
        """Say how many of `expected` kernels are done: all but `left()`."""
        self._left, self._expected = left, expected

    def on_start(self, event: Any) -> None:
        """Numba begins to compile a function."""
        kernel = event.data["dispatcher"]
        if isinstance(kernel._cache, KernelCache):
            if self._depth == 0:
                self._since = time.monotonic()
                self._collects = gc.isenabled()
                gc.disable()  # compilation makes many objects that live to its end
            self._depth += 1
            self._say(kernel.py_func)

    def on_end(self, event: Any) -> None:
        """Numba has compiled a function, or has failed to."""
        if isinstance(event.data["dispatcher"]._cache, KernelCache):
            self.count += 1
            self._depth -= 1
            if self._depth == 0:
                self._spent += time.monotonic() - self._since
                if self._collects:
                    gc.enable()

    def _say(self, function: Any) -> None:
        spent = self._spent + time.monotonic() - self._since
        if spent < self._next or not (sys.stderr.isatty() if self.enabled is None else self.enabled):
            return
        self._next = spent + INTERVAL
        done = f"{self._expected - self._left()} of {self._expected}" if self._left else f"{self.count}"
        module = function.__module__.removeprefix("signorini.").removesuffix("_kernels")
        print(  # noqa: T201 (to standard error, and only if somebody looks)
            f"signorini: compiling kernels, once per machine: {done} done after {spent:.0f} s, now {module} {function.__name__}",
            file=sys.stderr,
            flush=True,
        )


@functools.cache
def watch_compilation() -> Announcement:
    """The listener of this process, registered with Numba when it is first asked for."""
    announcement = Announcement()
    event.register("numba:compile", announcement)
    return announcement

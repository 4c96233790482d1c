"""Team of threads that run one kernel together (decision 0016).

A kernel for a team takes a crew (shared words) and a rank before its own arguments, and releases the GIL. The other threads of a
team are started when they are first needed, sleep between two kernels, and are never waited for if they do not come at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from queue import SimpleQueue
from typing import Any

import numpy as np

from signorini.parallel.crew_kernels import LAST, PATIENT, SIZE, WORDS, join, wait_for_crew

JOINING, FOREVER = 12_000, 2**60
"""Looks of the calling thread for others that join it: about 0.3 ms. One that sleeps wakes up in 30 to 60 µs on an idle core."""
SHORTEST_REST, LONGEST_REST = 0.002, 1.0
"""Time [s] for which a team works with one thread after another was late: twice as long each time, until one is not."""
REST_PART = 20.0
"""Time of that rest over the time that was lost at least: waiting for late threads then takes a twentieth of all time at most."""
ALLOWED_LOSS, LOSS_PART = 2e-4, 0.1
"""Time [s] for which a thread may have had no core in a call, and part of the call's: with more the cores are busy."""


class Team:
    """Threads of this process that help the one which calls `run`."""

    def __init__(self, *, patient: bool = False, last_barrier: int = 0) -> None:
        """For tests: a patient team waits at every barrier; all threads but one are dismissed at the one of that number."""
        self._patient, self._last_barrier = patient, last_barrier
        self._lock = threading.Lock()
        self._mail: list[SimpleQueue[Any]] = []
        self._rest, self._rest_until = SHORTEST_REST, 0.0

    def run(self, size: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """function(crew, rank, *arguments) on up to `size` threads; returns what it returns on this one.

        It runs on this thread alone while the team is busy with a call from another thread, or rests.
        """
        if size < 2 or time.perf_counter() < self._rest_until or not self._lock.acquire(blocking=False):
            return function(lone_crew(), 0, *arguments)
        try:
            crew = np.zeros(WORDS, np.int64)
            crew[LAST], crew[PATIENT] = self._last_barrier, self._patient
            while len(self._mail) < size - 1:
                self._hire()
            losses: list[float] = []
            for mail in self._mail[: size - 1]:
                mail.put((crew, losses, function, arguments))
            begin, clock = time.perf_counter(), LossClock()
            joined = wait_for_crew(crew, size, FOREVER if self._patient else JOINING)
            missed = time.perf_counter() - begin if joined < size else 0.0
            result = function(crew, 0, *arguments)
            taken = time.perf_counter() - begin
            self._learn(lost=max([missed, clock.lost(), *losses]), taken=taken)
            return result
        finally:
            self._lock.release()

    def _hire(self) -> None:
        mail: SimpleQueue[Any] = SimpleQueue()
        self._mail.append(mail)
        threading.Thread(target=_work, args=(mail,), name=f"signorini-{len(self._mail)}", daemon=True).start()

    def _learn(self, *, lost: float, taken: float) -> None:
        """Rest if a thread had no core for `lost` seconds of a call of `taken`: something else uses it.

        A thread that waits because the work is shared unevenly keeps its core, and is no reason to rest.
        """
        if lost > ALLOWED_LOSS + LOSS_PART * taken and not self._patient:
            self._rest_until = time.perf_counter() + max(self._rest, REST_PART * lost)
            self._rest = min(2.0 * self._rest, LONGEST_REST)
        else:
            self._rest = max(0.5 * self._rest, SHORTEST_REST)


class LossClock:
    """Time for which this thread had no core since the clock was made."""

    def __init__(self) -> None:
        self._begin, self._worked = time.perf_counter(), time.thread_time()

    def lost(self) -> float:
        """That time [s]: a thread that waits at a barrier of a crew works, or offers its core to others."""
        return (time.perf_counter() - self._begin) - (time.thread_time() - self._worked)


def _work(mail: SimpleQueue[Any]) -> None:
    """What the other threads of a team do all their life."""
    while True:
        crew, losses, function, arguments = mail.get()
        rank = join(crew)
        if rank > 0:
            clock = LossClock()
            function(crew, rank, *arguments)
            losses.append(clock.lost())
        del crew, losses, function, arguments  # hold no memory while asleep


def lone_crew() -> np.ndarray:
    """The shared words of a thread that works alone."""
    crew = np.zeros(WORDS, np.int64)
    crew[SIZE] = 1
    return crew


_team = Team()
_threads: ContextVar[int] = ContextVar("threads", default=1)


def _renew_team() -> None:
    """A process after fork has none of the threads of its parent."""
    global _team
    _team = Team()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_team)


@contextmanager
def use_threads(count: int) -> Iterator[None]:
    """Let kernels that are called within use up to so many threads."""
    token = _threads.set(count)
    try:
        yield
    finally:
        _threads.reset(token)


def run_together(chunks: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a kernel that has so many chunks of work on the threads that the caller may use; see `Team.run`."""
    return _team.run(most_threads(chunks), function, *arguments)


def most_threads(chunks: int) -> int:
    """Threads that work on so many chunks in `run_together` at most."""
    return max(1, min(_threads.get(), chunks))

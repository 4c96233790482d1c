"""Worker processes of a campaign of random scenes: a scene that hangs or crashes ends its process, and is written down.

A worker that spends too much CPU time on one scene is ended by the operating system (ITIMER_PROF), also in a compiled
loop; the time of other programs on a busy machine does not count.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from signorini.studies.random_scenes.generator import random_scene
from signorini.studies.random_scenes.outcome import STEP_LIMIT, Outcome
from signorini.studies.sweep.worker import ENVIRONMENT

Row = dict[str, object]
START_UP = 120.0
"""CPU time [s] beyond its limit that a scene may take to load and compile kernels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """Which scenes are run, and how."""

    seed: int
    cpu_limit: float
    """CPU time after which a scene is left, between two steps [s]."""
    watch: str | None = None
    """`module:function` of a check of the steps (`study.Stepper`)."""


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    tasks: Connection
    index: int | None = None


def campaign_rows(campaign: Campaign, indices: Sequence[int], *, jobs: int) -> Iterator[Row]:
    """The rows of the scenes with these numbers, in the order in which they are done."""
    waiting, workers = deque(indices), []
    try:
        while waiting or any(worker.index is not None for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_start(campaign))
            for worker in workers:
                if worker.index is None and waiting:
                    worker.index = waiting.popleft()
                    worker.tasks.send(worker.index)
            ready = set(wait([worker.tasks for worker in workers]))
            for worker in [w for w in workers if w.tasks in ready]:
                try:
                    row = worker.tasks.recv()
                except (EOFError, OSError):
                    workers.remove(worker)
                    row = _dead(campaign, worker)
                worker.index = None
                yield row
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()


def _start(campaign: Campaign) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    try:
        process = context.Process(target=_work, args=(campaign, theirs), daemon=True, name="signorini-campaign")
        process.start()
    finally:
        os.environ.clear()
        os.environ.update(before)
    theirs.close()
    return _Worker(process, ours)


def _work(campaign: Campaign, tasks: Connection) -> None:
    """Main function of a worker: one scene after the other, until there are no more."""
    from signorini.studies.imported_function import import_function
    from signorini.studies.random_scenes.study import run_scene

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the command, which ends its workers
    stepper = None
    if campaign.watch is not None:
        stepper = import_function(campaign.watch, what="watch", folder=Path.cwd() / "tests")
    while True:
        try:
            index = tasks.recv()
        except (EOFError, OSError):
            return
        _limit_cpu(campaign.cpu_limit + STEP_LIMIT + START_UP)
        case = random_scene(campaign.seed, index)
        row = run_scene(case, cpu_limit=campaign.cpu_limit, stepper=stepper).row()
        _limit_cpu(0.0)
        tasks.send(row)


def _limit_cpu(seconds: float) -> None:
    """End this process after so much CPU time; 0: do not. Windows has no such limit."""
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _dead(campaign: Campaign, worker: _Worker) -> Row:
    """The row of a scene whose process has died."""
    worker.process.join()
    code = worker.process.exitcode or 0
    assert worker.index is not None
    case = random_scene(campaign.seed, worker.index)
    outcome = Outcome(case, bodies=len(case.scene.bodies))
    if sys.platform != "win32" and code == -signal.SIGPROF:
        outcome.ending, outcome.message = "hang", f"no end of a step after {campaign.cpu_limit + STEP_LIMIT:.0f} CPU s"
    else:
        outcome.ending, outcome.message = "crash", f"the process ended with code {code}"
    return outcome.row()

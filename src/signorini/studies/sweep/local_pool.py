"""The local engine of a sweep: warm worker processes, watched, and replaced when they die or exceed a limit."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from signorini.errors import DiskFullError, InputError
from signorini.studies.sweep.limits import LimitError, resident_bytes
from signorini.studies.sweep.one_run import Job, Outcome
from signorini.studies.sweep.plan import PlannedRun
from signorini.studies.sweep.worker import ENVIRONMENT, pack, work

POLL = 0.1
"""Time between looks at the limits of the runs [s]."""
GRACE = 1.0
"""Time beyond its limit that a run has to end by itself, between two steps, before its process is killed [s]."""
MOST_FAILED_STARTS = 3
"""Workers in a row that end before they are ready; then something is wrong with all of them."""


@dataclass(slots=True)
class _Worker:
    """A worker process and what it is doing."""

    process: SpawnProcess
    tasks: Connection
    lifeline: Connection
    ready: bool = False
    run: PlannedRun | None = None
    since: float = 0.0
    """When it got its run."""

    def dismiss(self) -> None:
        """Let a process that waits for a run end by itself."""
        if self.ready and self.run is None:
            with contextlib.suppress(OSError):
                self.tasks.send(None)

    def end(self) -> None:
        """End the process; at once if it is doing something."""
        if self.ready and self.run is None:
            self.process.join(GRACE)
        self.process.kill()
        self.process.join()
        self.tasks.close()
        self.lifeline.close()


@dataclass(slots=True)
class LocalPool:
    """Does the runs of a job in `count` processes. Used as a context manager: all processes end with it."""

    job: Job
    count: int
    retries: int
    _packed: bytes = b""
    _workers: list[_Worker] = field(default_factory=list)
    _waiting: deque[PlannedRun] = field(default_factory=deque)
    _attempts: dict[str, int] = field(default_factory=dict)
    _failed_starts: int = 0

    def __enter__(self) -> LocalPool:
        self._packed = pack(self.job)
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.dismiss()
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def outcomes(self, runs: Sequence[PlannedRun]) -> Iterator[Outcome]:
        """The outcomes in the order in which runs end."""
        self._waiting.extend(runs)
        while self._waiting or any(worker.run for worker in self._workers):
            self._refill()
            connections = {worker.tasks: worker for worker in self._workers}
            for ready in wait(list(connections), timeout=POLL):
                outcome = self._listen(connections[ready])  # pyright: ignore[reportArgumentType]
                if outcome is not None:
                    self._refill()  # the worker has its next run before this one is written down
                    yield outcome
            for worker in list(self._workers):
                outcome = self._over_limit(worker)
                if outcome is not None:
                    yield outcome

    def _refill(self) -> None:
        """Give every worker that waits a run, and replace those that have died."""
        busy = sum(worker.run is not None for worker in self._workers)
        for _ in range(min(self.count, busy + len(self._waiting)) - len(self._workers)):
            self._workers.append(self._start())
        for worker in self._workers:
            if worker.ready and worker.run is None and self._waiting:
                planned = self._waiting.popleft()
                self._attempts[planned.id] = self._attempts.get(planned.id, 0) + 1
                worker.run, worker.since = planned, time.monotonic()
                try:
                    worker.tasks.send(planned)
                except OSError:
                    continue  # it has died; its connection says so in a moment

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        end, lifeline = context.Pipe(duplex=False)
        before = {name: os.environ.get(name) for name in ENVIRONMENT}
        os.environ.update(ENVIRONMENT)
        try:
            process = context.Process(
                target=work,
                args=(self._packed, theirs, end, str(self.job.folder)),
                daemon=True,
                name="signorini-worker",
            )
            process.start()
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
        theirs.close()
        end.close()
        return _Worker(process, ours, lifeline)

    def _listen(self, worker: _Worker) -> Outcome | None:
        """Take a message of a worker, or notice its death."""
        try:
            kind, content = worker.tasks.recv()
        except (EOFError, OSError):
            return self._bury(worker)
        if kind == "ready":
            worker.ready, self._failed_starts = True, 0
            return None
        if kind == "unable":
            raise InputError(f"a worker process cannot do this sweep: {content}")
        if kind == "full":
            raise DiskFullError(content)
        planned, worker.run = worker.run, None
        assert planned is not None
        return self._judged(planned, content, worker.process.pid)

    def _bury(self, worker: _Worker) -> Outcome | None:
        self._workers.remove(worker)
        worker.process.join()
        code = worker.process.exitcode or 0
        worker.end()
        if worker.run is None:
            self._failed_starts += not worker.ready
            if self._failed_starts >= MOST_FAILED_STARTS:
                raise InputError(
                    f"worker processes end before they are ready ({_ended(code)}): call sg.sweep under `if __name__ == "
                    "'__main__':`, and see the messages above"
                )
            return None
        crashed = Outcome(worker.run.id, "crashed", f"the process of the run {_ended(code)}", transient=True)
        return self._judged(worker.run, crashed, worker.process.pid)

    def _judged(self, planned: PlannedRun, outcome: Outcome, process: int | None) -> Outcome | None:
        """The outcome if it is final; a run that may come out better next time goes to the front of the queue."""
        attempts = self._attempts[planned.id]
        if outcome.transient and attempts <= self.retries:
            self._waiting.appendleft(planned)
            return None
        outcome.measured |= {"attempts": attempts, "worker": str(process)}
        return outcome

    def _over_limit(self, worker: _Worker) -> Outcome | None:
        """Kill a worker whose run has exceeded a limit and did not end by itself."""
        limits, error = self.job.limits, None
        if worker.run is None:
            return None
        if limits.seconds is not None and time.monotonic() - worker.since > limits.seconds + GRACE:
            error = limits.time_error()
        elif limits.memory is not None and resident_bytes(worker.process.pid or 0) > limits.memory:
            error = limits.memory_error()
        return None if error is None else self._killed(worker, error)

    def _killed(self, worker: _Worker, error: LimitError) -> Outcome | None:
        planned = worker.run
        assert planned is not None
        self._workers.remove(worker)
        worker.end()
        return self._judged(planned, Outcome(planned.id, error.status, str(error)), worker.process.pid)


def _ended(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    return f"was ended by signal {-code} ({name})"

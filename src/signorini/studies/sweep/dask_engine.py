"""The engine of a sweep on a Dask cluster (extra `sweep`): the same runs, on the workers of a scheduler that is running."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signorini.errors import DiskFullError, InputError, MissingExtraError, SimulationStoppedError
from signorini.studies.sweep.one_run import Job, Outcome, perform
from signorini.studies.sweep.plan import PlannedRun
from signorini.studies.sweep.worker import pack

CONNECT_SECONDS = 10.0
"""Time in which a scheduler must answer [s]."""
AHEAD = 2
"""Runs that are sent ahead for each thread of the cluster: workers never wait, and little is done twice if one dies."""
WORKERLESS_SECONDS = 600.0
"""Time without any worker after which the sweep ends [s]: new ones may be on their way, but nobody should wait in vain."""
LOOK_SECONDS, POLL_SECONDS = 5.0, 0.01
"""Time between looks whether there are workers, and whether a run has ended [s]."""
_ONE_AT_A_TIME = threading.Lock()
"""A process does one run at a time: the number of threads of BLAS belongs to the process."""


@dataclass(slots=True)
class DaskEngine:
    """Does the runs of a job on the workers of a Dask scheduler. Used as a context manager."""

    job: Job
    address: str
    retries: int
    _client: Any = None
    _attempts: dict[str, int] = field(default_factory=dict)
    _quiet: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def __enter__(self) -> DaskEngine:
        self._client = connect(self.address)
        try:
            self._check_directory()
        except BaseException:
            self._client.close()
            raise
        self._quiet.enter_context(_without_log("distributed.client"))
        return self

    def __exit__(self, *_: object) -> None:
        with self._quiet, contextlib.suppress(Exception):  # whatever the connection thinks of it: the sweep is over
            self._client.close(timeout=CONNECT_SECONDS)

    def outcomes(self, runs: Sequence[PlannedRun]) -> Iterator[Outcome]:
        """The outcomes in the order in which runs end. A worker that dies costs at most the runs that it was doing."""
        try:
            yield from self._outcomes(runs)
        except Exception:
            if self._client.status == "running":
                raise
            raise self._stopped("is gone") from None

    def _outcomes(self, runs: Sequence[PlannedRun]) -> Iterator[Outcome]:
        from distributed import as_completed

        packed = pack(self.job)
        waiting, suspects = list(reversed(runs)), []
        pending: dict[Any, PlannedRun] = {}
        completed = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
        while waiting or pending or suspects:
            if not waiting and not pending:
                waiting.append(suspects.pop())  # alone, because Dask blames also a run that only waited for its worker
            while waiting and len(pending) < AHEAD * max(1, sum(self._client.nthreads().values())):
                planned = waiting.pop()
                attempt = self._attempts[planned.id] = self._attempts.get(planned.id, 0) + 1
                key = f"signorini-{planned.id}-{attempt}-{uuid.uuid4().hex[:8]}"
                future = self._client.submit(perform_packed, packed, planned, key=key, pure=False)
                pending[future] = planned
                completed.add(future)
            self._wait(completed)
            future, result = next(completed)
            planned = pending.pop(future)
            if future.status in ("cancelled", "lost"):
                raise self._stopped("is gone")
            outcome = result if isinstance(result, Outcome) else _lost(planned, future.exception())
            if outcome.transient and self._attempts[planned.id] <= self.retries:
                (suspects if outcome.status == "crashed" else waiting).append(planned)
                continue
            outcome.measured["attempts"] = self._attempts[planned.id]
            yield outcome

    def _wait(self, completed: Any) -> None:
        """Wait until the outcome of a run is here, as long as there are workers, or may be some again."""
        alone = looked = time.monotonic()
        while not completed.has_ready():
            time.sleep(POLL_SECONDS)
            now = time.monotonic()
            if now - looked < LOOK_SECONDS:
                continue
            looked = now
            if self._client.nthreads():
                alone = now
            elif now - alone > WORKERLESS_SECONDS:
                raise self._stopped(f"has had no workers for {WORKERLESS_SECONDS:.0f} s")

    def _stopped(self, what: str) -> SimulationStoppedError:
        return SimulationStoppedError(
            f"the Dask scheduler at {self.address!r} {what}: the runs that are finished stay in {str(self.job.out)!r}; mend the "
            "cluster and give the same command again"
        )

    def _check_directory(self) -> None:
        """Refuse workers that cannot see the directory into which they are to write."""
        if not self.job.keep_runs and self.job.layout is None:
            return
        token = self.job.out / f".seen-by-workers.{uuid.uuid4().hex}"
        token.touch()
        try:
            seen = self._client.run(_exists, str(token))
        finally:
            token.unlink(missing_ok=True)
        for worker, sees in seen.items():
            if not sees:
                raise InputError(
                    f"the worker {worker} of {self.address} does not see {str(self.job.out)!r}: choose a directory on a file "
                    "system that all share with -o, or leave out runs and data set with --no-runs"
                )


def connect(address: str) -> Any:
    """A client of the scheduler at `address`, or an `InputError` if there is none."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError(
            'a Dask cluster needs the package distributed: pip install "signorini[sweep]"'
        ) from None
    try:
        with _without_log("distributed", "distributed.client"):
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
            workers = client.nthreads()
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"there is no Dask scheduler at {address!r} ({error or type(error).__name__}): start one with `dask scheduler` and "
            "workers with `dask worker ADDRESS --nthreads 1`, or leave out --scheduler"
        ) from None
    if not workers:
        client.close()
        raise InputError(
            f"the Dask scheduler at {address!r} has no workers: start some with `dask worker {address} --nthreads 1`"
        )
    return client


@contextlib.contextmanager
def _without_log(*names: str) -> Iterator[None]:
    """Silence loggers: what they would say at length is an error of one sentence."""
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def perform_packed(packed: bytes, planned: PlannedRun) -> Outcome:
    """Do a run in a Dask worker."""
    job = _unpacked(packed)
    with _ONE_AT_A_TIME:
        outcome = perform(job, planned)
    outcome.measured["worker"] = _worker_name()
    return outcome


_jobs: dict[bytes, Job] = {}


def _unpacked(packed: bytes) -> Job:
    """The job of these bytes, of which a worker keeps the last."""
    if packed not in _jobs:
        _jobs.clear()
        _jobs[packed] = pickle.loads(packed)
    return _jobs[packed]


def _lost(planned: PlannedRun, error: BaseException) -> Outcome:
    """The outcome of a run that Dask could not do."""
    from distributed import KilledWorker

    if isinstance(error, DiskFullError):
        raise error
    if isinstance(error, KilledWorker):  # Dask has tried it again by itself
        reason = f"{error.allowed_failures + 1} workers that did the run have died"
    else:
        what = " ".join(str(error).split())
        reason = f"the worker of the run was lost ({type(error).__name__}: {what})"
    return Outcome(planned.id, "crashed", reason, transient=True)


def _exists(path: str) -> bool:
    return Path(path).exists()


def _worker_name() -> str:
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return str(os.getpid())

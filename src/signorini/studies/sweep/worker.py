"""A worker process of a sweep: it loads everything once, then does one run after another until it is told to end."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from signorini.errors import DiskFullError, InputError

ENVIRONMENT: dict[str, str] = {
    "SIGNORINI_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
}
"""Environment of a worker: one thread each, so that workers do not disturb one another and bits do not depend on their
number; and no word of Python's on the semaphores of a worker that was killed."""
PARENT_DIED = 3
"""Exit code of a worker whose sweep was killed."""


def pack(value: Any) -> bytes:
    """A job as bytes; functions that are defined in a script or a notebook need cloudpickle, which comes with Dask."""
    try:
        import cloudpickle as packer
    except ImportError:
        packer = pickle
    try:
        return packer.dumps(value)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"the functions of this sweep cannot be sent to its worker processes ({error}): define them in a module, or install "
            'cloudpickle (pip install "signorini[sweep]")'
        ) from None


def work(packed: bytes, tasks: Connection, lifeline: Connection, folder: str) -> None:
    """Main function of a worker process.

    `tasks` brings planned runs and takes messages (kind, content): ready, done, full (the disk), unable (to start).
    `lifeline` says nothing; it closes when the sweep dies, however that happens.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the sweep, which ends its workers
    threading.Thread(target=_die_with_parent, args=(lifeline,), daemon=True).start()
    sys.path.insert(0, folder)
    try:
        from signorini.studies.sweep.metrics import find_metrics
        from signorini.studies.sweep.one_run import Job, perform

        job: Job = pickle.loads(packed)
        find_metrics(job.plan.metrics, Path(folder))
    except BaseException as error:
        tasks.send(("unable", f"{type(error).__name__}: {error}"))
        return
    tasks.send(("ready", os.getpid()))
    while True:
        try:
            planned = tasks.recv()
        except (EOFError, OSError):
            return
        if planned is None:
            return
        try:
            message = ("done", perform(job, planned))
        except DiskFullError as error:
            message = ("full", str(error))
        tasks.send(message)


def _die_with_parent(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(PARENT_DIED)

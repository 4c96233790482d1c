"""Number of threads of a simulation: what the caller or the environment says, else the cores of this machine."""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import cache
from pathlib import Path

from signorini.checks import check_count
from signorini.errors import InputError

VARIABLE = "SIGNORINI_THREADS"
"""Environment variable with the number of threads of simulations that are not given one."""
MOST = 16
"""Threads that a kernel can make use of: it has at most as many blocks of work."""


def thread_count(threads: int | None = None) -> int:
    """The number of threads to use, from the argument, SIGNORINI_THREADS or the number of cores, whichever is given first.

    It is one in a process that is one of several workers: these share the cores already.
    """
    if threads is not None:
        return check_count("threads", threads, least=1)
    asked = os.environ.get(VARIABLE, "").strip()
    if asked:
        if not asked.isdecimal() or int(asked) < 1:
            raise InputError(f"{VARIABLE} must be an integer of at least 1, got {asked!r}")
        return check_count(VARIABLE, int(asked), least=1)
    return 1 if is_worker() else min(physical_cores(), MOST)


def is_worker() -> bool:
    """Whether this process is a worker of multiprocessing, pytest-xdist, joblib or Dask."""
    if multiprocessing.parent_process() is not None or "PYTEST_XDIST_WORKER" in os.environ:
        return True
    distributed = sys.modules.get("distributed.worker")
    return distributed is not None and bool(getattr(getattr(distributed, "Worker", None), "_instances", ()))


@cache
def physical_cores() -> int:
    """The cores that this process may run on; two threads of one core count once."""
    try:
        allowed = os.sched_getaffinity(0)
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1
    siblings = set()
    for cpu in allowed:
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            siblings.add(path.read_text(encoding="ascii").strip())
        except OSError:
            siblings.add(str(cpu))
    return max(len(siblings), 1)

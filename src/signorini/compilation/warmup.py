"""Compilation ahead of use, in several processes: `signorini warmup`, and the first simulation on a machine."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from signorini.compilation.kernel_list import CONTACT, Entry, kernel_list

FEW = 5
"""So many kernels of the list are compiled by the simulation itself; for more it starts other processes."""
MOST_PROCESSES = 8
"""More were not tried; the largest kernel of the first contact takes a third of the time of all."""

LAWS = tuple(
    f"signorini.elements.laws.{name}"
    for name in ("corotational", "neo_hookean", "stable_neo_hookean", "mooney_rivlin", "ogden")
)
"""The modules that compile copies of the loops over tetrahedra (`specialised`)."""


def warmup(*, processes: int | None = None, progress: Callable[[str], None] | None = None) -> int:
    """Compile every kernel that simulations use and that is not on disk yet; the number of kernels that were compiled.

    Uses as many processes as there are cores. `progress` is called with one line of text whenever a kernel is ready.
    """
    from signorini.errors import InputError

    if processes is not None and processes < 1:
        raise InputError(f"processes must be at least 1, got {processes}")
    everything = [entry for group in kernel_list().values() for entry in group]
    load_kernels(everything)
    entries = missing(everything)
    if not entries:
        return 0
    done = 0

    def count(entry: Entry) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(f"compiling kernels: {done} of {len(entries)}, {_short(entry)}")

    team = Team(entries, min(processes or cores(), MOST_PROCESSES, len(entries)), count)
    try:
        team.wait()
    finally:
        team.stop()
    return len(entries) - len(missing(entries))


def compile_ahead(group: str = CONTACT) -> None:
    """Let other processes compile a group of kernels if hardly any of it is on disk, while this one goes on.

    Each kernel is compiled once: who needs one that is being compiled waits for it. SIGNORINI_COMPILE_PROCESSES=1 turns it off.
    """
    if group not in _considered:
        _considered.add(group)
        others = min(cores(), MOST_PROCESSES) - 1
        if others > 0 and not _is_helper() and Path(sys.executable).name.startswith("python"):
            entries = kernel_list().get(group, ())
            load_kernels(entries)  # the simulation needs them too
            _start_helpers(missing(entries), others)


_considered: set[str] = set()


def _start_helpers(entries: list[Entry], processes: int) -> None:
    from signorini.compilation.announcement import watch_compilation
    from signorini.compilation.kernel_cache import locks

    if len(entries) <= FEW:
        return
    watch_compilation().expect(functools.partial(_left, entries), len(entries))
    if locks().acquire(HELPERS_LOCK, wait=False):  # one simulation of those that start at the same time has helpers
        with contextlib.suppress(OSError):  # no process may be started here: the simulation compiles alone
            atexit.register(Team(entries, processes, lambda entry: None).stop)


HELPERS_LOCK = "f" * 15
"""The digest whose lock is held by the process that has helpers."""


def _left(entries: list[Entry]) -> int:
    return len(missing(entries))


def cores() -> int:
    """The processes to use: $SIGNORINI_COMPILE_PROCESSES, or the cores that this process may run on."""
    given = os.environ.get("SIGNORINI_COMPILE_PROCESSES")
    if given is not None:
        return int(given) if given.isdecimal() and int(given) > 0 else 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load_kernels(entries: Sequence[Entry]) -> None:
    """Import the modules of kernels, and those of the laws of solids, which make copies of them."""
    for module in (*LAWS, *sorted({entry.kernel.split(":")[0] for entry in entries})):
        with contextlib.suppress(ImportError):
            import_module(module)


def missing(entries: Sequence[Entry]) -> list[Entry]:
    """The entries that are not on disk, largest first. Those whose kernel is not loaded, or has changed, are left out."""
    from signorini.compiled import KERNELS

    found = []
    for entry in entries:
        kernel = KERNELS.get(entry.kernel)
        with contextlib.suppress(ImportError, AttributeError):
            if kernel is not None and not kernel.cache.is_kept(entry.signature):
                found.append(entry)
    return sorted(found, key=lambda entry: -entry.size)


class Team:
    """Processes that compile the kernels of a list, each the next one that is left."""

    def __init__(self, entries: Sequence[Entry], processes: int, done: Callable[[Entry], None]) -> None:
        self._waiting: queue.SimpleQueue[Entry] = queue.SimpleQueue()
        self._done = done
        self._owner = os.getpid()
        for entry in entries:
            self._waiting.put(entry)
        self._members = [_start_member() for _ in range(processes)]
        self._threads = [threading.Thread(target=self._serve, args=(m,), daemon=True) for m in self._members]
        for thread in self._threads:
            thread.start()

    def _serve(self, member: subprocess.Popen[str]) -> None:
        """Give one process an entry after the other. A process that fails is given no more."""
        assert member.stdin is not None and member.stdout is not None
        with contextlib.suppress(OSError, ValueError, queue.Empty):
            while True:
                entry = self._waiting.get_nowait()
                member.stdin.write(json.dumps(list(entry)) + "\n")
                member.stdin.flush()
                if not member.stdout.readline():
                    break
                self._done(entry)
        with contextlib.suppress(OSError, ValueError):
            member.stdin.close()  # it ends

    def wait(self) -> None:
        """Wait until all is compiled."""
        while any(thread.is_alive() for thread in self._threads):
            time.sleep(0.02)

    def stop(self) -> None:
        """End the processes; what they have compiled stays. A fork of this process ends nothing."""
        for member in self._members if os.getpid() == self._owner else ():
            member.kill()
            member.wait()


def _start_member() -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "SIGNORINI_COMPILE_HELPER": "1",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "signorini.compilation.warmup"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,  # Ctrl-C is for the simulation, which then ends them
    )


def _is_helper() -> bool:
    return "SIGNORINI_COMPILE_HELPER" in os.environ


def _short(entry: Entry) -> str:
    return entry.kernel.removeprefix("signorini.").replace("_kernels:", " ")


def _serve_entries() -> None:
    """What a member of a team does: read an entry, compile it, say so."""
    answers, sys.stdout = sys.stdout, sys.stderr
    from signorini.compiled import KERNELS

    for line in sys.stdin:
        entry = Entry(*json.loads(line))
        load_kernels([entry])
        with contextlib.suppress(Exception):  # a list that is out of date; the kernel is compiled when it is needed
            kernel = KERNELS[entry.kernel]
            if not kernel.cache.is_kept(entry.signature):
                kernel.compile(entry.signature)
        answers.write("done\n")
        answers.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        _serve_entries()

"""What becomes of a call or of a command: taken, refused in a sentence, ended by a traceback or a signal, or hanging."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import signorini as sg

PATIENCE = 20
"""Wall time after which a call counts as one that hangs [s]."""
MEMORY = 3 << 30
"""Address space that a child may take where a mesh is too large [bytes]."""


def judged(call: Callable[[], object]) -> str:
    """What becomes of a call: "taken", "refused", "traceback" or "hangs"."""

    def ring(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(PATIENCE)
    try:
        call()
    except TimeoutError:
        return "hangs"
    except (sg.InputError, sg.SimulationStoppedError):
        return "refused"
    except BaseException:
        return "traceback"
    finally:
        signal.alarm(0)
    return "taken"


def counted(found: list[str]) -> str:
    """How often each outcome was found."""
    return ", ".join(f"{n} {what}" for what, n in sorted(Counter(found).items()))


def command(*arguments: str, memory: int | None = None, cwd: str | None = None, stdin: str = "") -> str:
    """What becomes of the command line with these arguments, in a process of its own."""

    def limit() -> None:
        import resource

        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    call = [sys.executable, *(["-c", stdin] if stdin else ["-m", "signorini", *arguments])]
    try:
        done = subprocess.run(
            call, capture_output=True, text=True, timeout=10 * PATIENCE, cwd=cwd, preexec_fn=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return "hangs"
    said = done.stderr + done.stdout
    if done.returncode < 0:
        return f"killed by {signal.Signals(-done.returncode).name}"
    if "Traceback (most recent call last)" in said or "MemoryError" in said:
        return "traceback"
    return "taken" if done.returncode == 0 else "refused"

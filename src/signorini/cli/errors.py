"""Errors on the command line: one sentence on standard error and a documented exit code."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import typer

from signorini.errors import DiskFullError, InputError, MissingExtraError, SimulationStoppedError, shortened


@contextlib.contextmanager
def exit_codes() -> Iterator[None]:
    """Turn the errors that a user can meet into one sentence on standard error and an exit code.

    Code 1: the simulation could not be continued. Code 2: bad input or a full disk. Code 130: Ctrl-C.
    """
    if getattr(signal.getsignal(signal.SIGINT), "__name__", "") == "stop_loading":  # of the entry point
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except (InputError, MissingExtraError, DiskFullError) as error:
        fail(str(error), 2)
    except SimulationStoppedError as error:
        fail(str(error), 1)
    except MemoryError as error:
        fail(f"there is not enough memory for this ({error or 'nothing is left'}): make the scene smaller", 2)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), 2)
    except KeyboardInterrupt:
        fail("interrupted", 130)


@contextlib.contextmanager
def interruptible(out: Path) -> Iterator[None]:
    """Turn Ctrl-C during a run into a sentence that says how to continue the run in the directory `out`."""
    try:
        yield
    except KeyboardInterrupt:
        fail(f"interrupted; everything up to here is in {out}, continue with `signorini resume {out}`", 130)


def wait_for_interrupt() -> None:
    """Return when the user presses Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600.0)


def fail(message: str, code: int) -> NoReturn:
    """End the command with a sentence and an exit code."""
    say(f"signorini: {shortened(message)}", err=True)
    raise typer.Exit(code)


def say(text: str, *, err: bool = False) -> None:
    """Print one line as it is: a name from the disk may hold what no terminal can show, and a line must stay one."""
    line = " ".join(text.splitlines()).encode("utf-8", "backslashreplace").decode()
    typer.echo(line, err=err)

"""Errors on the command line: one sentence on standard error and the exit code of the contract."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

import typer

from signorini.errors import DiskFullError, InputError, MissingExtraError, SimulationStoppedError


@contextlib.contextmanager
def exit_codes() -> Iterator[None]:
    """Errors that a user can meet become one sentence on stderr and the exit code of the contract."""
    try:
        yield
    except (InputError, MissingExtraError, DiskFullError) as error:
        fail(str(error), 2)
    except SimulationStoppedError as error:
        fail(str(error), 1)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), 2)
    except KeyboardInterrupt:
        fail("interrupted", 130)


def fail(message: str, code: int) -> NoReturn:
    """End the command with a sentence and an exit code."""
    typer.echo(f"signorini: {message}", err=True)
    raise typer.Exit(code)

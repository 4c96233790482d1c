"""The command `signorini warmup`: compile all kernels now."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say

EXAMPLE = "Example: `signorini warmup --processes 4`"


def warmup(
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that compile at the same time; default: one per core, at most 8."),
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Compile everything once for this machine, so that no simulation has to wait for it."""
    with exit_codes():
        from signorini.compilation.cache_place import cache_place
        from signorini.compilation.warmup import warmup as compile_all

        started = time.monotonic()
        place = cache_place()
        if place.remark and not quiet:
            say(f"signorini: {place.remark}", err=True)
        count = compile_all(processes=processes, progress=None if quiet else _show)
        if not quiet:
            if sys.stderr.isatty() and count:
                typer.echo("\r\033[K", nl=False, err=True)
            what = (
                f"compiled {count} kernels in {time.monotonic() - started:.0f} s"
                if count
                else "nothing is left to compile"
            )
            say(f"{what}; they are in {place.written}")


def _show(line: str) -> None:
    """One line that is replaced on a terminal; a line each time elsewhere."""
    if sys.stderr.isatty():
        typer.echo(f"\r\033[K{line[:100]}", nl=False, err=True)
    else:
        typer.echo(line, err=True)

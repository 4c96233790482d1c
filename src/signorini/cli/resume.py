"""The command `signorini resume`: continue an interrupted run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, interruptible
from signorini.cli.summary_table import print_summary

EXAMPLE = "Example: `signorini resume runs/falling-cloth --seconds 8`"


def resume(
    directory: Annotated[Path, typer.Argument(metavar="OUT", help="The output directory of an earlier run.")],
    seconds: Annotated[
        float | None, typer.Option(help="Simulated time to reach [s]; default: what the run was asked for.")
    ] = None,
    threads: common.Threads = None,
    quiet: common.Quiet = False,
    as_json: common.Json = False,
) -> None:
    """Continue an interrupted run from its last checkpoint, exactly as if it had not been interrupted."""
    with exit_codes():
        from functools import partial

        from signorini.files.runs.runner import resume_directory
        from signorini.simulation.simulation import Simulation

        common.announce_compilation(quiet=quiet or as_json)
        shown = common.progress_is_shown(quiet=quiet or as_json)
        with interruptible(directory):
            summary = resume_directory(
                directory, seconds=seconds, progress=shown, simulation=partial(Simulation, threads=threads)
            )
        print_summary(summary, directory, quiet=quiet, as_json=as_json)

"""The command `signorini report`: a page that explains a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say

EXAMPLE = "Example: `signorini report runs/drape` or `signorini report runs/drape -o drape.html`"


def report(
    directory: common.RunArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default OUT/report.html.")
    ] = None,
    film: Annotated[bool, typer.Option(help="Put a film on the page (needs the extra `render`).")] = True,
) -> None:
    """Write one page about a run: film, scene, verdict, time, contacts, residuals, energy, and the worst steps."""
    with exit_codes():
        from signorini.reports.run_report import write_report

        shown = common.progress_is_shown(quiet=False)
        say(str(write_report(directory, output, film=film, progress=shown)))

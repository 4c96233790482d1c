"""Options that several commands have."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

SceneArgument = Annotated[str, typer.Argument(metavar="SCENE", help="A name from `signorini scenes`, or a .toml file.")]
RunArgument = Annotated[Path, typer.Argument(metavar="OUT", help="The output directory of a run.")]
Seconds = Annotated[float | None, typer.Option(help="Simulated time [s].")]
Fps = Annotated[float | None, typer.Option(help="Frames stored per simulated second.")]
Friction = Annotated[float | None, typer.Option(help="Friction coefficient of all bodies.")]
Stiffness = Annotated[
    float | None, typer.Option(help="Multiply all stiffnesses of cloth, rods and soft solids by this.")
]
Resolution = Annotated[
    int | None, typer.Option(help="Resolution of a gallery scene (vertices along an edge of its cloth).")
]
SceneOptions = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="NAME=VALUE", help="An option that only this gallery scene has; repeatable."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no table.")]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on standard output, nothing else.")]


def progress_is_shown(*, quiet: bool) -> bool:
    """Whether a progress bar is drawn: only for somebody who looks at a terminal."""
    return not quiet and sys.stderr.isatty()

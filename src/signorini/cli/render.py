"""The command `signorini render`: pictures and films of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say
from signorini.errors import InputError

EXAMPLE = "Example: `signorini render runs/falling-cloth --frame -1` or `signorini render runs/drape --film`"


def render(
    directory: common.RunArgument,
    frame: Annotated[int | None, typer.Option(help="Frame of the picture; -1 (default) is the last.")] = None,
    film: Annotated[bool, typer.Option("--film", help="Make a film (mp4) of all frames.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default OUT/picture.png or OUT/film.mp4.")
    ] = None,
    width: Annotated[int, typer.Option(help="Width in pixels.")] = 1280,
    height: Annotated[int, typer.Option(help="Height in pixels.")] = 720,
) -> None:
    """Make a picture of one frame, or a film of all of them (needs the extra `render`)."""
    with exit_codes():
        from signorini.files.runs.trajectory import Trajectory
        from signorini.render.pictures import render_film, render_frame

        if film and frame is not None:
            raise InputError("give either --frame or --film, not both")
        trajectory = Trajectory.open(directory)
        target = output or directory / ("film.mp4" if film else "picture.png")
        size = (width, height)
        if film:
            render_film(trajectory, target, size=size, progress=common.progress_is_shown(quiet=False))
        else:
            render_frame(trajectory, -1 if frame is None else frame, target, size=size)
        say(str(target))

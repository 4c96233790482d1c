"""The command `signorini render`: pictures and films of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say
from signorini.errors import InputError

EXAMPLE = "Example: `signorini render runs/falling-cloth --frame -1` or `signorini render runs/drape --film --orbit 90`"


def render(
    directory: common.RunArgument,
    frame: Annotated[int | None, typer.Option(help="Frame of the picture; -1 (default) is the last.")] = None,
    film: Annotated[bool, typer.Option("--film", help="Make a film of all frames (mp4; -o x.webp, x.gif).")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default OUT/picture.png or OUT/film.mp4.")
    ] = None,
    camera: Annotated[str | None, typer.Option(metavar="X,Y,Z", help="Where the camera is [m].")] = None,
    look_at: Annotated[
        str | None, typer.Option(metavar="X,Y,Z", help="The point in the middle of the picture [m].")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="With --film, only every n-th frame.")] = 1,
    hide: Annotated[
        list[str] | None, typer.Option(metavar="BODY", help="Leave a body out, to see what is behind it; repeatable.")
    ] = None,
    orbit: Annotated[float, typer.Option(help="Turn the camera by so many degrees during a film.")] = 0.0,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Draw contact forces (of a run with --contacts).")
    ] = False,
    subdivide: Annotated[bool, typer.Option(help="Draw cloth as a smooth surface.")] = True,
    width: Annotated[int, typer.Option(help="Width in pixels.")] = 1280,
    height: Annotated[int, typer.Option(help="Height in pixels.")] = 720,
) -> None:
    """Make a picture of one frame, or a film of all of them (which needs the extra `render`)."""
    with exit_codes():
        from signorini.files.runs.trajectory import Trajectory
        from signorini.render.pictures import parse_point, render_film, render_frame

        if film and frame is not None:
            raise InputError("give either --frame or --film, not both")
        trajectory = Trajectory.open(directory)
        target = output or directory / ("film.mp4" if film else "picture.png")
        if orbit and not film:
            raise InputError("--orbit is for --film: a picture has one camera")
        if every != 1 and not film:
            raise InputError("--every is for --film; --frame chooses the frame of a picture")
        options: dict[str, Any] = {
            "size": (width, height),
            "camera": parse_point("--camera", camera),
            "look_at": parse_point("--look-at", look_at),
            "contacts": contacts,
            "subdivide": subdivide,
            "hide": hide or (),
        }
        if film:
            shown = common.progress_is_shown(quiet=False)
            render_film(trajectory, target, orbit=orbit, every=every, progress=shown, **options)
        else:
            render_frame(trajectory, -1 if frame is None else frame, target, **options)
        say(str(target))

"""The command `signorini export`: the frames of a run in a file format of another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say

EXAMPLE = "Example: `signorini export runs/drape frames.obj --body sheet --every 2`"


def export(
    directory: common.RunArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="File to write; its ending (obj, ply, npz) chooses the format.")
    ],
    body: Annotated[list[str] | None, typer.Option(help="Only this body; repeatable.")] = None,
    every: Annotated[int, typer.Option(help="Only every so many frames, from the first.")] = 1,
) -> None:
    """Write the frames of a run as meshes that other programs read: one file a frame for obj and ply."""
    with exit_codes():
        from signorini.files.exports.export import export as write

        written = write(directory, file, bodies=body, every=every)
        say(str(written[0]) if len(written) == 1 else f"{written[0]} to {written[-1].name}")

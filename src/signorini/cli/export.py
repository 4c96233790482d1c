"""The command `signorini export`: the frames of a run in a file format of another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say

EXAMPLE = "Example: `signorini export runs/drape drape.usdc --body sheet --up y --scale 100`"


def export(
    directory: common.RunArgument,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="File to write; its ending chooses the format: usd, usda, usdc, glb, gltf, pc2, mdd, obj, ply, pvd, vtkhdf, npz",
        ),
    ],
    body: Annotated[list[str] | None, typer.Option(help="Only this body; repeatable.")] = None,
    every: Annotated[int, typer.Option(help="Only every so many frames, from the first.")] = 1,
    up: Annotated[
        str | None, typer.Option(help="Axis that points up in the file: x, y or z; default z, in glTF y.")
    ] = None,
    scale: Annotated[float, typer.Option(help="Factor of all coordinates: 100 writes centimetres.")] = 1.0,
) -> None:
    """Write the frames of a run for other programs: animations, point caches, sequences of meshes, series for ParaView."""
    with exit_codes():
        from signorini.files.exports.export import export as write

        axis: Any = up
        written = write(directory, file, bodies=body, every=every, up=axis, scale=scale)
        say(str(written[0]) if len(written) == 1 else f"{written[0]} to {written[-1].name}")

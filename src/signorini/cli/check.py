"""The command `signorini check`: what is wrong with a mesh or a scene, where, and what repairs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from signorini.cli.errors import exit_codes, say

EXAMPLE = (
    "Example: `signorini check coat.obj --unit cm --up y --repair` or `signorini check scene.toml --picture faults.png`"
)


def check(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SCENE|MESH", help="A mesh file, a scene file (.toml), or a name from `signorini scenes`."
        ),
    ],
    up: Annotated[str | None, typer.Option(help="Axis that points up in a mesh file: x, y or z.")] = None,
    scale: Annotated[float, typer.Option(help="Factor of all coordinates of a mesh file.")] = 1.0,
    unit: Annotated[str | None, typer.Option(help="Unit of a mesh file: um, mm, cm, m, km, in or ft.")] = None,
    mend: Annotated[
        bool, typer.Option("--repair", help="Do what is safe, into a new file NAME.repaired.*, and check that.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The new file of --repair.")] = None,
    ply: Annotated[
        Path | None, typer.Option(help="Write the surfaces with their faults in colour to this PLY file.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="Draw the surfaces with their faults in colour to this PNG file."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Say what is wrong with a mesh or a scene, where, and what would repair it. Exit code 1 if there is an error."""
    with exit_codes():
        from signorini.diagnosis.check import check as examine
        from signorini.diagnosis.check import repair

        options: dict[str, Any] = {"up": up, "scale": scale, "unit": unit}
        report = repair(source, output, **options) if mend else examine(source, **options)
        if ply is not None:
            from signorini.diagnosis.coloured_mesh import write_coloured_ply

            write_coloured_ply(report, ply)
        if picture is not None:
            from signorini.diagnosis.fault_picture import draw_faults

            draw_faults(report, picture)
        if as_json:
            typer.echo(json.dumps(report.to_dict(), indent=2))
        else:
            for line in repr(report).splitlines():
                say(line)
            for path in (*report.written, *(file for file in (ply, picture) if file is not None)):
                say(f"  written: {path}")
        raise typer.Exit(0 if report.ok else 1)

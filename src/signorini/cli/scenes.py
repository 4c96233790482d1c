"""The command `signorini scenes`: the list of built-in scenes, and one of them written out as a scene file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, say
from signorini.errors import InputError

EXAMPLE = "Example: `signorini scenes --json` or `signorini scenes drape --write drape/scene.toml`"
_COLUMNS = ("name", "title", "dt", "seconds", "fps", "figure")


def scenes(
    name: Annotated[str | None, typer.Argument(help="One scene: say what it is, or write it out.")] = None,
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FILE", help="Write the scene NAME to this .toml file, with its meshes."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    friction: common.Friction = None,
    stiffness: common.Stiffness = None,
    resolution: common.Resolution = None,
    options: common.SceneOptions = None,
) -> None:
    """List the built-in scenes, or write one to a scene file that runs to the identical result."""
    with exit_codes():
        from signorini.gallery import SCENES, find

        if write is not None:
            changes = {"friction": friction, "stiffness": stiffness, "resolution": resolution, "options": options}
            say(str(_write(name, write, **changes)))
            return
        entries = list(SCENES.values()) if name is None else [find(name)]
        if as_json:
            rows = [{column: getattr(entry, column) for column in _COLUMNS} for entry in entries]
            typer.echo(json.dumps(rows, indent=2))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table("name", "what happens", "seconds", r"dt \[ms]", box=None, header_style="bold")
        for entry in entries:
            table.add_row(entry.name, entry.title, f"{entry.seconds:g}", f"{1e3 * entry.dt:g}")
        Console().print(table)


def _write(name: str | None, file: Path, **changes) -> Path:
    """Write a gallery scene, with the changes of the command line, to a new scene file."""
    from signorini.cli.scene_options import load_scene_argument
    from signorini.files.scenes.scene_file import load_scene, save_scene
    from signorini.files.scenes.scene_writer import mesh_folder

    if name is None:
        raise InputError("--write needs the name of a scene, as in `signorini scenes drape --write drape/scene.toml`")
    if file.suffix != ".toml":
        raise InputError(f"file {str(file)!r} must end in .toml")
    for taken in (file, file.parent / mesh_folder(file)):
        if taken.exists():
            raise InputError(f"{str(taken)!r} exists already: choose another folder")
    loaded = load_scene_argument(name, **changes)
    save_scene(file, loaded.scene, dt=loaded.dt, seconds=loaded.seconds, fps=loaded.fps, settings=loaded.settings)
    load_scene(file)  # a scene with Python code says so now
    return file

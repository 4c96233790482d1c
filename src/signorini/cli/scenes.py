"""The command `signorini scenes`: the list of built-in scenes."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from signorini.cli.errors import exit_codes

EXAMPLE = "Example: `signorini scenes --json`"
_COLUMNS = ("name", "title", "dt", "seconds", "fps", "figure")


def scenes(as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False) -> None:
    """List the built-in scenes."""
    with exit_codes():
        from signorini.gallery import SCENES

        if as_json:
            rows = [{name: getattr(entry, name) for name in _COLUMNS} for entry in SCENES.values()]
            typer.echo(json.dumps(rows, indent=2))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table("name", "what happens", "seconds", r"dt \[ms]", box=None, header_style="bold")
        for entry in SCENES.values():
            table.add_row(entry.name, entry.title, f"{entry.seconds:g}", f"{1e3 * entry.dt:g}")
        Console().print(table)

"""The command `signorini schema`: the keys of a scene file, for editors and for people."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from signorini.cli.errors import exit_codes

EXAMPLE = "Example: `signorini schema > scene.schema.json`"


def schema(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page of all keys instead.")] = False,
) -> None:
    """Print the JSON Schema of scene files, with which editors complete and check them."""
    with exit_codes():
        if markdown:
            from signorini.files.scenes.reference_page import scene_reference

            typer.echo(scene_reference(), nl=False)
            return
        from signorini.files.scenes.json_schema import scene_json_schema

        typer.echo(json.dumps(scene_json_schema(), indent=2, ensure_ascii=False, allow_nan=False))

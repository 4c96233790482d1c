"""The command `signorini doctor`: the state of the installation."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from signorini.cli.errors import exit_codes, say

EXAMPLE = "Example: `signorini doctor --json`"


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False) -> None:
    """Check the installation: versions, threads, compiled kernels, extras, disk. Exit code 1 for a problem."""
    with exit_codes():
        from signorini.diagnosis.doctor import examine_installation

        found = examine_installation()
        if as_json:
            typer.echo(json.dumps([asdict(finding) for finding in found], indent=2))
        else:
            marks = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}
            for finding in found:
                say(f"{marks[finding.state]} {finding.topic:15} {finding.text}")
        raise typer.Exit(1 if any(finding.state == "problem" for finding in found) else 0)

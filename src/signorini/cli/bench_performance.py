"""Commands `signorini bench scenes|kernels|scaling|startup|peers`: time with the accuracy beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from signorini.cli.errors import exit_codes, say
from signorini.cli.json_rows import plain_rows

Json = Annotated[Path | None, typer.Option("--json", help="Write the rows as JSON to this file.")]
Plots = Annotated[Path | None, typer.Option(help="Write a picture to this directory (needs matplotlib).")]
Quick = Annotated[bool, typer.Option("--quick", help="Only what takes seconds.")]


def scenes(
    names: Annotated[list[str] | None, typer.Argument(help="Scenes; default: all that are measured.")] = None,
    json_file: Json = None,
    plots: Plots = None,
    quick: Quick = False,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="Whole runs with the time steps of the scenes, instead of a stretch of each."),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Simulated time of whole runs; default: the scene's own [s].")
    ] = None,
) -> None:
    """Time the steps of built-in scenes, phase by phase."""
    with exit_codes():
        from signorini.errors import InputError
        from signorini.studies.performance.scene_times import find_stretches, time_scenes, time_whole_runs

        if seconds is not None and not whole:
            raise InputError("--seconds is the length of whole runs: add --whole")
        if whole:
            _show("scenes", time_whole_runs(names or [], seconds=seconds), json_file, plots)
        else:
            _show("scenes", time_scenes(find_stretches(names or [], quick=quick)), json_file, plots)


def kernels(json_file: Json = None, plots: Plots = None) -> None:
    """Time single kernels beside what their arithmetic and memory traffic cost at least on this machine."""
    with exit_codes():
        from signorini.studies.performance.kernel_times import time_kernels

        _show("kernels", time_kernels(), json_file, plots)


def scaling(
    names: Annotated[
        list[str] | None, typer.Argument(help="Scenes; default: falling-cloth, layers, soft-stack.")
    ] = None,
    json_file: Json = None,
    plots: Plots = None,
    quick: Quick = False,
) -> None:
    """Time and memory against the size of a scene, with exponents."""
    with exit_codes():
        from signorini.studies.performance.scaling import time_sizes

        _show("scaling", time_sizes(names or [], quick=quick), json_file, plots)


def startup(
    json_file: Json = None,
    plots: Plots = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Also with an empty cache of kernels (a minute).")] = False,
) -> None:
    """Time until something happens in a new process: import, help, first contact."""
    with exit_codes():
        from signorini.studies.performance.start_times import time_starts

        _show("startup", time_starts(fresh=fresh), json_file, plots)


def peers(
    directory: Annotated[Path, typer.Option("--dir", help="Where environments and frames go.")] = Path("peers"),
    scene: Annotated[list[str] | None, typer.Option(help="S1, S2 or S3; repeatable. Default: all.")] = None,
    peer: Annotated[list[str] | None, typer.Option(help="mujoco or newton; repeatable. Default: both.")] = None,
    cpu_limit: Annotated[float, typer.Option(min=1.0, help="CPU time after which a run ends [s].")] = 900.0,
    seconds: Annotated[float, typer.Option(min=0.04, help="Simulated time at most [s].")] = float("inf"),
    threads: Annotated[int, typer.Option(min=1, help="Threads of MuJoCo.")] = 1,
    json_file: Json = None,
    plots: Plots = None,
) -> None:
    """Run the same three scenes in other simulators, one after the other, and check all frames (needs a network for pip)."""
    with exit_codes():
        from signorini.studies.performance.peers.comparison import compare_peers

        rows = compare_peers(
            directory,
            scenes=scene or ["S1", "S2", "S3"],
            peers=peer or ["mujoco", "newton"],
            cpu_limit=cpu_limit,
            seconds=seconds,
            threads=threads,
        )
        _show("peers", rows, json_file, plots)


def _show(kind: str, rows: Iterable[dict[str, Any]], json_file: Path | None, plots: Path | None) -> None:
    """Print rows as a table, and write them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from signorini.studies.performance.tables import LABELS, cells, draw_bars, headings

    found = []
    with Console(stderr=True).status("measuring") as status:
        for row in rows:
            found.append(row)
            status.update(f"measuring; done: {', '.join(LABELS[kind].format(**row) for row in found[-3:])}")
            if json_file is not None:  # what was measured survives an interruption
                json_file.write_text(json.dumps(plain_rows(found), indent=1), encoding="utf-8")
    table = Table(*headings(kind), box=None, header_style="bold")
    for row in found:
        table.add_row(*(Text(cell) for cell in cells(kind, row)))
    console = Console()
    console.print(table) if console.is_terminal else Console(width=240).print(table)
    if plots is not None:
        say(str(draw_bars(kind, found, plots)))

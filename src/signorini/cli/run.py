"""The command `signorini run`: a scene into an output directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, interruptible, say, wait_for_interrupt
from signorini.cli.scene_options import load_scene_argument, read_assignments
from signorini.cli.summary_table import print_summary

EXAMPLE = "Example: `signorini run falling-cloth -o runs/first --seconds 2 --friction 0.5`"


def run(
    scene: common.SceneArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Directory for the results; default runs/SCENE.")
    ] = None,
    seconds: common.Seconds = None,
    dt: common.Step = None,
    fps: common.Fps = None,
    friction: common.Friction = None,
    stiffness: common.Stiffness = None,
    resolution: common.Resolution = None,
    options: common.SceneOptions = None,
    solver: Annotated[str | None, typer.Option(help="Contact solver, short for --set solver.name=...")] = None,
    assign: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, e.g. solver.tolerance=1e-4; repeatable."),
    ] = None,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Store contacts, forces, pressure, strain and stress of every frame.")
    ] = False,
    fields: Annotated[
        bool, typer.Option("--fields", help="Store stress, stretches, tension and pressure of every frame as arrays.")
    ] = False,
    view: Annotated[bool, typer.Option("--view", help="Show the simulation in the browser while it runs.")] = False,
    threads: common.Threads = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an earlier run in the output directory.")] = False,
    quiet: common.Quiet = False,
    as_json: common.Json = False,
) -> None:
    """Simulate SCENE and write everything to a directory."""
    with exit_codes():
        from signorini.files.scenes.scene_changes import changed_settings

        file = load_scene_argument(
            scene, friction=friction, stiffness=stiffness, resolution=resolution, options=options
        )
        assignments = read_assignments(assign or [])
        if solver is not None:
            assignments["solver.name"] = json.dumps(solver)
        settings = changed_settings(file.settings, assignments)
        out = output or Path("runs") / Path(scene).stem

        from signorini.files.runs.output_directory import check_directory
        from signorini.files.runs.runner import run_to_directory

        check_directory(out, force=force)  # before anything expensive

        from signorini.simulation.auto_step import chosen_step
        from signorini.simulation.simulation import Simulation

        fps = file.fps if fps is None else fps
        step, settings = chosen_step(file.dt if dt is None else common.read_step(dt), settings, fps=fps)
        common.announce_compilation(quiet=quiet or as_json)
        sim = Simulation(file.scene, dt=step, settings=settings, threads=threads)
        viewer = sim.view() if view else None
        if viewer is not None:
            say(f"viewer: {viewer.url}", err=True)
        with interruptible(out):
            summary = run_to_directory(
                sim,
                seconds=file.seconds if seconds is None else seconds,
                fps=fps,
                out=out,
                force=force,
                progress=common.progress_is_shown(quiet=quiet or as_json),
                contacts=contacts,
                fields=fields,
                options=file.options,
            )
        print_summary(summary, out, quiet=quiet, as_json=as_json)
        if viewer is not None:
            say(f"the viewer stays open until Ctrl-C; later, `signorini view {out}` shows the run again", err=True)
            wait_for_interrupt()

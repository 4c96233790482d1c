"""The command line: `signorini run, resume, scenes, render, compare, bench`. Heavy imports happen inside the commands."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from signorini.cli import bench as bench_command
from signorini.cli import compare as compare_command
from signorini.cli.errors import exit_codes, fail
from signorini.cli.scene_options import load_scene_argument, read_assignments
from signorini.errors import InputError

app = typer.Typer(
    name="signorini",
    help="Hard contact for deformable bodies: cloth that falls, folds and rests without one intersection.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(bench_command.app)
app.command(epilog=compare_command.EXAMPLE)(compare_command.compare)

_Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on standard output, nothing else.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no table.")]


@app.command(epilog="Example: `signorini run falling-cloth -o runs/first --seconds 2 --friction 0.5`")
def run(
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A name from `signorini scenes`, or a .toml file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Directory for the results; default runs/SCENE.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Simulated time [s].")] = None,
    dt: Annotated[float | None, typer.Option(help="Time step [s].")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames stored per simulated second.")] = None,
    friction: Annotated[float | None, typer.Option(help="Friction coefficient of all bodies.")] = None,
    stiffness: Annotated[
        float | None, typer.Option(help="Multiply all stiffnesses of cloth and soft solids by this.")
    ] = None,
    resolution: Annotated[
        int | None, typer.Option(help="Resolution of a gallery scene (vertices along an edge of its cloth).")
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="NAME=VALUE", help="An option that only this gallery scene has; repeatable."),
    ] = None,
    solver: Annotated[str | None, typer.Option(help="Contact solver, short for --set solver.name=...")] = None,
    assign: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, e.g. solver.tolerance=1e-4; repeatable."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an earlier run in the output directory.")] = False,
    quiet: _Quiet = False,
    as_json: _Json = False,
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

        from signorini.files.runs.run_directory import check_directory
        from signorini.files.runs.runner import run_to_directory

        check_directory(out, force=force)  # before anything expensive

        from signorini.simulation.simulation import Simulation

        sim = Simulation(file.scene, dt=file.dt if dt is None else dt, settings=settings)
        with _interruptible(out):
            summary = run_to_directory(
                sim,
                seconds=file.seconds if seconds is None else seconds,
                fps=file.fps if fps is None else fps,
                out=out,
                force=force,
                progress=_show_progress(quiet, as_json),
            )
        _report(summary, out, quiet=quiet, as_json=as_json)


@app.command(epilog="Example: `signorini resume runs/falling-cloth --seconds 8`")
def resume(
    directory: Annotated[Path, typer.Argument(metavar="OUT", help="The output directory of an earlier run.")],
    seconds: Annotated[
        float | None, typer.Option(help="Simulated time to reach [s]; default: what the run was asked for.")
    ] = None,
    quiet: _Quiet = False,
    as_json: _Json = False,
) -> None:
    """Continue an interrupted run from its last checkpoint, exactly as if it had not been interrupted."""
    with exit_codes():
        from signorini.files.runs.runner import resume_directory

        with _interruptible(directory):
            summary = resume_directory(directory, seconds=seconds, progress=_show_progress(quiet, as_json))
        _report(summary, directory, quiet=quiet, as_json=as_json)


@app.command(epilog="Example: `signorini scenes --json`")
def scenes(as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False) -> None:
    """List the built-in scenes."""
    with exit_codes():
        from signorini.gallery import SCENES

        if as_json:
            rows = [_scene_row(entry) for entry in SCENES.values()]
            typer.echo(json.dumps(rows, indent=2))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table("name", "what happens", "seconds", "dt [ms]", box=None, header_style="bold")
        for entry in SCENES.values():
            table.add_row(entry.name, entry.title, f"{entry.seconds:g}", f"{1e3 * entry.dt:g}")
        Console().print(table)


@app.command(epilog="Example: `signorini render runs/falling-cloth --frame -1` or `signorini render runs/drape --film`")
def render(
    directory: Annotated[Path, typer.Argument(metavar="OUT", help="The output directory of a run.")],
    frame: Annotated[int | None, typer.Option(help="Frame of the picture; -1 (default) is the last.")] = None,
    film: Annotated[bool, typer.Option("--film", help="Make a film (mp4) of all frames.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default OUT/picture.png or OUT/film.mp4.")
    ] = None,
    width: Annotated[int, typer.Option(help="Width in pixels.")] = 1280,
    height: Annotated[int, typer.Option(help="Height in pixels.")] = 720,
) -> None:
    """Make a picture of one frame, or a film of all of them (needs the extra `render`)."""
    with exit_codes():
        from signorini.files.runs.trajectory import Trajectory
        from signorini.render.pictures import render_film, render_frame

        if film and frame is not None:
            raise InputError("give either --frame or --film, not both")
        trajectory = Trajectory.open(directory)
        target = output or directory / ("film.mp4" if film else "picture.png")
        if film:
            render_film(trajectory, target, size=(width, height), progress=sys.stderr.isatty())
        else:
            render_frame(trajectory, -1 if frame is None else frame, target, size=(width, height))
        typer.echo(str(target))


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"signorini {version('signorini')}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Common options."""


def main() -> None:
    """Entry point of the `signorini` command."""
    app()


@contextlib.contextmanager
def _interruptible(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        fail(f"interrupted; everything up to here is in {out}, continue with `signorini resume {out}`", 130)


def _show_progress(quiet: bool, as_json: bool) -> bool:
    return not quiet and not as_json and sys.stderr.isatty()


def _scene_row(entry: Any) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in ("name", "title", "dt", "seconds", "fps", "figure")}


def _report(summary: dict[str, Any], out: Path, *, quiet: bool, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
        return
    if quiet:
        return
    from rich.console import Console
    from rich.table import Table

    mean = 1e3 * summary["wall_seconds"] / max(1, summary["steps"])
    median = 1e3 * summary["median_step_seconds"]
    distance = summary["min_distance"]
    histogram = ", ".join(f"{k}: {n}" for k, n in summary["refinement_histogram"].items())
    table = Table(box=None, show_header=False)
    for name, value in (
        ("simulated", f"{summary['simulated_seconds']:g} s in {summary['steps']} steps of {1e3 * summary['dt']:g} ms"),
        ("contacts", f"{summary['mean_contacts']:.0f} on average, {summary['max_contacts']} at most"),
        ("refinements: steps", histogram),
        ("halved steps, fail-safe steps", f"{summary['step_halvings']}, {summary['failsafe_steps']}"),
        ("smallest distance", "nothing came near" if distance is None else f"{1e3 * distance:.4g} mm"),
        ("free of intersection", "yes" if summary["intersection_free"] else "NO"),
        ("time per step", f"{median:.1f} ms (median), {mean:.1f} ms with compilation and files"),
        ("files", str(out)),
    ):
        table.add_row(name, value)
    Console().print(table)

"""The command `signorini sweep`: many runs of one scene with varied parameters."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, fail, say
from signorini.cli.scene_options import read_assignments
from signorini.errors import InputError

if TYPE_CHECKING:
    from signorini.studies.sweep.plan import Plan
    from signorini.studies.sweep.table import SweepTable

EXAMPLE = (
    "Example: `signorini sweep drape --vary friction=0:1:20 --vary material=cotton,silk --metric drape_coefficient "
    "--jobs 2 -o sweep`"
)
_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


def sweep(
    scene: common.SceneArgument,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=VALUES",
            help="A scene option, setting or key of the scene file, and its values: `a,b,c`, `low:high:count` "
            "(`:log`, `:int`), or `low:high` with --random or --latin; repeatable.",
        ),
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(help="CSV file with a column for each parameter, a row for each run.")
    ] = None,
    random: Annotated[int | None, typer.Option(help="Draw ranges without a count so often.")] = None,
    latin: Annotated[int | None, typer.Option(help="The same, as a Latin hypercube.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws and of the runs.")] = 0,
    assign: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter that all runs share; repeatable."),
    ] = None,
    seconds: common.Seconds = None,
    dt: Annotated[float | None, typer.Option(help="Time step [s].")] = None,
    fps: common.Fps = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="final_height, extent, contact_force, rest_time, drape_coefficient, or module:function; repeatable."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Directory of the sweep; default sweeps/SCENE.")
    ] = None,
    dataset: Annotated[bool, typer.Option("--dataset", help="All trajectories in one Zarr group.")] = False,
    runs: Annotated[bool, typer.Option(help="Keep a run directory for each run.")] = True,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Worker processes; default: all cores.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use the workers of this Dask scheduler (extra `sweep`).")
    ] = None,
    retries: Annotated[int, typer.Option(min=0, help="Attempts after the process of a run has died.")] = 1,
    time_limit: Annotated[float | None, typer.Option(help="Wall time of one run [s].")] = None,
    memory_limit: Annotated[str | None, typer.Option(help="Memory of the process of a run, such as 2G.")] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Do failed runs again.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Compare the data set with its checksums at the end.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Remove an earlier sweep in the directory.")] = False,
    quiet: common.Quiet = False,
) -> None:
    """Run SCENE with many sets of parameters; write one table, one data set and a page of plots.

    The same command again goes on where it stopped.
    """
    with exit_codes():
        fixed = {key: value for key, value in {"seconds": seconds, "dt": dt, "fps": fps}.items() if value is not None}
        design = {"vary": vary or [], "rows": rows, "random": random, "latin": latin, "seed": seed}
        plan = _plan(scene, design, {**_values(assign or []), **fixed}, metric or [], dataset=dataset)
        from signorini.studies.sweep.progress import progress_bar
        from signorini.studies.sweep.sweep_runs import SweepOptions, run_sweep

        options = SweepOptions(
            jobs=jobs, scheduler=scheduler, retries=retries, time_limit=_positive("--time-limit", time_limit),
            memory_limit=_bytes(memory_limit), retry_failed=retry_failed, keep_runs=runs, force=force,
        )  # fmt: skip
        out = output or Path("sweeps") / Path(scene).stem
        shown = common.progress_is_shown(quiet=quiet)
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: batch systems end jobs so
        try:
            table = run_sweep(plan, out, options, display=progress_bar(plan.source.name) if shown else None)
        except KeyboardInterrupt:
            fail(f"interrupted; the finished runs are in {out}, the same command goes on with the others", 130)
        finally:
            signal.signal(signal.SIGTERM, before)
        if check:
            _check(out)
        if not quiet:
            _print(plan, table)
        failed = sum(row["status"] != "completed" for row in table.rows)
        if failed:
            fail(f"{failed} of {len(table)} runs failed; column `reason` of {out / 'runs.csv'} says why", 1)


def _plan(scene: str, design: dict[str, Any], fixed: dict[str, Any], metrics: list[str], *, dataset: bool) -> Plan:
    from signorini.studies.sweep.design import parameter_sets, read_rows
    from signorini.studies.sweep.plan import make_plan
    from signorini.studies.sweep.scene_source import FileSource, GallerySource
    from signorini.studies.sweep.values import read_axis

    if design["random"] is not None and design["latin"] is not None:
        raise InputError("--random and --latin exclude each other: choose one")
    axes = {}
    for text in design["vary"]:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise InputError(f"--vary {text!r} must have the form NAME=VALUES, for example friction=0:1:20")
        if name in axes:
            raise InputError(f"--vary {name} is given twice: give all its values at once")
        axes[name] = read_axis(name, values)
    if not axes and design["rows"] is None:
        raise InputError("nothing is varied: give --vary NAME=VALUES, for example --vary friction=0:1:20")
    sets = parameter_sets(
        axes,
        rows=[{}] if design["rows"] is None else read_rows(design["rows"]),
        samples=design["random"] if design["latin"] is None else design["latin"],
        sampling="random" if design["latin"] is None else "latin",
        seed=design["seed"],
    )
    from signorini import gallery

    source = FileSource.of(scene) if scene.endswith(".toml") else GallerySource(gallery.find(scene).name)
    return make_plan(source, sets, fixed=fixed, metrics=metrics, dataset=dataset, seed=design["seed"])


def _values(texts: list[str]) -> dict[str, Any]:
    from signorini.gallery.options import read_value

    return {key: read_value(text) for key, text in read_assignments(texts).items()}


def _positive(name: str, value: float | None) -> float | None:
    from signorini.checks import check_positive

    return None if value is None else check_positive(name, value)


def _bytes(text: str | None) -> float | None:
    """A size such as 500M or 2G [bytes]."""
    if text is None:
        return None
    number = text.strip().lower().removesuffix("b")
    unit = number[-1:] if number[-1:] in _UNITS else ""
    try:
        size = float(number.removesuffix(unit)) * _UNITS[unit]
    except ValueError:
        size = 0.0
    if not 0.0 < size < 1e18:
        raise InputError(f"--memory-limit {text!r} must be a size such as 500M or 2G")
    return size


def _check(out: Path) -> None:
    from signorini.studies.sweep.dataset import damaged_runs

    if not (out / "dataset.zarr").is_dir():
        raise InputError(f"--check: {str(out)!r} has no data set: make one with --dataset")
    wrong = damaged_runs(out / "dataset.zarr")
    if wrong:
        fail(
            f"the data set in {out} is damaged: run {wrong[0]} and {len(wrong) - 1} others are not what was written", 2
        )


def _print(plan: Plan, table: SweepTable) -> None:
    from signorini.studies.sweep.sweep_runs import summary_of

    summary = summary_of(table, plan)
    ends = ", ".join(f"{count} {status}" for status, count in summary["status"].items())
    say(f"{summary['finished']} of {summary['runs']} runs: {ends}")
    for number, status, reason in summary["reasons"][:10]:
        say(f"run {number} ({status}): {reason}")
    if len(summary["reasons"]) > 10:
        say(f"and {len(summary['reasons']) - 10} more")
    say(str(table.path / "index.html"))

"""Command `signorini bench`: measurements of the contact solvers, of performance, and random scenes.

Heavy imports happen inside the commands.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from signorini.cli import bench_performance, bench_random
from signorini.cli.errors import exit_codes, say
from signorini.cli.json_rows import plain_rows
from signorini.errors import InputError

app = typer.Typer(name="bench", help="Measure solvers, scenes, kernels and other simulators.", no_args_is_help=True)

app.command(epilog="Example: `signorini bench scenes falling-cloth --json rows.json`")(bench_performance.scenes)
app.command(epilog="Example: `signorini bench kernels --plots plots`")(bench_performance.kernels)
app.command(epilog="Example: `signorini bench scaling falling-cloth`")(bench_performance.scaling)
app.command(epilog="Example: `signorini bench startup --fresh`")(bench_performance.startup)
app.command(epilog="Example: `signorini bench random --scenes 300 --seed 1 --csv random.csv`")(bench_random.random)
app.command(epilog="Example: `signorini bench peers --scene S1 --peer mujoco --dir peers`")(bench_performance.peers)

QUICK = 400
"""Contacts of the largest problem that --quick takes."""


@app.callback()
def _options() -> None:
    """Measure solvers, scenes, kernels and other simulators."""


@app.command(epilog="Example: `signorini bench solvers --json rows.json --plots plots`")
def solvers(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the rows as JSON to this file.")] = None,
    problems: Annotated[
        Path | None,
        typer.Option(help="Directory of contact problems; default ./problems, or small ones made on the spot."),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option(help="Only this solver, or module:function of your own; repeatable.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only small problems and loose tolerances.")] = False,
    plots: Annotated[Path | None, typer.Option(help="Write pictures to this directory (needs matplotlib).")] = None,
    max_seconds: Annotated[float, typer.Option(help="Time limit of one solve of ICA [s].")] = 2.0,
) -> None:
    """Run every solver on every contact problem; print how many each solves, and how fast."""
    with exit_codes():
        rows = _run(problems, solver or [], quick=quick, max_seconds=max_seconds)
        from signorini.studies.solver_bench_summary import summarise

        if json_file is not None:
            json_file.write_text(json.dumps(plain_rows(rows), indent=1), encoding="utf-8")
        _print(summarise(rows))
        if plots is not None:
            from signorini.studies.solver_bench_plots import draw_plots

            for path in draw_plots(rows, plots):
                say(str(path))


def _run(given: Path | None, names: list[str], *, quick: bool, max_seconds: float) -> list[dict[str, Any]]:
    from signorini.checks import check_positive
    from signorini.studies.problems.collection import SMALL_PROBLEMS, load_problem, make_problem, problem_names
    from signorini.studies.problems.recipes import recipes
    from signorini.studies.solver_bench import QUICK_TOLERANCES, run_bench
    from signorini.studies.solver_bench_contenders import TOLERANCES, find_contenders

    check_positive("max-seconds", max_seconds, unit="s")
    find_contenders(names)  # a wrong name is an error before anything is read
    directory = Path("problems") if given is None and any(Path("problems").glob("*.npz")) else given
    if directory is None:
        say(f"there is no collection of contact problems here: {len(SMALL_PROBLEMS)} small ones are made", err=True)
        stored = (make_problem(recipe) for recipe in recipes() if recipe.name in SMALL_PROBLEMS)
    else:
        wanted = problem_names(directory)
        if not wanted:
            raise InputError(f"there are no contact problems (*.npz) in {str(directory)!r}")
        stored = (load_problem(directory, name) for name in wanted)
    chosen = (s for s in stored if not quick or s.problem.contact_count <= QUICK)

    def show(row: dict[str, Any]) -> None:
        if sys.stderr.isatty():
            typer.echo(f"\r{row['problem']:<40} {row['solver']:<22}", err=True, nl=False)

    rows = run_bench(
        chosen,
        solvers=names,
        tolerances=QUICK_TOLERANCES if quick else TOLERANCES,
        max_seconds=min(max_seconds, 0.3) if quick else max_seconds,
        report=show,
    )
    if not rows:
        raise InputError(f"no problem in {str(directory)!r} is small enough for --quick ({QUICK} contacts)")
    return rows


def _print(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    tolerances = list(summary["solved"])
    table = Table("solver", *(f"solved at {t} m/s" for t in tolerances), box=None, header_style="bold")
    for name in dict.fromkeys(name for t in tolerances for name in summary["solved"][t]):
        counts = (summary["solved"][t].get(name) for t in tolerances)
        table.add_row(Text(name), *("" if c is None else _counted(c) for c in counts))
    console.print(table)
    ratios = Table(
        "tolerance", "ICA", "solved by both", "time over default's", "easy", "default slower on easy, worst",
        box=None, header_style="bold",
    )  # fmt: skip
    for tolerance, found in summary["ratio"].items():
        for name, r in found.items():
            ratios.add_row(
                tolerance, Text(name), str(r["both"]), f"{r['geometric_mean']:.2f} ×", str(r["easy"]),
                f"{r['easy_worst_slowdown']:.2f} ×",
            )  # fmt: skip
    if any(summary["ratio"].values()):
        console.print(ratios)
    errors = Table(
        "error", "solver", "reached", "by both", "time over default's", "easy", "default slower on easy, worst", "",
        box=None, header_style="bold",
    )  # fmt: skip
    for level, found in summary["error_ratio"].items():
        for name, r in found.items():
            errors.add_row(
                level, Text(name), f"{r['reached']} of {r['tried']}", str(r["both"]), f"{r['geometric_mean']:.2f} ×",
                str(r["easy"]), f"{r['easy_worst_slowdown']:.2f} ×", Text(r["easy_slowest"]),
            )  # fmt: skip
    console.print(errors)
    missed = Table("missed or > 500 ms by the default", "start", "tolerance", "residual", "ms", box=None)
    for row in summary["default_missed"]:
        missed.add_row(
            Text(row["problem"]),
            row["start"],
            f"{row['tolerance']:g}",
            f"{row['residual']:.1e}",
            f"{row['cpu_ms']:.0f}",
        )
    if summary["default_missed"]:
        console.print(missed)


def _counted(c: dict[str, float]) -> str:
    return f"{c['converged']} of {c['tried']} ({c['fraction']:.0%}; residuals alone {c['residual_fraction']:.0%})"

"""Command `signorini bench random`: a campaign of random scenes. Heavy imports happen inside the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from signorini.cli.errors import exit_codes, say


def random(
    scenes: Annotated[int, typer.Option("--scenes", "--count", min=1, help="Number of scenes.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed: the same seed gives the same scenes.")] = 1,
    only: Annotated[list[int] | None, typer.Option(min=0, help="Only the scene of this number; repeatable.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Append a line per scene to this file; scenes that it has are not run again.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Run the scenes of --csv again that failed.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    save: Annotated[
        Path | None, typer.Option(help="Write the scenes of --only as scene files to this directory.")
    ] = None,
    shrink: Annotated[
        Path | None, typer.Option(help="Write the smallest scenes that fail like those of --only to this directory.")
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Write the tables between the marks of this Markdown file.")] = None,
    watch: Annotated[
        str | None, typer.Option(help="module:function of a check of your own that takes the steps, also in ./tests.")
    ] = None,
    cpu_limit: Annotated[float, typer.Option(help="CPU time after which a scene is left [s].")] = 60.0,
) -> None:
    """Run random scenes of all kinds of bodies; print what happens in them, and what fails, with the number of the scene."""
    from signorini.checks import check_positive
    from signorini.studies.random_scenes.records import read_rows
    from signorini.studies.random_scenes.summary import markdown, write_page
    from signorini.studies.random_scenes.workers import Campaign

    with exit_codes(), TemporaryDirectory() as folder:
        check_positive("cpu-limit", cpu_limit, unit="s")
        indices = only or range(scenes)
        if save is not None:
            _save(seed, indices, save)
        if shrink is not None:
            _shrink(seed, indices, shrink, cpu_limit)
            return
        file = Path(folder) / "rows.csv" if csv is None else csv
        done = {row["index"] for row in read_rows(file) if not (again and row["failures"])}
        left = [index for index in indices if index not in done]
        _run(Campaign(seed=seed, cpu_limit=cpu_limit, watch=watch), left, file, jobs=jobs)
        chosen = set(indices)
        rows: list[dict[str, Any]] = [row for row in read_rows(file) if row["index"] in chosen]
        _print(rows)
        if page is not None:
            write_page(page, markdown(rows, seed=seed))


def _run(campaign: Any, indices: Sequence[int], file: Path, *, jobs: int) -> None:
    """Run scenes, write each down when it is done, and name those that fail; Ctrl-C keeps what is done."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from signorini.studies.random_scenes.records import append_row
    from signorini.studies.random_scenes.summary import absurd_lines
    from signorini.studies.random_scenes.workers import campaign_rows

    shown = (
        BarColumn(), MofNCompleteColumn(), TextColumn("scenes{task.fields[failed]}"), TimeElapsedColumn(),
        TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    failed = 0
    with Progress(*shown, console=Console(stderr=True), transient=True, speed_estimate_period=600.0) as bar:
        task = bar.add_task("scenes", total=len(indices), failed="")
        try:
            for row in campaign_rows(campaign, indices, jobs=jobs):
                append_row(file, row)
                failed += bool(row["failures"])
                for line in absurd_lines([row]):
                    bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
                bar.update(task, advance=1, failed=f", {failed} failed" if failed else "")
        except KeyboardInterrupt:
            say("interrupted: the scenes that are done are kept; the same command with --csv goes on", err=True)


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from signorini.studies.random_scenes.summary import COLUMNS, table_rows

    table = Table(*COLUMNS, box=None, header_style="bold")
    for row in table_rows(rows):
        table.add_row(*row)
    Console().print(table)


def _save(seed: int, indices: Sequence[int], folder: Path) -> None:
    from signorini.files.scenes.scene_file import save_scene
    from signorini.studies.random_scenes.generator import random_scene

    for index in indices:
        case = random_scene(seed, index)
        path = folder / f"{case.scene.name}.toml"
        seconds = case.steps * case.dt
        say(str(save_scene(path, case.scene, dt=case.dt, seconds=seconds, settings=case.settings)))


def _shrink(seed: int, indices: Sequence[int], folder: Path, cpu_limit: float) -> None:
    from signorini.files.scenes.scene_file import save_scene
    from signorini.studies.random_scenes.generator import random_scene
    from signorini.studies.random_scenes.shrink import shrink

    for index in indices:
        case = shrink(random_scene(seed, index), cpu_limit=cpu_limit)
        path = folder / f"{case.scene.name}.toml"
        save_scene(path, case.scene, dt=case.dt, seconds=case.steps * case.dt, settings=case.settings)
        how = f"{case.integrator}, {case.solver}, dt = {case.dt:g} s, {case.steps} steps"
        say(f"{path}: {len(case.scene.bodies)} bodies, {how}")

"""The command `signorini compare`: several methods on one scene."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, fail, say
from signorini.cli.scene_options import load_scene_argument, read_assignments
from signorini.errors import InputError

if TYPE_CHECKING:
    from signorini.studies.comparison import Comparison
    from signorini.studies.comparison_records import MethodRun

EXAMPLE = "Example: `signorini compare five-curtains --methods cmr,volume,impulses --seconds 1 --json rows.json`"


def compare(
    scene: common.SceneArgument,
    methods: Annotated[
        str, typer.Option(help="Of cmr, cmr-ica, volume, impulses, hong; separated by commas.")
    ] = "cmr,cmr-ica,volume,impulses,hong",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory for page, films and runs; default comparisons/SCENE."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write one row for each method to this file.")
    ] = None,
    frame_by_frame: Annotated[
        bool,
        typer.Option(
            "--frame-by-frame", help="Every method does each frame from the state of the first, as in Sifakis2008."
        ),
    ] = False,
    seconds: common.Seconds = None,
    dt: Annotated[float | None, typer.Option(help="Time step of cmr [s]; the others choose theirs.")] = None,
    fps: common.Fps = None,
    friction: common.Friction = None,
    stiffness: common.Stiffness = None,
    resolution: common.Resolution = None,
    options: common.SceneOptions = None,
    assign: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting of all methods; repeatable."),
    ] = None,
    film: Annotated[bool, typer.Option(help="Make a film of each method (needs the extra `render`).")] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier comparison in the directory.")] = False,
    quiet: common.Quiet = False,
) -> None:
    """Run SCENE with several methods from the same start; write a page, a table and films side by side."""
    with exit_codes():
        from signorini.studies.comparison_directory import claim_comparison_directory, write_comparison
        from signorini.studies.comparison_methods import check_methods

        names = check_methods([name.strip() for name in methods.split(",") if name.strip()])
        changes = {"friction": friction, "stiffness": stiffness, "resolution": resolution, "options": options}
        comparison = _comparison(scene, changes, dt=dt, seconds=seconds, fps=fps, assign=assign or [])
        out = output or Path("comparisons") / Path(scene).stem
        if json_file is not None and not json_file.parent.is_dir():
            raise InputError(f"--json {str(json_file)!r}: the directory {str(json_file.parent)!r} does not exist")
        claim_comparison_directory(out, force=force)
        shown = common.progress_is_shown(quiet=quiet)
        runs, interrupted = _run(comparison, names, out, frame_by_frame=frame_by_frame, shown=shown)
        page = write_comparison(
            out,
            f"{Path(scene).stem}: methods compared",
            comparison,
            runs,
            json_file=json_file,
            film=film and not interrupted,
            frame_by_frame=frame_by_frame,
            progress=common.progress_is_shown(quiet=False),
        )
        if not quiet:
            _print(runs, page)
        if interrupted:
            fail(f"interrupted; what was done is in {out}", 130)


def _comparison(
    scene: str,
    changes: dict[str, Any],
    *,
    dt: float | None,
    seconds: float | None,
    fps: float | None,
    assign: list[str],
) -> Comparison:
    from signorini.files.scenes.scene_changes import changed_settings
    from signorini.studies.comparison import Comparison

    file = load_scene_argument(scene, **changes)
    return Comparison(
        scene=lambda: load_scene_argument(scene, **changes).scene,
        dt=file.dt if dt is None else dt,
        seconds=file.seconds if seconds is None else seconds,
        fps=file.fps if fps is None else fps,
        settings=changed_settings(file.settings, read_assignments(assign)),
    )


def _run(
    comparison: Comparison, names: list[str], out: Path, *, frame_by_frame: bool, shown: bool
) -> tuple[list[MethodRun], bool]:
    """The runs of all methods, and whether Ctrl-C cut them short; what was done until then is kept."""
    from signorini.files.runs.runner import Interrupt
    from signorini.studies.comparison import run_frame_by_frame, run_in_turn

    runs: list[MethodRun] = []
    with Interrupt() as interrupt, _bar(comparison.frame_count, shown=shown) as show:
        if frame_by_frame:
            for runs in run_frame_by_frame(comparison, names, out / names[0]):
                show(" | ".join(names), len(runs[0].records))
                if interrupt.requested:
                    break
            return runs, interrupt.requested
        for name in names:
            for k, run in enumerate(run_in_turn(comparison, name, out / name)):
                runs = [*runs, run] if k == 0 else runs
                show(name, len(run.records))
                if interrupt.requested:
                    return runs, True
    return runs, False


def _print(runs: list[MethodRun], page: Path) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    from signorini.studies.comparison_page import table_rows

    headings, cells = table_rows(runs)
    table = Table("", *(escape(row[0]) for row in cells), box=None, header_style="bold")
    for k, heading in enumerate(headings[1:], start=1):
        table.add_row(Text(heading), *(Text(row[k]) for row in cells))
    console = Console()
    console.print(table)
    for run in runs:
        if run.reason:
            console.print(Text(f"{run.method}: {run.reason}"))
    say(str(page))


@contextlib.contextmanager
def _bar(frames: int, *, shown: bool) -> Iterator[Callable[[str, int], None]]:
    """A progress bar for each method; the function that is yielded takes its name and the frames done."""
    if not shown:
        yield lambda name, done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("frames"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(name: str, done: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=frames)
            bar.update(tasks[name], completed=done)

        yield show

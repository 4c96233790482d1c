"""The command `signorini reproduce`: figures and numbers of the papers, remade."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, fail, say
from signorini.errors import InputError

if TYPE_CHECKING:
    from signorini.studies.reproduction.results import Result
    from signorini.studies.reproduction.target import Progress, Target

EXAMPLE = "Example: `signorini reproduce otaduy2009-fig-2 --quick` or `signorini reproduce all --out reproduction`"


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Targets; `all`, or a paper such as `hong2004`, is several."),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Print the names of all targets, and what they claim.")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes: seconds instead of minutes to hours.")] = False,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Directory; each target gets a directory of its name in it.")
    ] = Path("reproduction"),
    missing: Annotated[bool, typer.Option("--missing", help="Leave out targets that OUT already has.")] = False,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE.md", help="Write a page of all results in OUT, with their plots beside it."),
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Remake figures and numbers of the papers: plot, table "paper / ours / why they differ", and page of each."""
    with exit_codes():
        from signorini.studies.reproduction.targets import TARGETS, find_targets

        if listed:
            _print_list(list(TARGETS.values()))
            return
        if not names and markdown is None:
            raise InputError(
                "give the name of a target, as in `signorini reproduce otaduy2009-fig-2`, `all`, or --list"
            )
        if markdown is not None and markdown.suffix != ".md":
            raise InputError(f"--markdown {str(markdown)!r} must end in .md")
        chosen = find_targets(names or [])
        _run(chosen, out, quick=quick, missing=missing, quiet=quiet)
        if markdown is not None:
            say(str(_write_page(markdown, TARGETS, out)))


def _run(chosen: list[Target], out: Path, *, quick: bool, missing: bool, quiet: bool) -> None:
    """Run targets one after the other; what is done is on disk before the next one begins."""
    if not chosen:
        return
    from signorini.studies.reproduction.results import read_result, write_result
    from signorini.studies.solver_bench_plots import load_pyplot

    load_pyplot()  # a missing extra is an error before anything is computed
    left = [t for t in chosen if not (missing and read_result(out, t.name))]
    done = 0
    with _bar(shown=common.progress_is_shown(quiet=quiet)) as begin:
        for target in left:
            started = time.process_time()
            try:
                outcome = target.run(quick, begin(target.name))
            except KeyboardInterrupt:
                fail(f"interrupted in {target.name}; {done} of {len(left)} targets are done and in {out}, "
                     "--missing goes on with the others", 130)  # fmt: skip
            result = write_result(out, target, outcome, quick=quick, cpu_seconds=time.process_time() - started)
            done += 1
            if not quiet:
                _print(target, result, out)


def _write_page(markdown: Path, targets: dict[str, Target], out: Path) -> Path:
    from signorini.studies.reproduction.page import write_page
    from signorini.studies.reproduction.results import read_result

    results = {name: result for name in targets if (result := read_result(out, name)) is not None}
    if not results:
        raise InputError(
            f"there are no results in {str(out)!r}: run targets first, as in `signorini reproduce all --quick`"
        )
    return write_page(markdown, targets, results, out)


def _print_list(targets: list[Target]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("target", "what the paper claims", "CPU min, quick", "full", box=None, header_style="bold")
    for target in targets:
        minutes = (f"{m:g}" for m in target.minutes)
        table.add_row(Text(target.name, no_wrap=True), Text(f"{target.figure}: {target.claim}"), *minutes)
    console = Console()
    console.print(table) if console.is_terminal else Console(width=200).print(table)


def _print(target: Target, result: Result, out: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from signorini.studies.reproduction.results import HEADINGS, table_rows

    title = f"{target.paper} {target.figure} ({result.size} size, {result.cpu_seconds:.0f} CPU s)"
    table = Table(*HEADINGS, box=None, header_style="bold", title=title, title_justify="left")
    for row in table_rows(result.numbers):
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    console.print(table) if console.is_terminal else Console(width=240).print(table)
    say(str(out / target.name / "report.html"))


@contextlib.contextmanager
def _bar(*, shown: bool) -> Iterator[Callable[[str], Progress]]:
    """A progress bar; the function that is yielded begins a target and returns its progress."""
    if not shown:
        yield lambda name: lambda done, what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns: tuple[Any, ...] = (
        TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:

        def begin(name: str) -> Progress:
            for task in bar.task_ids:
                bar.remove_task(task)
            task = bar.add_task(name, total=1.0)
            return lambda done, what: bar.update(task, completed=done, description=f"{name}: {what}")

        yield begin

"""The command `signorini validate`: closed forms and experiments against simulations."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signorini.cli import options as common
from signorini.cli.errors import exit_codes, fail, say
from signorini.cli.json_rows import plain_rows

if TYPE_CHECKING:
    from signorini.studies.validation.case import Case, Progress
    from signorini.studies.validation.record import Record

EXAMPLE = "Example: `signorini validate --list`, `signorini validate slope capstan --quick`"


def validate(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[CASE]...", help="Cases of `--list`; default: all.")
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List the cases and stop.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and smaller simulations of each case.")] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory of the page and of the records.")] = Path(
        "validation"
    ),
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the tables and plots as Markdown too.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the rows as JSON on standard output, nothing else.")
    ] = False,
    quiet: common.Quiet = False,
) -> None:
    """Compare simulations with closed forms and experiments; write one page with tables, plots and what is not right.

    The exit code is 1 if a measurement is outside of its bound for no reason that is written down.
    """
    with exit_codes():
        from signorini.studies.validation.collection import find_cases

        cases = find_cases(names or [])
        if show_list:
            _print_list(cases)
            return
        records, interrupted = _run(cases, quick=quick, output=output, shown=common.progress_is_shown(quiet=quiet))
        from signorini.studies.validation.markdown import write_markdown
        from signorini.studies.validation.page import write_page
        from signorini.studies.validation.study import stored_records

        stored = stored_records(output)
        page = write_page(output, stored)
        if markdown is not None:
            write_markdown(markdown, stored)
        if as_json:
            typer.echo(json.dumps(plain_rows([row for record in records for row in record.rows()]), indent=1))
        elif not quiet:
            _print(records)
            say(str(page))
        if interrupted:
            fail(f"interrupted; the finished cases are in {output}", 130)
        outside = [record.name for record in records if record.verdict == "outside"]
        if outside:
            fail(f"outside of their bounds: {', '.join(outside)}; {page} says where", 1)


def _run(cases: tuple[Case, ...], *, quick: bool, output: Path, shown: bool) -> tuple[list[Record], bool]:
    """The records of the cases that were finished, and whether Ctrl-C ended the run."""
    from signorini.studies.validation.study import run_cases

    records: list[Record] = []
    with _bar(len(cases), shown=shown) as display:
        try:
            for record in run_cases(cases, quick=quick, output=output, display=display):
                records.append(record)
        except KeyboardInterrupt:
            return records, True
    return records, False


@contextlib.contextmanager
def _bar(count: int, *, shown: bool) -> Iterator[Callable[[Case], Progress] | None]:
    """A progress bar that names the case that is running."""
    if not shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task, begun = bar.add_task("", total=float(count)), -1

        def begin(case: Case) -> Progress:
            nonlocal begun
            begun += 1
            done = begun
            bar.update(task, description=case.name, completed=done)
            return lambda share: bar.update(task, completed=done + share)

        yield begin


def _print_list(cases: tuple[Case, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("case", "what", box=None, header_style="bold")
    for case in cases:
        table.add_row(case.name, Text(case.title))
    Console().print(table)


def _print(records: list[Record]) -> None:
    """A row for each measurement, then what is not right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from signorini.studies.validation.table import HEADINGS, failings, measurement_cells, outcome_sentence

    table = Table("case", *HEADINGS, box=None, header_style="bold")
    for record in records:
        for row in record.found.rows:
            cells = [record.name, *measurement_cells(row)]
            style = {"inside": "", "known": "yellow", "outside": "red"}[row.verdict]
            table.add_row(*(Text(cell) for cell in cells), style=style)
    Console().print(table)
    for sentence in failings(records):
        say(sentence)
    say(outcome_sentence(records))

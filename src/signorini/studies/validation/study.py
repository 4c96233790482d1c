"""Running validation cases: each is stored as soon as it is done, and one that breaks off is a failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from signorini.studies.validation.case import Case, Progress
from signorini.studies.validation.collection import CASES, find_cases
from signorini.studies.validation.page import write_page
from signorini.studies.validation.record import Record, read_records, write_record

CASES_FOLDER = "cases"
"""Folder of the records inside of the output directory."""
Display = Callable[[Case], Progress]
"""Called when a case begins; what it returns is told how far the case is."""


def validate(
    names: Sequence[str] = (), *, quick: bool = False, output: str | Path = "validation", display: Display | None = None
) -> list[Record]:
    """Run the cases of these names, or all, and write their page: the records in the order of the cases.

    `output` then holds index.html, rows.json and cases/NAME.json. Cases of earlier calls that are in it stay on the page.
    """
    try:
        return list(run_cases(find_cases(names), quick=quick, output=Path(output), display=display))
    finally:
        write_page(Path(output), stored_records(Path(output)))


def run_cases(cases: Sequence[Case], *, quick: bool, output: Path, display: Display | None = None) -> Iterator[Record]:
    """Run these cases one after the other; each record is on disk before it is yielded."""
    for case in cases:
        record = run_case(case, quick=quick, progress=_ignore if display is None else display(case))
        write_record(output / CASES_FOLDER, record)
        yield record


def run_case(case: Case, *, quick: bool, progress: Progress | None = None) -> Record:
    """Run one case. Any exception but Ctrl-C is its failure, and does not keep the others from being run."""
    began = time.process_time()
    try:
        found = case.run(quick, progress or _ignore)
    except Exception as error:
        cpu = time.process_time() - began
        return Record.of(case, quick=quick, cpu_seconds=cpu, error=f"{type(error).__name__}: {error}")
    return Record.of(case, quick=quick, cpu_seconds=time.process_time() - began, found=found)


def stored_records(output: Path) -> list[Record]:
    """All records in an output directory, in the order of the cases."""
    return read_records(output / CASES_FOLDER, [case.name for case in CASES])


def _ignore(_: float) -> None:
    """Progress that is not shown."""

"""steps.csv: one row per step with every field of its report."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from signorini.errors import InputError
from signorini.files.runs.output_directory import replace_file
from signorini.methods.report import StepReport

PHASES = ("assembly", "unconstrained", "detection", "contact", "check")
TEXTS = tuple(f.name for f in fields(StepReport) if f.type in ("str", "StepStatus"))
_SCALARS = tuple(f.name for f in fields(StepReport) if f.name != "phase_seconds")
COUNTS = tuple(f.name for f in fields(StepReport) if f.type == "int")
"""Columns that hold integers, none of them negative."""
COLUMNS = (*_SCALARS, "total_energy", *(f"seconds_{phase}" for phase in PHASES), "seconds_other")
HEADER = ",".join(COLUMNS) + "\n"


def step_row(report: StepReport) -> dict[str, Any]:
    """A report as a flat row; phases that have no column of their own are summed in `seconds_other`."""
    row: dict[str, Any] = {name: getattr(report, name) for name in _SCALARS}
    row |= {name: " ".join(str(row[name]).split()) for name in TEXTS}  # a row is a line
    row["status"] = report.status.name.lower()
    row["total_energy"] = report.total_energy
    other = sum(value for phase, value in report.phase_seconds.items() if phase not in PHASES)
    row |= {f"seconds_{phase}": report.phase_seconds.get(phase, 0.0) for phase in PHASES}
    row["seconds_other"] = other
    return row


class StepTable:
    """Appends rows to steps.csv; what `flush` has written survives a kill of the process."""

    def __init__(self, path: Path, *, keep_rows: int = 0):
        """Open for writing after the first `keep_rows` steps; anything later is dropped."""
        kept = complete_lines(path)[1 : keep_rows + 1] if keep_rows else []
        text = "".join([HEADER, *kept])
        replace_file(path, lambda file: file.write(text.encode()))
        self._path = path
        self._pending: list[Mapping[str, Any]] = []

    def append(self, row: Mapping[str, Any]) -> None:
        """Remember a row of `step_row` for the next `flush`."""
        self._pending.append(row)

    def flush(self) -> None:
        """Write the remembered rows, all or (on a full disk) none."""
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writerows(self._pending)
        size = self._path.stat().st_size
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text.getvalue())
        except OSError:
            os.truncate(self._path, size)
            raise
        self._pending.clear()


def complete_lines(path: Path) -> list[str]:
    """The lines of a text file, without one that was cut off in the middle."""
    with path.open(encoding="utf-8", newline="\n") as file:
        lines = list(file)
    return lines[:-1] if lines and not lines[-1].endswith("\n") else lines


def read_steps(path: Path) -> list[dict[str, Any]]:
    """The rows of a steps.csv: numbers as int or float, the status and the names of bodies as text."""
    try:
        lines = complete_lines(path)
        if lines and lines[0] != HEADER:
            raise ValueError("its columns are not those of this version")
        rows = [_checked(number, row) for number, row in enumerate(csv.DictReader(lines), start=2)]
    except (ValueError, OSError, csv.Error) as error:
        raise InputError(f"table of steps {str(path)!r} cannot be read: {error}") from None
    for number, (row, following) in enumerate(pairwise(rows), start=3):
        if following["index"] != row["index"] + 1:
            raise InputError(
                f"table of steps {str(path)!r} is damaged: step {row['index']} is followed by step {following['index']} in "
                f"line {number}"
            )
    return rows


def _checked(line: int, row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row with all columns and no others, numbers as numbers."""
    if None in row or None in row.values():
        raise ValueError(f"line {line} has not {len(COLUMNS)} columns")
    checked = {name: value if name in TEXTS else _number(line, name, value) for name, value in row.items()}
    for name in COUNTS:
        if not isinstance(checked[name], int) or checked[name] < 0:
            raise ValueError(f"{name} in line {line} is {row[name][:40]!r}, which is no count")
    return checked


def _number(line: int, name: str, text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} in line {line} is {text[:40]!r}, which is no number") from None

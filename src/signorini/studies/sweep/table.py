"""The table of a sweep: one row per run, as runs.csv and, with pyarrow, as runs.parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import named_list
from signorini.errors import InputError
from signorini.files.runs.output_directory import replace_file
from signorini.studies.sweep.one_run import Outcome
from signorini.studies.sweep.plan import Plan

MEASURED = ("attempts", "worker", "wall_seconds", "cpu_seconds", "peak_memory_mb")
"""Last columns, which depend on the machine; all others are the same however often a sweep was interrupted."""


class SweepTable:
    """The table of a sweep: `rows` as dictionaries in the order of the plan, and `table["column"]` as an array."""

    def __init__(self, path: Path, columns: list[str], rows: list[dict[str, Any]]):
        self.path = path
        """Directory of the sweep."""
        self.columns = columns
        self.rows = rows

    def __repr__(self) -> str:
        return f"SweepTable of {len(self)} runs in {str(self.path)!r}; columns {named_list(self.columns, most=12)}"

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column as an array; in one of numbers, empty cells are NaN."""
        if column not in self.columns:
            raise InputError(f"the table has no column {column!r}; it has {', '.join(self.columns)}")
        values = [row.get(column) for row in self.rows]
        if all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values):
            return np.array([np.nan if value is None else value for value in values], dtype=float)
        return np.array(values, dtype=object)


def table_of(plan: Plan, outcomes: Mapping[str, Outcome], out: Path) -> SweepTable:
    """The rows of all runs of the plan that have ended."""
    rows: list[dict[str, Any]] = []
    for planned in plan.runs:
        outcome = outcomes.get(planned.id)
        if outcome is None:
            continue
        head = {"run": planned.number, "id": planned.id, **planned.parameters}
        head.setdefault("seed", planned.seed)
        state = {"status": outcome.status, "reason": outcome.reason}
        measured = {name: outcome.measured.get(name) for name in MEASURED}
        rows.append({**state, **outcome.values, **measured, **head})
    first = ["run", "id", *plan.names, "seed", "version", "scene_hash", "status", "reason"]
    others = [name for row in rows for name in row]
    columns = list(dict.fromkeys([*first, *(name for name in others if name not in MEASURED), *MEASURED]))
    return SweepTable(out, columns, rows)


def write_table(table: SweepTable) -> None:
    """Write runs.csv, and runs.parquet where pyarrow is installed; both are complete at any moment."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([[_cell(row.get(name)) for name in table.columns] for row in table.rows])
    replace_file(table.path / "runs.csv", lambda file: file.write(text.getvalue().encode()))
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return
    columns = {name: _column([row.get(name) for row in table.rows]) for name in table.columns}
    replace_file(table.path / "runs.parquet", lambda file: pyarrow.parquet.write_table(pyarrow.table(columns), file))


def _cell(value: Any) -> str:
    """A cell of the CSV file: numbers with all their digits, texts in one line, anything else as JSON."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case str():
            return " ".join(value.splitlines())
        case int():
            return str(value)
    return json.dumps(value, default=str)


def _column(values: Sequence[Any]) -> list[Any]:
    """Values of one type for Parquet: as they are if they have one, numbers as floats, anything else as text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) <= 1 and kinds <= {bool, int, float, str}:
        return list(values)
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else _cell(value) for value in values]

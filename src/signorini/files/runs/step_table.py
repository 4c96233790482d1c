"""steps.csv: one row per step with every field of its report."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from signorini.methods.report import StepReport

PHASES = ("assembly", "unconstrained", "detection", "contact", "check")
TEXTS = ("status", "infeasible_bodies")
_SCALARS = tuple(f.name for f in fields(StepReport) if f.name != "phase_seconds")
COLUMNS = (*_SCALARS, "total_energy", *(f"seconds_{phase}" for phase in PHASES), "seconds_other")


def step_row(report: StepReport) -> dict[str, Any]:
    """A report as a flat row; phases that have no column of their own are summed in `seconds_other`."""
    row: dict[str, Any] = {name: getattr(report, name) for name in _SCALARS}
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
        lines = complete_lines(path)[: keep_rows + 1] if keep_rows else []
        if not lines:
            path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
        else:
            path.write_text("".join(lines), encoding="utf-8")
        self._path = path
        self._pending: list[StepReport] = []

    def append(self, report: StepReport) -> None:
        """Remember a row for the next `flush`."""
        self._pending.append(report)

    def flush(self) -> None:
        """Write the remembered rows, all or (on a full disk) none."""
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writerows(step_row(report) for report in self._pending)
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
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return lines[:-1] if lines and not lines[-1].endswith("\n") else lines


def read_steps(path: Path) -> list[dict[str, Any]]:
    """The rows of a steps.csv: numbers as int or float, the status and the names of bodies as text."""
    return [
        {name: value if name in TEXTS else _number(value) for name, value in row.items()}
        for row in csv.DictReader(complete_lines(path))
    ]


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)

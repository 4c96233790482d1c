"""The file of a campaign of random scenes: a line per scene, appended as soon as it is done, so that nothing is lost."""

from __future__ import annotations

import csv
from pathlib import Path

from signorini.errors import InputError
from signorini.studies.random_scenes.generator import random_scene
from signorini.studies.random_scenes.outcome import Outcome

Row = dict[str, object]
NUMBERS = (
    "index", "steps", "of", "bodies", "vertices", "intersections", "nested", "finite", "solves", "converged", "unnamed",
    "infeasible", "contacts", "most_contacts", "halvings", "failsafes", "damped", "slept", "over_budget",
)  # fmt: skip
FRACTIONS = ("dt", "friction", "mass_ratio", "surplus", "fastest", "cpu", "slowest", "slowest_s", "budget_used")


def columns() -> list[str]:
    """Names of the columns."""
    return list(Outcome(random_scene(0, 0)).row())


def read_rows(path: Path) -> list[Row]:
    """The rows of a campaign with their numbers, in the order of the scenes; none if there is no file. Of a scene that was run
    again, the last row counts.
    """
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    if lines and list(lines[0]) != columns():
        raise InputError(f"{str(path)!r} is not the file of a campaign of this version: choose another --csv")
    rows: dict[int, Row] = {}
    for line in lines:
        if None in line.values():  # the command was killed while it wrote this line
            continue
        row: Row = dict(line)
        row |= {name: int(line[name]) for name in NUMBERS} | {name: float(line[name]) for name in FRACTIONS}
        rows[int(line["index"])] = row
    return [rows[index] for index in sorted(rows)]


def append_row(path: Path, row: Row) -> None:
    """Add a line to the file, which is made if there is none."""
    new = not path.is_file() or not path.stat().st_size
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns())
        if new:
            writer.writeheader()
        writer.writerow(row)

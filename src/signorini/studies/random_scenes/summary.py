"""The tables of a campaign of random scenes: what happened by recipe, what was covered, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signorini.errors import InputError

Row = dict[str, Any]
COLUMNS = (
    "recipe", "scenes", "steps", "contacts", "solves", "unsolved", "halvings", "fail-safe steps", "damped steps", "stopped",
    "left", "CPU s", "remarks", "failures",
)  # fmt: skip
FAILURES = ("crash", "hang", "not finite", "intersection", "pop-through", "energy from nothing", "stopped")
BEGIN, END = "<!-- begin of the campaign's tables -->", "<!-- end of the campaign's tables -->"
"""What is between these lines of a page is written by the command."""


def table_rows(rows: Sequence[Row]) -> list[list[str]]:
    """Cells under COLUMNS: one row per recipe, and the sum."""
    recipes = list(dict.fromkeys(row["recipe"] for row in rows))
    return [*(_sums(recipe, [r for r in rows if r["recipe"] == recipe]) for recipe in recipes), _sums("all", rows)]


def absurd_lines(rows: Sequence[Row], *, remarks: bool = True) -> list[str]:
    """One line per scene that failed, or is remarkable: number, recipe and what happened."""
    found = []
    for row in rows:
        text = "; ".join(filter(None, (row["failures"], row["remarks"] if remarks else "")))
        if text:
            found.append(f"{row['index']} {row['recipe']}: {text}")
    return found


def failure_kinds(row: Row) -> set[str]:
    """Which of FAILURES a scene shows."""
    phrases, found = row["failures"].split("; "), set()
    for phrase in filter(None, phrases):
        for start, kind in (
            ("traceback", "crash"), ("crash", "crash"), ("hang", "hang"), ("not finite", "not finite"),
            ("energy", "energy from nothing"), ("stopped", "stopped"),
        ):  # fmt: skip
            if phrase.startswith(start):
                found.add(kind)
        if phrase.endswith("intersections"):
            found.add("intersection")
        if phrase.endswith("through a surface"):
            found.add("pop-through")
    return found


def markdown(rows: Sequence[Row], *, seed: int) -> str:
    """The tables of a page: sums by recipe, failures by kind, what was covered, and the scenes that failed."""
    kinds = Counter(kind for row in rows for kind in failure_kinds(row))
    failed = sum(bool(row["failures"]) for row in rows)
    lines = [
        f"{len(rows)} scenes of seed {seed}, {sum(r['steps'] for r in rows):,} steps, "
        f"{sum(r['contacts'] for r in rows):,} contacts in them, {sum(r['cpu'] for r in rows):,.0f} s of CPU time: "
        f"**{failed} {'failure' if failed == 1 else 'failures'}**.",
        "",
        *_table(COLUMNS, table_rows(rows)),
        "",
        *_table(("failure", "scenes"), [[kind, str(kinds[kind])] for kind in FAILURES]),
        "",
        *_table(("covered", "from", "median", "to"), _ranges(rows)),
        "",
        *_table(("scenes with", "number"), _traits(rows)),
        "",
    ]
    failed = absurd_lines(rows, remarks=False)
    if failed:
        lines += ["Scenes that failed, with their number:", "", *(f"- `{line}`" for line in failed), ""]
    return "\n".join(lines)


def write_page(page: Path, text: str) -> None:
    """Replace what is between BEGIN and END of a page."""
    old = page.read_text(encoding="utf-8") if page.is_file() else ""
    if BEGIN not in old or END not in old.partition(BEGIN)[2]:
        raise InputError(
            f"{str(page)!r} must have the lines {BEGIN!r} and {END!r}: the tables are written between them"
        )
    head, _, rest = old.partition(BEGIN)
    page.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def _sums(name: str, rows: Sequence[Row]) -> list[str]:
    def total(key: str) -> int:
        return sum(row[key] for row in rows)

    numbers = [
        len(rows), total("steps"), total("contacts"), total("solves"), total("solves") - total("converged"), total("halvings"),
        total("failsafes"), total("damped"), sum(r["ending"] == "stopped" for r in rows),
        sum(r["ending"] == "limit" for r in rows), round(sum(r["cpu"] for r in rows)),
        sum(bool(r["remarks"]) for r in rows), sum(bool(r["failures"]) for r in rows),
    ]  # fmt: skip
    return [name, *(f"{number:,}" for number in numbers)]


def _ranges(rows: Sequence[Row]) -> list[list[str]]:
    found = []
    for name, key, unit in (
        ("time step", "dt", " s"), ("friction of the scene", "friction", ""), ("largest over smallest mass", "mass_ratio", ""),
        ("fastest node of a scene", "fastest", " m/s"), ("bodies", "bodies", ""), ("vertices", "vertices", ""),
        ("most contacts in a step", "most_contacts", ""), ("slowest step", "slowest_s", " CPU s"),
    ):  # fmt: skip
        values = sorted(float(row[key]) for row in rows)
        if values:
            found.append([name, *(f"{v:.3g}{unit}" for v in (values[0], values[len(values) // 2], values[-1]))])
    return found


def _traits(rows: Sequence[Row]) -> list[list[str]]:
    words = Counter(word for row in rows for word in row["traits"].split())
    for row in rows:
        words[f"integrator:{row['integrator']}"] += 1
        words[f"solver:{row['solver']}"] += 1
        words[f"failsafe:{row['failsafe']}"] += 1
        words["bodies that sleep"] += row["slept"] > 0
    return [[word, str(count)] for word, count in sorted(words.items())]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(header)} |", "|" + "---|" * len(header), *(f"| {' | '.join(row)} |" for row in rows)]

"""Cells of the tables of validation, the same on the terminal, on the page and in Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from signorini.studies.validation.case import Measurement
from signorini.studies.validation.record import Record

HEADINGS = ("quantity", "expected", "measured", "deviation", "bound", "verdict")
SUMMARY_HEADINGS = ("case", "what", "inside", "largest share of a bound", "CPU", "verdict")
WORDS = {"inside": "inside", "known": "OUTSIDE, known", "outside": "OUTSIDE"}


def measurement_cells(row: Measurement) -> list[str]:
    """Cells under `HEADINGS`."""
    unit = f" {row.unit}" if row.unit else ""
    return [
        row.quantity,
        f"{number(row.expected)}{unit}",
        f"{number(row.measured)}{unit}",
        _difference(row.deviation, row, sign=True),
        f"± {_difference(row.bound, row)}",
        WORDS[row.verdict],
    ]


def summary_cells(record: Record) -> list[str]:
    """Cells under `SUMMARY_HEADINGS`."""
    rows = record.found.rows
    inside = sum(row.verdict == "inside" for row in rows)
    used = [abs(row.deviation) / row.bound for row in rows if row.bound > 0.0]
    return [
        record.name,
        record.title,
        f"{inside} of {len(rows)}",
        f"{100.0 * max(used):.0f} %" if used else "–",
        f"{record.cpu_seconds:.0f} s" + (", quick" if record.quick else ""),
        WORDS[record.verdict] if not record.error else "BROKE OFF",
    ]


def failings(records: Sequence[Record]) -> list[str]:
    """Sentences for each case that broke off, and for each reason why measurements miss their bounds."""
    found = []
    for record in records:
        if record.error:
            found.append(f"{record.name}: broke off with {record.error}")
        missed: dict[str, list[str]] = {}
        for row in record.found.rows:
            if row.verdict != "inside":
                _, expected, measured, deviation, _, _ = measurement_cells(row)
                text = f"{row.quantity}: {measured} instead of {expected} ({deviation})"
                missed.setdefault(row.reason or "the reason is not known", []).append(text)
        found += [f"{record.name}: {reason}. {'; '.join(texts)}" for reason, texts in missed.items()]
    return found


def outcome_sentence(records: Sequence[Record]) -> str:
    """How many measurements of how many cases are inside their bounds."""
    rows = [row for record in records for row in record.found.rows]
    inside, known = (sum(row.verdict == word for row in rows) for word in ("inside", "known"))
    broken = sum(bool(record.error) for record in records)
    text = f"{inside} of {len(rows)} measurements of {len(records)} cases are inside their bounds"
    if known:
        text += f"; {known} are outside for a reason that is known"
    if len(rows) - inside - known:
        text += f"; {len(rows) - inside - known} are outside unexpectedly"
    return text + (f"; {broken} cases broke off" if broken else "")


def number(value: float) -> str:
    """A number with five digits; a power of ten where it is very small or large."""
    if not math.isfinite(value):
        return "–"
    return f"{value:,.5g}" if value == 0.0 or 1e-4 <= abs(value) < 1e5 else f"{value:.3e}"


def _difference(value: float, row: Measurement, *, sign: bool = False) -> str:
    form = "+.3g" if sign else ".3g"
    if not math.isfinite(value):
        return "–"
    return f"{format(value, form)} {row.unit}".strip() if row.absolute else f"{format(100.0 * value, form)} %"

"""Page of the validation: one HTML file with the tables and plots of all cases, and what is not right."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path

from signorini.reports import template
from signorini.reports.line_plot import Line, line_plot
from signorini.studies.validation.case import Curve
from signorini.studies.validation.record import Record
from signorini.studies.validation.table import (
    HEADINGS,
    SUMMARY_HEADINGS,
    failings,
    measurement_cells,
    outcome_sentence,
    summary_cells,
)

TITLE = "Validation of Signorini"
COLORS = ("#2f7fb8", "#d1662b", "#4a9a5b", "#8a5fb0", "#b3261e", "#7a6a2f", "#3aa6a6", "#c2557f")
"""Of measured series, in order; closed forms are grey."""
THEORY = "#555555"
LONG = 30
"""Rows of a table beyond which it is folded."""


def write_page(output: Path, records: Sequence[Record]) -> Path:
    """Write index.html and rows.json of these records into a directory; the path of the page."""
    output.mkdir(parents=True, exist_ok=True)
    rows = [row for record in records for row in record.rows()]
    (output / "rows.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    wrong = failings(records)
    worst = {record.verdict for record in records}
    kind = "verdict fail" if "outside" in worst else "verdict warn" if "known" in worst else "verdict"
    parts = [
        template.paragraph(outcome_sentence(records) + ".", kind),
        template.table(SUMMARY_HEADINGS, [_marked(summary_cells(record)) for record in records], texts=(1,)),
        "<h2>What is not right</h2>",
        _list(wrong) if wrong else template.paragraph("Every measurement is inside its bound."),
        *(part for record in records for part in _section(record)),
    ]
    return template.write_html(output / "index.html", TITLE, parts)


def plot(curve: Curve) -> str:
    """A curve as an <svg> element."""
    lines, measured = [], 0
    for series in curve.series:
        color = THEORY if series.theory else COLORS[measured % len(COLORS)]
        measured += not series.theory
        notes = (
            ()
            if series.theory or len(series.x) > 60
            else [f"{series.label}: {x:g}, {y:g}" for x, y in zip(series.x, series.y, strict=True)]
        )
        lines.append(Line(series.label, color, series.x, series.y, dash="5 4" if series.theory else "", notes=notes))
    return line_plot(
        curve.title, lines, x_label=curve.x_label, y_label=curve.y_label, logarithmic=curve.logarithmic, from_zero=False
    )


def _section(record: Record) -> list[str]:
    parts = [
        f'<h2 id="{record.name}">{html.escape(record.title)}</h2>',
        template.paragraph(record.theory),
        template.paragraph(f"Source: {record.source}.", "note"),
    ]
    if record.error:
        parts.append(template.paragraph(f"The case broke off: {record.error}", "verdict fail"))
    if record.found.rows:
        parts.append(_measurements(record))
    parts += [template.paragraph(remark) for remark in record.found.remarks]
    if record.found.curves:
        figures = "".join(f"<figure>{plot(curve)}</figure>" for curve in record.found.curves)
        parts.append(f'<div class="plots">{figures}</div>')
    return parts


def _measurements(record: Record) -> str:
    """The table of a case, folded if it is long; what is outside of its bound is in "what is not right" anyway."""
    table = template.table(HEADINGS, [_marked(measurement_cells(row)) for row in record.found.rows])
    if len(record.found.rows) <= LONG:
        return table
    words = f"{summary_cells(record)[2]} measurements are inside their bounds: all of them"
    return f"<details><summary>{words}</summary>{table}</details>"


def _marked(cells: list[str]) -> list[str]:
    """The cell of a verdict that is not good is marked as bad."""
    return cells if cells[-1] == "inside" else [*cells[:-1], f"!{cells[-1]}"]


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(sentence)}</li>' for sentence in sentences)}</ul>"

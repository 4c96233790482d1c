"""The page of a comparison: a table, films side by side and plots over time, in one HTML file that needs no network."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from signorini.reports import template
from signorini.reports.line_plot import Line, line_plot
from signorini.reports.numbers import quantity
from signorini.studies.comparison_methods import METHODS
from signorini.studies.comparison_records import FrameRecord, MethodRun

COLORS = {"cmr": "#0b6e4f", "cmr-ica": "#7cb518", "volume": "#1f5fbf", "impulses": "#d1495b", "hong": "#8f5bd1"}
MUCH_ENERGY = 1.1
"""Energy at the end over that of the first method from which on it is marked."""
DASHES = {"cmr": "", "cmr-ica": "7 3", "volume": "3 3", "impulses": "1.5 3", "hong": "7 3 1.5 3"}
"""Dashes and gaps of lines [px]: where curves lie on each other, all of them are seen."""
PLAY_ALL = "for (const v of document.querySelectorAll('video')) { v.currentTime = 0; v.play() }"


def write_page(
    path: Path, title: str, runs: Sequence[MethodRun], *, films: dict[str, Path], notes: Sequence[str]
) -> Path:
    """Write the page, with the films by method inside."""
    parts = [*(template.paragraph(note) for note in notes), _table(runs), *_reasons(runs)]
    if films:
        parts.append(f'<h2>Films</h2><p><button onclick="{PLAY_ALL}">Play all from the start</button></p>')
        shown = (
            template.film(file, f"{_key(name)} {name}: {html.escape(METHODS[name])}") for name, file in films.items()
        )
        parts.append(f'<div class="films">{"".join(shown)}</div>')
    parts.append("<h2>Frame by frame</h2><p>A cross marks a frame that failed.</p>")
    parts.append(f'<div class="plots">{"".join(_plots(runs))}</div>')
    return template.write_html(path, title, parts)


HEADINGS = (
    "method", "outcome", "frames", "failed", "time step", "steps", "sub-steps by a fail-safe", "frames with intersections",
    "deepest penetration", "energy at the start", "energy at the end", "largest energy", "end over that of",
    "at full interval", "CPU per frame", "CPU", "largest residual", "solved",
)  # fmt: skip
"""Rows of the table, in a terminal and on a page. The name of the first method stands behind "end over that of"."""


def table_rows(runs: Sequence[MethodRun]) -> tuple[list[str], list[list[str]]]:
    """Headings and cells, for a page or a terminal. A method that refused the scene has no numbers."""
    rows = [run.row() for run in runs]
    reference = next((row for row in rows if row["energy_at_end"] is not None), None)
    name = "–" if reference is None else reference["method"]
    headings = [f"{heading} {name}" if heading.startswith("end over") else heading for heading in HEADINGS]
    return headings, [_cells(row, reference) for row in rows]


def _cells(row: dict[str, Any], reference: dict[str, Any] | None) -> list[str]:
    began = row["outcome"] != "refused"
    cells = [
        row["method"],
        row["outcome"],
        str(row["frames"]),
        str(row["failed_frames"]),
        quantity(row["dt"], "s"),
        str(row["steps"]),
        str(row["failsafe_steps"]),
        str(row["intersecting_frames"]),
        quantity(row["max_penetration"], "m"),
        quantity(row["energy_at_start"], "J"),
        quantity(row["energy_at_end"], "J"),
        quantity(row["max_energy"], "J"),
        _ratio(row["energy_at_end"], None if reference is None else reference["energy_at_end"]),
        f"{100.0 * row['frames_at_full_interval'] / row['frames']:.0f} %" if row["frames"] else "–",
        quantity(row["cpu_seconds_per_frame"], "s"),
        quantity(row["cpu_seconds"], "s"),
        quantity(row["max_residual"] or None, "m/s"),
        f"{row['solves_converged']} / {row['solves']}" if row["solves"] else "–",
    ]
    return cells if began else [*cells[:4], *("–" for _ in cells[4:])]


def _ratio(value: float | None, reference: float | None) -> str:
    """A quotient of energies; it means nothing if one is negative, because heights count from the origin."""
    return "–" if value is None or reference is None or min(value, reference) <= 0.0 else f"{value / reference:.3g}"


def _is_bad(heading: str, cell: str) -> bool:
    """Whether a cell is marked: failures, fail-safes, intersections, or energy far above that of the first method."""
    if heading in ("failed", "sub-steps by a fail-safe", "frames with intersections"):
        return cell not in ("0", "–")
    if heading == "outcome":
        return cell != "completed"
    return heading.startswith("end over") and cell != "–" and float(cell) > MUCH_ENERGY


def _table(runs: Sequence[MethodRun]) -> str:
    """A column for each method: with a row for each, a page is not wide enough."""
    (first, *headings), cells = table_rows(runs)
    names = [f'<th title="{html.escape(METHODS[run.method])}">{_key(run.method)} {run.method}</th>' for run in runs]
    head = "".join([f"<th>{first}</th>", *names])
    body = []
    for k, heading in enumerate(headings, start=1):
        marked = [
            f'<td class="bad">{row[k]}</td>' if _is_bad(heading, row[k]) else f"<td>{row[k]}</td>" for row in cells
        ]
        body.append(f"<tr><td>{html.escape(heading)}</td>{''.join(marked)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _reasons(runs: Sequence[MethodRun]) -> list[str]:
    return [f'<p class="reason"><b>{run.method}</b>: {html.escape(run.reason)}</p>' for run in runs if run.reason]


def _plots(runs: Sequence[MethodRun]) -> list[str]:
    wanted: list[tuple[str, str, Callable[[FrameRecord], float | None], bool]] = [
        ("CPU time of a frame", "s", lambda r: r.cpu_seconds, True),
        ("Collision interval", "ms", lambda r: 1e3 * r.collision_interval, False),
        ("Contacts or pairs", "", lambda r: float(r.contacts), False),
        ("Total energy", "J", lambda r: r.total_energy, False),
        ("Edges that pass through triangles", "", lambda r: float(r.intersections), False),
        ("Deepest vertex inside another body", "mm", lambda r: 1e3 * r.penetration, False),
        ("Largest residual of the contact solves", "m/s", lambda r: r.residual or None, True),
    ]
    plots = []
    for title, unit, value, logarithmic in wanted:
        lines = [_line_of(run, value) for run in runs if run.records]
        label = f"[{unit}]" if unit else ""
        svg = line_plot(title, lines, x_label="time [s]", y_label=label, logarithmic=logarithmic)
        plots.append(f"<figure>{svg}</figure>")
    return plots


def _line_of(run: MethodRun, value: Callable[[FrameRecord], float | None]) -> Line:
    times = [(r.frame + 1) * run.interval for r in run.records]
    failures = [t for t, r in zip(times, run.records, strict=True) if r.failed]
    values = [None if r.failed else value(r) for r in run.records]
    return Line(run.method, COLORS[run.method], times, values, failures, DASHES[run.method])


def _key(method: str) -> str:
    return f'<span class="key" style="background:{COLORS[method]}"></span>'

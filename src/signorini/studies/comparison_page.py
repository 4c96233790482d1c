"""The page of a comparison: a table, films side by side and plots over time, in one HTML file that needs no network."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from signorini.studies.comparison_methods import METHODS
from signorini.studies.comparison_records import FrameRecord, MethodRun
from signorini.studies.line_plot import Line, line_plot

COLORS = {"cmr": "#0b6e4f", "cmr-ica": "#7cb518", "volume": "#1f5fbf", "impulses": "#d1495b", "hong": "#8f5bd1"}
MUCH_ENERGY = 1.1
"""Energy at the end over that of the first method from which on it is marked."""
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1180px; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
th, td { text-align: right; padding: .25rem .7rem; border-bottom: 1px solid #ddd }
td { white-space: nowrap }
th:first-child, td:first-child { text-align: left }
.bad { color: #b3261e; font-weight: 600 } .key { display: inline-block; width: .8em; height: .8em; border-radius: 2px }
.films, .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); gap: 1rem }
video, svg { width: 100% } figure { margin: 0 } .reason { color: #555 }
svg { font: 11px system-ui, sans-serif } .title { font-size: 13px; font-weight: 600 } .tick { fill: #555 }
.grid { stroke: #e4e4e4 } .line { fill: none; stroke-width: 1.5 } .cross { fill: none; stroke-width: 1.5 }
"""
PLAY_ALL = "for (const v of document.querySelectorAll('video')) { v.currentTime = 0; v.play() }"


def write_page(
    path: Path, title: str, runs: Sequence[MethodRun], *, films: dict[str, Path], notes: Sequence[str]
) -> Path:
    """Write the page; `films` are by method, as paths from the page."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1>",
        *(f"<p>{html.escape(note)}</p>" for note in notes),
        _table(runs),
        *_reasons(runs),
    ]
    if films:
        parts.append(f'<h2>Films</h2><p><button onclick="{PLAY_ALL}">Play all from the start</button></p>')
        parts.append(f'<div class="films">{"".join(_film(name, file) for name, file in films.items())}</div>')
    parts.append(f"<h2>Frame by frame</h2><p>{_legend(runs)} A cross marks a frame that failed.</p>")
    parts.append(f'<div class="plots">{"".join(_plots(runs))}</div></body></html>')
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


HEADINGS = (
    "method", "outcome", "frames", "failed", "steps", "sub-steps by a fail-safe", "frames with intersections",
    "deepest penetration", "energy at the start", "energy at the end", "largest energy", "end over that of",
    "at full interval", "CPU per frame", "CPU", "largest residual", "solved",
)  # fmt: skip
"""Rows of the table in a terminal, columns of that on a page. The name of the first method stands behind "end over that of"."""


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
        str(row["steps"]),
        str(row["failsafe_steps"]),
        str(row["intersecting_frames"]),
        _with_unit(row["max_penetration"], 1e3, "mm"),
        _with_unit(row["energy_at_start"], 1.0, "J"),
        _with_unit(row["energy_at_end"], 1.0, "J"),
        _with_unit(row["max_energy"], 1.0, "J"),
        _ratio(row["energy_at_end"], None if reference is None else reference["energy_at_end"]),
        f"{100.0 * row['frames_at_full_interval'] / row['frames']:.0f} %" if row["frames"] else "–",
        _with_unit(row["cpu_seconds_per_frame"], 1e3, "ms"),
        f"{row['cpu_seconds']:.1f} s",
        _with_unit(row["max_residual"] or None, 1.0, "m/s"),
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
    headings, cells = table_rows(runs)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in headings)
    body = []
    for run, row in zip(runs, cells, strict=True):
        marked = [
            f'<td class="bad">{cell}</td>' if _is_bad(heading, cell) else f"<td>{cell}</td>"
            for heading, cell in zip(headings, row, strict=True)
        ]
        marked[0] = f'<td title="{html.escape(METHODS[run.method])}">{_key(run.method)} {run.method}</td>'
        body.append(f"<tr>{''.join(marked)}</tr>")
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
    return Line(run.method, COLORS[run.method], times, [None if r.failed else value(r) for r in run.records], failures)


def _film(name: str, file: Path) -> str:
    source = html.escape(file.as_posix())
    return (
        f"<figure><figcaption>{_key(name)} {name}: {html.escape(METHODS[name])}</figcaption>"
        f'<video src="{source}" controls muted loop></video></figure>'
    )


def _legend(runs: Sequence[MethodRun]) -> str:
    return ", ".join(f"{_key(run.method)} {run.method}" for run in runs if run.records) + "."


def _key(method: str) -> str:
    return f'<span class="key" style="background:{COLORS[method]}"></span>'


def _with_unit(value: Any, factor: float, unit: str) -> str:
    return "–" if value is None else f"{factor * value:.3g} {unit}"

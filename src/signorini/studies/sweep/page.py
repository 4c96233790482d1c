"""The page of a sweep: plots, a contact sheet of end states and the table, in one HTML file that needs no network."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signorini.errors import InputError
from signorini.files.runs.trajectory import Trajectory
from signorini.reports.template import write_html
from signorini.studies.sweep.panels import legend, metric_columns, panels
from signorini.studies.sweep.plan import Plan
from signorini.studies.sweep.table import SweepTable
from signorini.studies.sweep.thumbnails import common_camera, draw_end

MOST_PICTURES = 96
"""Pictures on a page; of more runs, as many at equal distances are shown."""
MOST_ROWS = 1000
"""Rows of the table on the page; runs.csv has all."""
OWN_STYLE = """
.plots { grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)) }
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(180px, 1fr)); gap: .8rem }
.sheet a { color: inherit; text-decoration: none } .sheet img { width: 100%; border-radius: 4px; display: block }
figcaption { font-size: 12px; color: #555; overflow-wrap: anywhere } .legend span { margin-right: 1.2em }
details { margin: 1rem 0 } circle:hover { r: 5 }
"""


def write_page(plan: Plan, table: SweepTable) -> Path:
    """Write index.html and its pictures to the directory of the sweep, and return its path."""
    out, name = table.path, plan.source.name
    title = f"Sweep of {name}"
    metrics = metric_columns(plan, table)
    parts = [f"<p>{html.escape(_about(plan, table))} <a href='runs.csv'>runs.csv</a></p>"]
    keys = [
        f'<span><span class="key" style="background:{color}"></span> {html.escape(label)}</span>'
        for label, color in legend(plan, table)
    ]
    if keys:
        parts.append(f'<p class="legend">{"".join(keys)}</p>')
    parts.append(f'<div class="plots">{"".join(_figures(plan, table, metrics))}</div>')
    parts += [_failures(table), _sheet(plan, table), _rows(plan, table, metrics)]
    return write_html(out / "index.html", title, parts, style=OWN_STYLE)


def _figures(plan: Plan, table: SweepTable, metrics: Sequence[str]) -> list[str]:
    return [f"<figure>{svg}</figure>" for metric in metrics for svg in panels(plan, table, metric)]


def _about(plan: Plan, table: SweepTable) -> str:
    counts: dict[str, int] = {}
    for row in table.rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    ends = ", ".join(f"{count} {status}" for status, count in counts.items())
    about = [f"{len(plan.runs)} runs: {ends}.", f"Varied: {', '.join(plan.names)}."]
    if plan.fixed:
        about.append(f"The same in all: {', '.join(f'{key} = {value}' for key, value in plan.fixed.items())}.")
    about.append("A point leads to its run; a cross is a run that failed.")
    empty = [name for name in table.columns if all(row.get(name) is None for row in table.rows)]
    if empty:
        about.append(f"Without a value in any run: {', '.join(empty)}.")
    return " ".join(about)


def _failures(table: SweepTable) -> str:
    rows = [row for row in table.rows if row["reason"]]
    if not rows:
        return ""
    items = "".join(
        f"<li>run {row['run']} ({html.escape(row['status'])}): {html.escape(row['reason'])}</li>"
        for row in rows[:MOST_ROWS]
    )
    return f"<h2>What went wrong</h2><ul>{items}</ul>"


def _sheet(plan: Plan, table: SweepTable) -> str:
    """End states side by side, all from the same camera."""
    kept = [row for row in table.rows if (table.path / "runs" / row["id"] / "trajectory.zarr").is_dir()]
    if not kept:
        return ""
    step = max(1, -(-len(kept) // MOST_PICTURES))
    chosen = [(row, found) for row in kept[::step] if (found := _open(table.path / "runs" / row["id"])) is not None]
    if not chosen:
        return ""
    camera = common_camera([trajectory for _, trajectory in chosen])
    (table.path / "pictures").mkdir(exist_ok=True)
    figures = []
    for row, trajectory in chosen:
        picture = f"pictures/{row['id']}.png"
        draw_end(trajectory, camera, table.path / picture)
        caption = html.escape(f"{row['run']}: {_values(row, plan.names)}")
        figures.append(
            f'<figure><a href="runs/{row["id"]}/"><img src="{picture}" alt="{caption}" loading="lazy">'
            f"<figcaption>{caption}</figcaption></a></figure>"
        )
    left_out = f", every {step}th of {len(kept)} runs" if step > 1 else ""
    return f'<h2>End states{left_out}</h2><div class="sheet">{"".join(figures)}</div>'


def _open(path: Path) -> Trajectory | None:
    """A trajectory with at least a frame, or None: a damaged run is no reason for a page without the others."""
    try:
        trajectory = Trajectory.open(path)
    except InputError:
        return None
    return trajectory if trajectory.frame_count and trajectory.bodies else None


def _rows(plan: Plan, table: SweepTable, metrics: Sequence[str]) -> str:
    names = ["run", *plan.names, "status", *metrics]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_text(row.get(name)))}</td>" for name in names) + "</tr>"
        for row in table.rows[:MOST_ROWS]
    )
    return (
        f"<details><summary>Table</summary><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )


def _values(row: dict[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name} = {_text(row.get(name))}" for name in names)


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

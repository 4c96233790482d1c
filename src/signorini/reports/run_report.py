"""The report of a run: one page with film, scene, verdict, time, contacts, residuals, energy and the worst steps."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signorini.checks import check_path
from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.step_table import PHASES, read_steps
from signorini.files.runs.trajectory import Trajectory
from signorini.render.pictures import film_pace, render_film, render_frame
from signorini.reports import template
from signorini.reports.energy import energy_parts
from signorini.reports.line_plot import Line, axis_end, bar_plot, line_plot
from signorini.reports.numbers import plain, quantity, share
from signorini.reports.scene_table import scene_parts
from signorini.reports.verdict import step_seconds, verdict, worst_steps

FILM_SIZE = (960, 540)
"""Width and height of the film [pixels]; about 1 MB for 100 frames."""
PHASE_COLORS = ("#8a7fc2", "#2f7fb8", "#1f9a78", "#d2602a", "#e0a021", "#999999")


@dataclass(frozen=True, slots=True)
class RunData:
    """Files of a run that a report is made from."""

    out: Path
    summary: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    trajectory: Trajectory


def write_report(out: str | Path, file: str | Path | None = None, *, film: bool = True, progress: bool = False) -> Path:
    """Write the page of the run in the directory `out`, by default to `out`/report.html, and return its path.

    Without `film`, or where the extra `render` is missing, the page says that there is none.
    """
    data = read_run(check_path("output directory", out))
    target = data.out / "report.html" if file is None else check_path("file of a report", file)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"file {str(target)!r} must end in .html")
    if not target.parent.is_dir():
        raise InputError(f"directory {str(target.parent)!r} for {target.name!r} does not exist")
    level, sentence = verdict(data.summary)
    parts = [
        template.paragraph(sentence, f"verdict {level}"),
        _film(data, progress=progress) if film else template.paragraph("No film was asked for.", "note"),
        *_squeezed(data),
        *scene_parts(data.out, data.summary, data.trajectory),
        *_time(data),
        *_contacts(data),
        *energy_parts(data.summary, data.rows),
        *_worst(data),
    ]
    return template.write_html(target, f"{data.summary.get('scene', data.out.name)}: report of a run", parts)


def read_run(out: Path) -> RunData:
    """The files of a run; an `InputError` names what is missing or damaged."""
    trajectory = Trajectory.open(out)
    try:
        summary = json.loads((out / "summary.json").read_bytes())
        if not isinstance(summary, dict) or "intersecting_frames" not in summary:
            raise ValueError("it is not the summary of a run")
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"the summary of the run in {str(out)!r} cannot be read ({error})") from None
    return RunData(out, summary, read_steps(out / "steps.csv"), trajectory)


def _film(data: RunData, *, progress: bool) -> str:
    """The film in the page, with a caption if it is not all frames in real time."""
    every, fps, words = film_pace(data.trajectory.times)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        try:
            render_film(data.trajectory, file, size=FILM_SIZE, every=every, fps=fps, progress=progress)
        except MissingExtraError as error:
            return template.paragraph(f"No film: {error}", "note")
        return template.film(file, f'<span class="note">The film: {words}.</span>' if words else "")


def _squeezed(data: RunData) -> list[str]:
    """The end of a run that was stopped, without the scripted bodies that its reason names: these hide what they squeeze."""
    reason, bodies = str(data.summary.get("end_reason", "")), data.trajectory.bodies
    hidden = [name for name, body in bodies.items() if body.kind == "kinematic" and repr(name) in reason]
    if data.summary["status"] != "stopped" or not hidden or len(hidden) == len(bodies):
        return []
    with tempfile.TemporaryDirectory() as folder:
        file = render_frame(data.trajectory, -1, Path(folder) / "end.png", size=FILM_SIZE, hide=hidden)
        names = " and ".join(repr(name) for name in hidden)
        return [template.picture(file, f"The last frame, without {names}.")]


def _time(data: RunData) -> list[str]:
    seconds = {name: data.summary["phase_seconds"].get(name, 0.0) for name in (*PHASES, "other")}
    total, wall = sum(seconds.values()), data.summary["wall_seconds"]
    colors = dict(zip(seconds, PHASE_COLORS, strict=True))
    bar = "".join(
        f'<span style="width:{100.0 * value / total:.2f}%;background:{colors[name]}" title="{name}"></span>'
        for name, value in seconds.items()
        if value > 0.0
    )
    legend = "".join(
        f'<span class="item"><span class="key" style="background:{colors[name]}"></span> {name} '
        f"{quantity(value, 's')} ({share(value, total)})</span>"
        for name, value in seconds.items()
    )
    words = (
        f"{quantity(wall, 's')} of wall time, {quantity(data.summary['cpu_seconds'], 's')} of CPU; {quantity(total, 's')} of it "
        f"in steps, {quantity(data.summary['median_step_seconds'], 's')} a step (median); the rest is start and files."
    )
    parts = ["<h2>Time</h2>", template.paragraph(words)]
    if total > 0.0:
        parts.append(f'<div class="bar">{bar}</div><p class="legend">{legend}</p>')
    return [*parts, *_time_plot(data, colors)]


def _time_plot(data: RunData, colors: Mapping[str, str]) -> list[str]:
    """Phases of all steps on top of each other. A step that compiled, or was disturbed, does not hide the others."""
    wholes = [step_seconds(row) for row in data.rows]
    top = axis_end(wholes)
    scale, unit = (1.0, "s") if top >= 1.0 else (1e3, "ms")
    stacked, base = [], [0.0] * len(data.rows)
    for name, color in colors.items():
        base = [low + row[f"seconds_{name}"] for low, row in zip(base, data.rows, strict=True)]
        stacked.append(Line(name, color, _times(data), [scale * min(value, top) for value in base]))
    plot = line_plot(
        "Time of a step, phases on top of each other", stacked[::-1], x_label="time [s]", y_label=f"[{unit}]"
    )
    parts, above = [f'<div class="plots"><figure>{plot}</figure></div>'], sum(value > top for value in wholes)
    if above:
        steps = f"{plain(above)} step{'' if above == 1 else 's'}"
        longest = quantity(max(wholes), "s")
        words = (
            f"{steps} took longer than the axis is high, up to {longest}: compilation of kernels, or a busy machine."
        )
        parts.append(template.paragraph(words, "note"))
    return parts


def _contacts(data: RunData) -> list[str]:
    rows, times, summary = data.rows, _times(data), data.summary
    counts = [
        Line("constraints", "#aaaaaa", times, [row["contact_count"] for row in rows]),
        Line("with force", "#0b6e4f", times, [row["active_count"] for row in rows]),
    ]
    residuals = [
        Line("contact", "#b3261e", times, [row["complementarity_residual"] or None for row in rows]),
        Line("momentum", "#2f7fb8", times, [row["momentum_residual"] or None for row in rows]),
        Line("tolerance", "#999999", times, [summary["contact_tolerance"]] * len(times), dash="2 3"),
    ]
    distance = [
        Line("least distance", "#1f5fbf", times, [1e3 * row["min_distance"] for row in rows]),
        Line("contact distance", "#999999", times, [1e3 * summary["contact_distance"]] * len(times), dash="2 3"),
    ]
    histogram = sorted((int(k), n) for k, n in summary["refinement_histogram"].items())
    bars = [(str(k), float(n)) for k, n in histogram]
    words = (
        f"{plain(summary['mean_contacts'])} constraints on average, {plain(summary['max_contacts'])} at most; "
        f"{plain(summary['solves_converged'])} of {plain(summary['solves'])} contact problems solved to "
        f"{quantity(summary['contact_tolerance'], 'm/s')}. Refinements are contact problems until continuous detection found no "
        "further contact."
    )
    plots = [
        line_plot("Contacts", counts, x_label="time [s]", y_label=""),
        bar_plot("Refinements", bars, x_label="problems a step", y_label="steps"),
        line_plot("Residuals of contact solves", residuals, x_label="time [s]", y_label="[m/s]", logarithmic=True),
        line_plot("Least distance of two primitives", distance, x_label="time [s]", y_label="[mm]"),
    ]
    figures = "".join(f"<figure>{plot}</figure>" for plot in plots)
    return ["<h2>Contacts</h2>", template.paragraph(words), f'<div class="plots">{figures}</div>']


def _worst(data: RunData) -> list[str]:
    found = worst_steps(data.rows)
    if not found:
        return []
    headings = ["step", "time", "status", "contacts", "sub-steps", "wall time", "reason", "remedy"]
    cells = [
        [
            str(step.row["index"]),
            quantity(step.row["time"], "s"),
            ("!" if step.bad else "") + step.row["status"],
            plain(step.row["contact_count"]),
            str(step.row["substeps"]),
            quantity(step_seconds(step.row), "s"),
            step.reason,
            step.remedy,
        ]
        for step in found
    ]
    words = (
        ""
        if any(step.bad for step in found)
        else "No step changed the motion or left a problem unsolved; the slowest ones:"
    )
    if data.summary["status"] == "stopped":
        reason = str(data.summary["end_reason"])
        words = f"Step {data.rows[-1]['index'] + 1} was not possible: {reason} {words}"
    return ["<h2>Worst steps</h2>", template.paragraph(words), template.table(headings, cells, texts=(6, 7))]


def _times(data: RunData) -> list[float]:
    return [row["time"] for row in data.rows]

"""The output directory of a comparison: rows as JSON, the page, and one run directory with a film for each method."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from signorini import __version__
from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.output_directory import remove_entry
from signorini.files.runs.run_lock import check_unlocked
from signorini.files.runs.trajectory import Trajectory
from signorini.render.pictures import film_pace, render_film
from signorini.reports.numbers import quantity
from signorini.studies.comparison import Comparison
from signorini.studies.comparison_methods import METHODS
from signorini.studies.comparison_page import write_page
from signorini.studies.comparison_records import MethodRun

FILM_SIZE = (640, 480)
"""Width and height of a film [pixels]: two of them fit side by side on the page."""

MOST_NAMED = 6
"""Bodies that are named with the number of their vertices."""


def claim_comparison_directory(out: Path, *, force: bool) -> None:
    """Make the directory; `force` replaces an earlier comparison, and nothing else."""
    if out.exists() and not out.is_dir():
        raise InputError(f"output directory {str(out)!r} is a file: choose another with -o")
    if out.is_dir() and any(out.iterdir()):
        if not force:
            raise InputError(
                f"output directory {str(out)!r} exists already: choose another with -o, or replace it with --force"
            )
        for method in METHODS:
            check_unlocked(out / method)
        written = {*METHODS, "comparison.html", "comparison.json"}
        foreign = sorted(entry.name for entry in out.iterdir() if entry.name not in written)
        if foreign:
            raise InputError(
                f"output directory {str(out)!r} holds {foreign[0]!r}, which is not of a comparison: choose another"
            )
        for name in sorted(written):  # never the directory itself: it may be a mount point or a link
            remove_entry(out / name)
    Path(os.path.realpath(out)).mkdir(parents=True, exist_ok=True)


def write_comparison(
    out: Path,
    title: str,
    comparison: Comparison,
    runs: Sequence[MethodRun],
    *,
    json_file: Path | None = None,
    film: bool = True,
    frame_by_frame: bool = False,
    progress: bool = False,
) -> Path:
    """Write comparison.json (also to `json_file`), the films, and comparison.html, whose path is returned."""
    notes = [
        *scene_notes(comparison),
        f"{comparison.frame_count} frames, {comparison.fps:g} a second. CPU times on this machine.",
        "Every method did every frame from the state in which the first one began it."
        if frame_by_frame
        else "Every method ran from the same start; frames that it did not reach count as failed.",
    ]
    rows = json.dumps([run.row() for run in runs], indent=1)
    for path in (out / "comparison.json", *([json_file] if json_file else [])):
        path.write_text(rows, encoding="utf-8")
    films, missing = _films(runs, progress=progress) if film else ({}, ["No films were made."])
    notes += missing
    return write_page(out / "comparison.html", title, runs, films=films, notes=notes)


def scene_notes(comparison: Comparison) -> list[str]:
    """Notes on what was simulated: version, bodies with their vertices, friction and time step."""
    scene = comparison.scene()
    counts = {name: len(getattr(body, "positions", ())) for name, body in scene.bodies.items()}
    counts = {name: count for name, count in counts.items() if count}
    vertices = sum(counts.values())
    frictions = sorted({body.friction for body in scene.bodies.values()})
    named = ", ".join(f"{name} {count:,}" for name, count in list(counts.items())[:MOST_NAMED])
    more = f" and {len(counts) - MOST_NAMED} more" if len(counts) > MOST_NAMED else ""
    friction = f"{frictions[0]:g}" if len(frictions) == 1 else f"{frictions[0]:g} to {frictions[-1]:g}"
    return [
        f"Signorini {__version__}, scene {scene.name!r}: {vertices:,} vertices ({named}{more}); friction {friction}; "
        f"dt = {quantity(comparison.dt, 's')}, which methods make fit into a frame or divide as they need."
    ]


def _films(runs: Sequence[MethodRun], *, progress: bool) -> tuple[dict[str, Path], list[str]]:
    """Films by method, the reasons of those that are missing, and how the others are played."""
    films: dict[str, Path] = {}
    missing, said = [], set()
    for run in runs:
        if run.directory is None or not run.records or all(record.failed for record in run.records):
            why = (
                "its frames are those of the first method"
                if run.records and run.directory is None
                else "it has no frames"
            )
            missing.append(f"No film of {run.method}: {'it refused the scene' if run.outcome == 'refused' else why}.")
            continue
        trajectory = Trajectory.open(run.directory)
        try:
            every, fps, words = film_pace(trajectory.times)
            options: dict[str, Any] = {"size": FILM_SIZE, "every": every, "fps": fps, "progress": progress}
            films[run.method] = render_film(trajectory, run.directory / "film.mp4", **options)
            said |= {f"The films: {words}."} if words else set()
        except MissingExtraError as error:
            return {}, [f"No films: {error}"]
    return films, [*missing, *sorted(said)]

"""The output directory of a comparison: rows as JSON, the page, and one run directory with a film for each method."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.output_directory import remove_entry
from signorini.files.runs.run_lock import check_unlocked
from signorini.files.runs.trajectory import Trajectory
from signorini.render.pictures import render_film
from signorini.studies.comparison import Comparison
from signorini.studies.comparison_methods import METHODS
from signorini.studies.comparison_page import write_page
from signorini.studies.comparison_records import MethodRun

FILM_SIZE = (640, 480)
"""Width and height of a film [pixels]: two of them fit side by side on the page."""


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
        f"{comparison.frame_count} frames, {comparison.fps:g} a second. CPU times on this machine.",
        "Every method did every frame from the state in which the first one began it."
        if frame_by_frame
        else "Every method ran from the same start; frames that it did not reach count as failed.",
    ]
    rows = json.dumps([run.row() for run in runs], indent=1)
    for path in (out / "comparison.json", *([json_file] if json_file else [])):
        path.write_text(rows, encoding="utf-8")
    films: dict[str, Path] = {}
    if film:
        films, missing = _films(out, runs, progress=progress)
        notes += missing
    return write_page(out / "comparison.html", title, runs, films=films, notes=notes)


def _films(out: Path, runs: Sequence[MethodRun], *, progress: bool) -> tuple[dict[str, Path], list[str]]:
    """Films by method, as paths from `out`; and the reason if there are none."""
    films: dict[str, Path] = {}
    for run in runs:
        if run.directory is None or all(record.failed for record in run.records):
            continue
        trajectory = Trajectory.open(run.directory)
        try:
            path = render_film(trajectory, run.directory / "film.mp4", size=FILM_SIZE, progress=progress)
        except MissingExtraError as error:
            return {}, [f"No films: {error}"]
        films[run.method] = path.relative_to(out)
    return films, []

"""The output directory of a sweep: what is in it, who may write it, and which sweep it belongs to.

OUT/sweep.json        the scene, and how the sweep was asked for
OUT/journal.jsonl     one line per finished run, appended
OUT/runs.csv          the table, made from the journal; runs.parquet is the same
OUT/runs/ID/          one run directory per run
OUT/dataset.zarr/     all trajectories
OUT/index.html        plots and pictures; pictures/ belongs to it
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from signorini.errors import InputError
from signorini.files.runs.output_directory import PARTIAL, remove_entry, replace_file
from signorini.files.runs.run_lock import LOCK_FILE, RunLock
from signorini.studies.sweep.journal import JOURNAL
from signorini.studies.sweep.plan import Plan

FORMAT = "signorini-sweep-1"
SWEEP_FILE = "sweep.json"
ENTRIES = ("index.html", "pictures", "dataset.zarr", "runs", "runs.csv", "runs.parquet", JOURNAL, SWEEP_FILE)
"""What a sweep writes, in the order in which it is removed."""


def claim_sweep_directory(out: Path, plan: Plan, *, force: bool) -> RunLock:
    """Make and lock the directory of a sweep, or go on with the one that is there; `force` begins anew."""
    if out.exists() and not out.is_dir():
        raise InputError(f"output directory {str(out)!r} is a file: choose another with -o")
    try:
        Path(os.path.realpath(out)).mkdir(parents=True, exist_ok=True)
        lock = RunLock.acquire(out)
    except (PermissionError, FileExistsError, NotADirectoryError) as error:
        raise InputError(f"output directory {str(out)!r} cannot be written: {error.strerror}") from None
    try:
        _check_contents(out, plan, force=force)
        if force:
            for name in ENTRIES:
                remove_entry(out / name)
        remove_leftovers(out)
        if plan.run is None:
            (out / "runs").mkdir(exist_ok=True)
        about = json.dumps(_about(plan), indent=1, default=str) + "\n"
        replace_file(out / SWEEP_FILE, lambda file: file.write(about.encode()))
    except BaseException:
        lock.release()
        raise
    return lock


def remove_leftovers(out: Path) -> None:
    """Remove what workers that were killed had begun to write; only while no worker writes."""
    for left in (*out.glob(f".*{PARTIAL}"), *(out / "runs").glob(f".*{PARTIAL}"), *out.glob(".seen-by-workers.*")):
        remove_entry(left)


def _about(plan: Plan) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "scene": plan.source.name,
        "identity": plan.source.identity,
        "parameters": plan.names,
        "fixed": plan.fixed,
        "metrics": [metric if isinstance(metric, str) else metric.__name__ for metric in plan.metrics],
        "runs": len(plan.runs),
        "dataset": plan.dataset,
    }


def _check_contents(out: Path, plan: Plan, *, force: bool) -> None:
    """Refuse a directory that holds something else than this sweep."""
    foreign = sorted(
        entry.name
        for entry in out.iterdir()
        if entry.name not in (*ENTRIES, LOCK_FILE, "lost+found") and not entry.name.startswith(".")
    )
    if foreign:
        raise InputError(
            f"output directory {str(out)!r} holds {foreign[0]!r}, which is not of a sweep: choose another with -o"
        )
    file = out / SWEEP_FILE
    if force or not file.exists():
        return
    try:
        scene = json.loads(file.read_bytes())["scene"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{str(file)!r} is damaged: put it back from a copy, or begin anew with --force, which removes all runs"
        ) from None
    if scene != plan.source.name:
        raise InputError(
            f"output directory {str(out)!r} holds a sweep of {scene!r}: choose another with -o, or remove that with --force"
        )

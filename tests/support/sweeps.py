"""Small scenes for tests of sweeps: a block on a slope of 25°, which a run of some steps takes milliseconds for."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

import signorini as sg
from signorini.studies.sweep.one_run import Outcome, perform
from signorini.studies.sweep.table import MEASURED

EXAMPLE = Path(__file__).parents[2] / "examples/sweep"
SLOPE = (EXAMPLE / "slope.toml").read_text(encoding="utf-8")
THETA = np.deg2rad(25.0)


def slope_file(folder: Path) -> Path:
    """The scene file of the block on the slope."""
    file = folder / "slope.toml"
    file.write_text(SLOPE, encoding="utf-8")
    return file


def block_on_slope(*, friction: float = 0.5) -> sg.Scene:
    """The same scene from Python."""
    scene = sg.Scene(friction=friction, name="slope")
    scene.add_rigid(
        sg.shapes.box(0.1, 0.1, 0.1),
        density=500.0,
        position=(0.0215, 0.0, 0.0464),
        rotation=(0.0, THETA, 0.0),
        name="block",
    )
    scene.add_ground(normal=(np.sin(THETA), 0.0, np.cos(THETA)), name="slope")
    return scene


class InlineEngine:
    """An engine that does the runs in this process, one after another."""

    def __init__(self, job, *_):
        self.job = job

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def outcomes(self, runs):
        for planned in runs:
            outcome: Outcome = perform(self.job, planned)
            outcome.measured |= {"attempts": 1, "worker": "inline"}
            yield outcome


def troubled_block(*, friction: float, marks: str) -> sg.Scene:
    """The block; 0.2 kills its process once, 0.3 always, 0.4 never ends, and 0.5 takes 600 MB and never ends."""
    mark = Path(marks) / f"{friction}"
    mark.write_text(f"{mark.read_text() if mark.exists() else ''}x")
    if friction == 0.3 or (friction == 0.2 and mark.read_text() == "x"):
        os.kill(os.getpid(), signal.SIGKILL)
    if friction in (0.4, 0.5):
        hoard = np.ones(75_000_000 if friction == 0.5 else 1)
        time.sleep(600.0 + 0.0 * hoard[0])
    return block_on_slope(friction=friction)


def unmeasured(table: sg.SweepTable) -> list[dict]:
    """The rows of a table without what depends on the machine."""
    return [{key: value for key, value in row.items() if key not in MEASURED} for row in table.rows]

"""Runs of a simulation that only pretends to compute, for tests of output directories."""

from __future__ import annotations

import json

import numpy as np

from signorini.files.runs.runner import run_to_directory
from signorini.files.runs.trajectory import Trajectory
from support.fake_simulation import FakeSimulation, small_scene


def fake(**options) -> FakeSimulation:
    return FakeSimulation(small_scene(), dt=0.01, **options)


def run(out, sim=None, *, seconds=0.4, **options):
    return run_to_directory(sim or fake(), seconds=seconds, fps=30, out=out, **options)


def assert_same_run(a, b) -> None:
    x, y = Trajectory.open(a), Trajectory.open(b)
    np.testing.assert_array_equal(x.times, y.times)
    for name in x.bodies:
        for k in range(x.frame_count):
            np.testing.assert_array_equal(x.positions(name, k), y.positions(name, k))
    assert (a / "steps.csv").read_text() == (b / "steps.csv").read_text()
    left, right = (json.loads((p / "summary.json").read_text()) for p in (a, b))
    for summary in (left, right):
        for name in ("wall_seconds", "cpu_seconds", "peak_memory_mb"):
            del summary[name]
    assert left == right

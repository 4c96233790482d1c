"""No memory is lost: a hundred thousand steps of a small scene need no more than the first ten thousand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import signorini as sg

STEPS = 100_000
MOST_GROWTH = 2.0
"""Megabytes by which the process may grow from the first tenth of the steps on: 22 bytes a step."""


def resident_megabytes() -> float:
    """Memory of the process now [MB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
def test_a_hundred_thousand_steps_need_no_more_memory_than_ten_thousand() -> None:
    scene = sg.Scene(friction=0.5)
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.2), density=500, position=(0.1, 0, 0.105), name="box")
    turning = sg.motions.Rotate(rate=0.5)
    scene.add_kinematic(sg.shapes.grid(2.0, 2.0, cells=2), motion=turning, name="turntable")
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(STEPS // 10):
        sim.step()
    before = resident_megabytes()
    while sim.step_index < STEPS:
        report = sim.step()
        assert report.sleeping_bodies == 0, "the turntable moves: nothing may sleep on it"
    assert resident_megabytes() - before < MOST_GROWTH
    assert sim.bodies["box"].positions[:, 2].min() > 0.0

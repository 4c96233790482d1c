"""A sheet whose edges are parallel to those of the triangles below, with vertices exactly above an edge."""

from __future__ import annotations

import numpy as np

import signorini as sg

GRAVITY = 9.81
DT = 4e-3
DELTA = 3e-3
CLEARANCE = 1e-3


def test_sheet_lands_on_parallel_edges_at_the_contact_distance() -> None:
    """To what the solver's tolerance lets a vertex move in a step, 2 µm; free fall over 1 mm takes 4 steps.

    The middle rows are above the seams of the cells of the box, and one vertex is above another. If rounding may take their
    contacts (decision 0005), the sheet comes 0.96 mm too low.
    """
    scene = sg.Scene(gravity=(0.0, 0.0, -GRAVITY), friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=6), position=(0.0, 0.0, DELTA + CLEARANCE), name="sheet")
    scene.add_kinematic(sg.shapes.box(1.0, 1.0, 0.1, cells=(2, 2, 1)), position=(0.0, 0.0, -0.05), name="plate")
    sim = sg.Simulation(scene, dt=DT, settings=sg.Settings(contact_distance=DELTA))
    allowed = sg.SolverSettings().residual * DT
    lowest, sheet = np.inf, sim.bodies["sheet"]
    for _ in range(20):
        sim.step()
        lowest = min(lowest, float(sheet.positions[:, 2].min()))
    assert lowest > DELTA - allowed, f"{1e6 * (DELTA - lowest):.3g} µm below the contact distance"
    assert np.abs(sheet.positions[:, 2] - DELTA).max() < allowed

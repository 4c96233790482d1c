"""Semicircular arches of loose stones: every contact problem is solved, none is called infeasible, and they stand still."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

RADIUS, THICKNESS, DEPTH = 5.0, 1.0, 1.0
"""Inner radius, and the size of the stones along it and along the barrel [m]."""
JOINT = 5e-4
"""Half the width of a joint at the start [m]."""
TRIANGLES = np.array(
    [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 5, 4], [0, 1, 5], [1, 6, 5], [1, 2, 6], [2, 7, 6], [2, 3, 7],
     [3, 4, 7], [3, 0, 4]]
)  # fmt: skip


def arch(stones: int) -> sg.Scene:
    scene = sg.Scene(friction=0.7)
    edges = np.linspace(0.0, np.pi, stones + 1)
    ring = [(0, RADIUS), (1, RADIUS), (1, RADIUS + THICKNESS), (0, RADIUS + THICKNESS)]
    for i in range(stones):
        angles = edges[i] + JOINT / RADIUS, edges[i + 1] - JOINT / RADIUS
        corners = [(r * np.cos(angles[k]), y, r * np.sin(angles[k])) for y in (-DEPTH / 2, DEPTH / 2) for k, r in ring]
        centre = np.mean(corners, axis=0)
        triangles = TRIANGLES[:, ::-1] if volume(np.array(corners) - centre) < 0.0 else TRIANGLES
        stone = sg.TriangleMesh(np.array(corners) - centre, triangles)
        scene.add_rigid(stone, density=2000, position=tuple(centre), name=f"stone-{i}")
    abutment = sg.shapes.box(2.0 * THICKNESS, 2.0 * DEPTH, 1.0)
    for side in (-1.0, 1.0):
        scene.add_kinematic(
            abutment, position=(side * (RADIUS + 0.5 * THICKNESS), 0.0, -0.5), name=f"abutment{side:+g}"
        )
    return scene


def volume(corners: np.ndarray) -> float:
    a, b, c = (corners[TRIANGLES[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


@pytest.mark.parametrize(
    ("stones", "steps"),
    [(25, 40), (101, 8), pytest.param(25, 250, marks=pytest.mark.slow), pytest.param(101, 250, marks=pytest.mark.slow)],
)
def test_every_solve_converges(stones, steps):
    simulation = sg.Simulation(arch(stones), settings=sg.Settings(contact_distance=2.0 * JOINT))
    reports = [simulation.step() for _ in range(steps)]
    assert all(r.solves == r.solves_converged and r.infeasible_contacts == 0 for r in reports)
    if steps >= 250:
        assert max(np.abs(simulation.bodies[f"stone-{i}"].velocities).max() for i in range(stones)) < 2e-3

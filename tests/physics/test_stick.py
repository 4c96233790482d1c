"""Stick is stick: blocks on a slope just above the threshold of sliding do not creep, and towers stand.

On a slope of tan θ = 0.5 with μ = 0.51, 2 % above the threshold, every kind of block moves by less than 1 µm in 10 s after
it has come to rest, with the settings that are shipped. The bound of the short version is the same speed over 1 s.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.geometry import tet_shapes
from signorini.geometry.lattice import lattice

THETA = np.arctan(0.5)
DT = 4e-3
SIZE = (0.2, 0.2, 0.06)
KINDS = ("cloth", "rigid", "corotational", "neo-hookean", "embedded")
SOFT = {"young": 1e6, "poisson": 0.3, "density": 1000.0, "stiffness_damping": 0.01, "mass_damping": 0.0}
SECONDS = [1.0, pytest.param(10.0, marks=pytest.mark.slow)]
CREEP = 1e-7
"""1 µm in 10 s [m/s]."""
SETTLING = 1.0
"""[s]"""


def on_slope(kind):
    """A block of one kind just above the slope, and the downhill direction."""
    slope = Rotation.from_rotvec((0.0, THETA, 0.0))
    downhill, normal = slope.apply((1.0, 0.0, 0.0)), slope.apply((0.0, 0.0, 1.0))
    scene = sg.Scene(friction=0.51)
    where = {"rotation": tuple((slope * Rotation.from_rotvec((0.0, 0.0, 0.4))).as_rotvec()), "name": "block"}
    above = tuple((0.5 * SIZE[2] + 1.2e-3) * normal)
    if kind == "cloth":
        scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=6), position=tuple(4e-3 * normal), **where)
    elif kind == "rigid":
        scene.add_rigid(sg.shapes.box(*SIZE), density=1000.0, position=above, **where)
    elif kind == "embedded":
        surface = sg.shapes.box(*SIZE, cells=(4, 4, 1))
        scene.add_soft_solid(lattice(surface, cell=0.07), surface=surface, position=above, **SOFT, **where)
    else:
        tets = tet_shapes.box_tets(*SIZE, cells=(3, 3, 1))
        scene.add_soft_solid(tets, model=kind, position=above, **SOFT, **where)
    scene.add_ground(normal=tuple(normal), name="slope")
    return sg.Simulation(scene, dt=DT), downhill


def tower(kind):
    """Ten boxes of 0.1 × 0.1 × 0.05 m on each other, each turned against the one below."""
    scene = sg.Scene(friction=0.5)
    for k in range(10):
        where = {
            "position": (0.004 * (-1) ** k, 0.0, 0.0255 + 0.0505 * k),
            "rotation": (0.0, 0.0, 0.3 * k),
            "name": f"box {k}",
        }
        if kind == "rigid":
            scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.05), density=500.0, **where)
        else:
            soft = {**SOFT, "density": 500.0}
            scene.add_soft_solid(tet_shapes.box_tets(0.1, 0.1, 0.05, cells=(2, 2, 1)), **soft, **where)
    scene.add_ground(name="ground")
    return sg.Simulation(scene, dt=DT, settings=sg.Settings(contact_distance=5e-4))


def centers(sim):
    """(10, 3) of the boxes of a tower."""
    return np.array([sim.bodies[f"box {k}"].positions.mean(axis=0) for k in range(10)])


@pytest.mark.parametrize("seconds", SECONDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_block_above_the_threshold_does_not_creep(kind, seconds):
    """No vertex moves along the slope by more than 0.1 µm a second."""
    sim, downhill = on_slope(kind)
    for _ in range(round(SETTLING / DT)):
        sim.step()
    start = sim.bodies["block"].positions.copy()
    reports = [sim.step() for _ in range(round(seconds / DT))]
    moved = sim.bodies["block"].positions - start
    assert all(r.solves_converged == r.solves for r in reports)
    message = f"{1e6 * (moved @ downhill).mean():.3g} µm downhill, {1e6 * np.abs(moved).max():.3g} µm at most in {seconds:g} s"
    assert np.abs(moved).max() < CREEP * seconds, message


@pytest.mark.parametrize("seconds", SECONDS)
@pytest.mark.parametrize("kind", ["rigid", "soft"])
def test_a_tower_of_ten_boxes_stands(kind, seconds):
    """No box moves by more than 1 mm sideways, and after it has settled by 0.1 mm downward."""
    sim = tower(kind)
    start = centers(sim)
    for _ in range(round(0.5 / DT)):
        sim.step()
    settled = centers(sim)
    for _ in range(round(seconds / DT)):
        report = sim.step()
        assert report.min_distance > 0.0
        assert report.failsafe_substeps == 0
        assert report.solves_converged == report.solves
    moved = centers(sim) - start
    assert np.abs(moved[:, :2]).max() < 1e-3, f"{1e3 * np.abs(moved[:, :2]).max():.3g} mm sideways"
    sunk = np.abs(centers(sim) - settled)[:, 2].max()
    assert sunk < 1e-4, f"{1e3 * sunk:.3g} mm up or down since it settled"
    assert sim.intersections() == 0

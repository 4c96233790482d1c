"""`vertebrae`: the disc is squeezed, bulges and carries the load from one vertebra to the other."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.errors import InputError
from signorini.gallery.vertebrae import SCENE
from support.scene_runs import run

DATA = os.environ.get("SIGNORINI_EXTERNAL_DATA")
external = pytest.mark.skipif(DATA is None, reason="SIGNORINI_EXTERNAL_DATA is not set: no vertebrae to load")


def test_the_disc_is_squeezed_and_bulges():
    sim = sg.Simulation(SCENE.build(resolution=13), dt=10e-3)
    disc = sim.bodies["disc"]
    start = disc.positions.copy()
    reports = run(sim, 60)
    assert all(r.solves_converged == r.solves for r in reports)
    approach = sim.bodies["upper vertebra"].center[2] - sim.bodies["lower vertebra"].center[2]
    assert 0.0355 < approach < 0.0365, "38 mm at the start"
    assert np.ptp(disc.positions[:, 2]) < np.ptp(start[:, 2])
    assert np.ptp(disc.positions[:, 0]) > np.ptp(start[:, 0]) + 3e-4
    load, support = sim.contact_force("upper plate")[2], sim.contact_force("lower plate")[2]
    assert load > 300.0
    assert -support == pytest.approx(load, rel=0.02)


@pytest.mark.parametrize("resolution", [13, 19, 26])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert len(scene.bodies["disc"].tets.tetrahedra) == pytest.approx(0.9 * resolution**3, rel=0.2)
    assert scene.name == SCENE.name


@external
def test_the_users_own_files():
    """L3, L4 and their disc, in millimetres: 15 steps in which the upper one falls on the disc."""
    spine = Path(str(DATA)) / "spine"
    scene = SCENE.build(lower=spine / "FMA13075.stl", upper=spine / "FMA13074.stl", disc=spine / "FMA16035.stl")
    sim = sg.Simulation(scene, dt=2e-3)
    reports = run(sim, 15)
    assert max(r.active_count for r in reports) > 5
    assert all(r.solves_converged == r.solves for r in reports)


def test_files_must_be_complete():
    with pytest.raises(InputError, match="all of the files"):
        SCENE.build(lower="L4.stl")


def test_friction_and_stiffness_are_taken():
    plain, changed = SCENE.build(resolution=13), SCENE.build(resolution=13, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["disc"].material == plain.bodies["disc"].material.scaled(2.0)

"""No instant of a step intersects, whatever spins: random rods and plates, rates up to many turns a step, free and scripted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import signorini as sg
from signorini.collision.intersections import find_intersections
from support.true_path import check_steps


def random_scene(seed: int, angle: float, dt: float, *, scripted: bool) -> sg.Scene:
    """A rod of random shape that turns by `angle` [rad] in dt [s] among three small bodies at random places."""
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    scene = sg.Scene(gravity=(0, 0, 0), friction=float(rng.uniform(0, 0.5)))
    for _ in range(3):
        place = (rng.uniform(0.1, 0.3) * unit(rng)).tolist()
        box = sg.shapes.box(*rng.uniform(0.01, 0.1, 3))
        if scripted or rng.random() < 0.3:
            scene.add_rigid(box, density=400, position=place, rotation=rng.standard_normal(3).tolist())
        else:
            scene.add_kinematic(box, position=place, rotation=rng.standard_normal(3).tolist())
    rod = sg.shapes.box(0.5, *rng.uniform(0.005, 0.03, 2), cells=(6, 1, 1))
    start = rng.standard_normal(3).tolist()
    if scripted:
        motion = sg.motions.Rotate(rate=angle / dt, axis=tuple(axis), center=tuple(rng.uniform(-0.1, 0.1, 3)))
        scene.add_kinematic(rod, rotation=start, motion=motion)
    else:
        velocity, spin = (rng.uniform(0, 0.2) / dt * unit(rng)).tolist(), (angle / dt * axis).tolist()
        scene.add_rigid(rod, density=1000, rotation=start, angular_velocity=spin, velocity=velocity)
    return scene


def unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.standard_normal(3)
    return v / np.linalg.norm(v)


def check(seed: int, angle: float, *, scripted: bool, instants: int) -> None:
    dt = 0.01
    try:
        sim = sg.Simulation(random_scene(seed, angle, dt, scripted=scripted), dt=dt)
    except sg.InputError:
        return  # something intersects at the start
    try:
        check_steps(sim, 1, instants=instants)
    except sg.SimulationStoppedError:
        assert scripted  # a rotor can squeeze what lies between it and another body
        assert not len(find_intersections(sim._world.tree, sim._moment.surface_positions))


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), angle=st.floats(0.0, 8.0))
def test_free_bodies(seed: int, angle: float) -> None:
    check(seed, angle, scripted=False, instants=100)


@settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), angle=st.floats(0.0, 8.0))
def test_scripted_bodies(seed: int, angle: float) -> None:
    check(seed, angle, scripted=True, instants=100)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), angle=st.floats(0.0, 40.0), scripted=st.booleans())
def test_many_bodies_densely(seed: int, angle: float, scripted: bool) -> None:
    check(seed, angle, scripted=scripted, instants=2000)

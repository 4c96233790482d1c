"""Steps in which bodies turn far: no instant of the true motion intersects anything (issue 13, finding 2)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import signorini as sg
from signorini.characters.dancer import procedural_dancer
from signorini.studies.absurd_scenes import rod_and_plate
from support.true_path import check_steps


def rotor_and_bar(motion: object) -> sg.Scene:
    """The same with a scripted rod and a free bar in its way."""
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rigid(sg.shapes.box(0.02, 0.14, 0.1), density=500, position=(0, 0.33, 0), name="bar")
    rod = sg.shapes.box(0.6, 0.01, 0.01, cells=(12, 1, 1))
    scene.add_kinematic(rod, rotation=(0, 0, np.pi / 2 - 0.6), motion=motion, name="rotor")  # pyright: ignore[reportArgumentType]
    return scene


def spin(rate: float):
    """A rotation about z as a plain function, of which nothing is known."""

    def moved(rest: np.ndarray, time: float) -> np.ndarray:
        c, s = np.cos(rate * time), np.sin(rate * time)
        return rest @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])

    return moved


@pytest.mark.parametrize(("rate", "dt", "steps"), [(100, 12e-3, 2), (100, 4e-3, 4), (1000, 12e-3, 1), (1e4, 12e-3, 1)])
def test_a_spinning_rod_hits_the_plate(rate: float, dt: float, steps: int) -> None:
    """1.2, 0.4, 12 and 120 rad in a step; before, the first and the third passed the plate without a contact."""
    sim = sg.Simulation(rod_and_plate(rate), dt=dt)
    _, reports = check_steps(sim, steps, instants=250)
    energy = [24.30675e-4 * rate**2, *(r.kinetic_energy for r in reports)]
    assert all(after <= 1.001 * before for before, after in pairwise(energy))
    assert energy[-1] < 0.9 * energy[0]  # it has hit the plate


def test_a_free_body_turns_by_its_whole_angle() -> None:
    """Several turns in a step are not mistaken for their remainder."""
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rigid(sg.shapes.box(0.6, 0.01, 0.01), density=2700, angular_velocity=(0, 0, 1000.0))
    motions, _ = check_steps(sg.Simulation(scene, dt=0.012), 2, instants=20)
    for motion in motions:
        np.testing.assert_allclose(motion.placed.turns, [[0, 0, 12.0]], atol=1e-9)


@pytest.mark.parametrize(
    ("motion", "dt"),
    [
        (sg.motions.Rotate(rate=100.0), 12e-3),
        (sg.motions.Rotate(rate=1000.0), 12e-3),
        (sg.motions.Rotate(rate=-2000.0), 5e-3),
        (sg.motions.Turn(angle=2.0, duration=0.02), 10e-3),
        (sg.motions.Keyframes(times=(0.0, 0.02), rotations=((0, 0, 0), (0, 0, 2.4))), 20e-3),
        (sg.motions.Chain((sg.motions.Rotate(rate=100.0), sg.motions.Translate(velocity=(0.0, 2.0, 0.0)))), 12e-3),
        (spin(100.0), 12e-3),
        (spin(2000.0 * np.pi), 2e-3),  # two turns: everything is back at the end of the step
    ],
    ids=["rotate", "rotate-12-rad", "rotate-back", "turn", "keyframes", "chain", "function", "function-two-turns"],
)
def test_a_scripted_rotor_sweeps_what_is_in_its_way(motion: object, dt: float) -> None:
    sim = sg.Simulation(rotor_and_bar(motion), dt=dt)
    try:
        check_steps(sim, 1, instants=200)
    except sg.SimulationStoppedError:
        pytest.fail("the bar has room to go")
    assert np.linalg.norm(sim.state.v[0]) > 0.5


@pytest.mark.parametrize("method", ["volume", "impulses"])
def test_the_collision_loops_certify_the_same_paths(method: str) -> None:
    sim = sg.Simulation(rod_and_plate(100.0), dt=12e-3, settings=sg.Settings(method=method))  # pyright: ignore[reportArgumentType]
    check_steps(sim, 1, instants=200)


@pytest.mark.parametrize("failsafe", ["scale-back", "impact-zones", "inelastic-projection"])
def test_failsafes_certify_the_same_paths(failsafe: str) -> None:
    settings = sg.Settings(failsafe=failsafe, max_refinements=1, max_halvings=0)  # pyright: ignore[reportArgumentType]
    sim = sg.Simulation(rod_and_plate(50.0), dt=12e-3, settings=settings)
    check_steps(sim, 2, instants=150)


@pytest.mark.parametrize("body", ["capsules", "blended"])
def test_the_arms_of_a_dancer_who_spins_sweep_what_is_in_their_way(body: str) -> None:
    """Her hands go half around in a step: chords of their points miss the bar."""
    skeleton = procedural_dancer(turns=1.0, turn_time=0.04, arms=(0.0, 0.0))
    mesh, motion = skeleton.surface(body=body, edge=0.06)  # pyright: ignore[reportArgumentType]
    scene, top = sg.Scene(gravity=(0, 0, 0)), 0.95 * float(mesh.vertices[:, 0].max())
    scene.add_kinematic(mesh, motion=motion, name="dancer")
    height = float(mesh.vertices[mesh.vertices[:, 0] > top][:, 2].mean())
    scene.add_rigid(sg.shapes.box(0.02, 0.02, 0.3), density=500, position=(0.02, -0.92 * top, height), name="bar")
    sim = sg.Simulation(scene, dt=20e-3)
    try:
        check_steps(sim, 2, instants=100)
    except sg.SimulationStoppedError:
        pytest.fail("the bar has room to go")
    assert np.linalg.norm(sim.bodies["bar"].velocity) > 0.5  # pyright: ignore[reportAttributeAccessIssue]


def test_a_body_that_rests_on_a_turntable_stays_there() -> None:
    """The paths of what turns together must not look like impacts: no halving, no fail-safe."""
    scene = sg.Scene(friction=0.8)
    disc = sg.shapes.box(0.6, 0.6, 0.02, cells=(6, 6, 1))
    scene.add_kinematic(disc, position=(0, 0, -0.011), motion=sg.motions.Rotate(rate=4.0))
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=500, position=(0.05, 0, 0.055), angular_velocity=(0, 0, 4.0))
    sim = sg.Simulation(scene, dt=4e-3)
    reports = [sim.step() for _ in range(30)]
    assert sum(r.halvings + r.failsafe_substeps for r in reports) == 0

"""Rolling and spinning: meshes of balls and cylinders move as the smooth bodies that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.studies.validation.cases.collisions import tumbling
from signorini.studies.validation.cases.rolling import ACROSS, TILTED, speed_error

G = 9.81


def add_ground(scene: sg.Scene, ground: str) -> None:
    if ground == "plane":
        scene.add_ground()
    else:
        scene.add_kinematic(sg.shapes.grid(3.0, 0.6, cells=(30, 6)), position=(0.5, 0.0, 0.0))


@pytest.mark.parametrize("motion", ["slope", "level", "spin"])
@pytest.mark.parametrize(("radius", "subdivisions", "ground"), [(0.01, 2, "plane"), (0.05, 4, "mesh")])
def test_ball_rolls_and_spins(motion: str, radius: float, subdivisions: int, ground: str) -> None:
    """Before: -47 to -100 %."""
    mesh = sg.shapes.sphere(radius, subdivisions=subdivisions)
    assert abs(speed_error(motion, mesh, radius, TILTED, ground=ground, seconds=0.2)) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["slope", "level", "spin"])
@pytest.mark.parametrize("dt", [1e-3, 4e-3, 1e-2])
@pytest.mark.parametrize("radius", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("subdivisions", [2, 4, 8])
def test_balls_of_all_sizes_and_meshes_roll(motion: str, dt: float, radius: float, subdivisions: int) -> None:
    mesh = sg.shapes.sphere(radius, subdivisions=subdivisions)
    assert abs(speed_error(motion, mesh, radius, TILTED, dt=dt)) < 0.01
    assert abs(speed_error(motion, mesh, radius, TILTED, dt=dt, ground="mesh")) < 0.01


@pytest.mark.parametrize("motion", ["slope", "spin"])
def test_cylinder_rolls(motion: str) -> None:
    mesh = sg.shapes.cylinder(0.05, 0.1, edge=0.02)
    assert abs(speed_error(motion, mesh, 0.05, ACROSS, seconds=0.2)) < 0.01


def prism(radius: float, height: float, sides: int) -> sg.TriangleMesh:
    """A cylinder whose only vertices are on its two rims and in the middle of its ends."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, -0.5 * height)])
    ends = np.array([[0.0, 0.0, -0.5 * height], [0.0, 0.0, 0.5 * height]])
    i, n = np.arange(sides), sides
    j = (i + 1) % n
    triangles = np.concatenate(
        [
            np.column_stack([i, j, n + j]),
            np.column_stack([i, n + j, n + i]),
            np.column_stack([0 * i + 2 * n, j, i]),
            np.column_stack([0 * i + 2 * n + 1, n + i, n + j]),
        ]
    )
    return sg.TriangleMesh(
        np.concatenate([ring, ring + np.array([0.0, 0.0, height]), ends]), triangles.astype(np.int32)
    )


@pytest.mark.parametrize("sides", [16, 100])
def test_cylinder_rolls_on_its_rims(sides: int) -> None:
    """Also if it has no other vertices, and however fine it is: fine meshes were braked as much."""
    assert abs(speed_error("level", prism(0.05, 0.1, sides), 0.05, ACROSS, ground="mesh", seconds=0.2)) < 0.01


def test_polyhedra_stay_polyhedra() -> None:
    """A body that is not smooth, or not to be taken as such, falls from facet to facet."""
    assert speed_error("level", prism(0.05, 0.1, 8), 0.05, ACROSS, seconds=0.2) < -0.1
    assert speed_error("level", sg.shapes.sphere(0.05, subdivisions=2), 0.05, TILTED, smooth=False, seconds=0.2) < -0.1


def test_dropped_ball_keeps_its_spin() -> None:
    """It meets the ground within a step, by continuous detection; friction is zero."""
    scene = sg.Scene(friction=0.0)
    ball = sg.shapes.sphere(0.02, subdivisions=4)
    scene.add_rigid(ball, density=1000, position=(0.01, 0.02, 0.3), angular_velocity=(5, 20, 3), name="ball")
    add_ground(scene, "mesh")
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(80):
        sim.step()
    view = sim.bodies["ball"]
    assert isinstance(view, sg.RigidView)
    assert abs(view.center[2] - 0.02 - sim.contact_distance) < 1e-5
    np.testing.assert_allclose(view.angular_velocity, (5, 20, 3), rtol=1e-3, atol=1e-2)
    assert sim.intersections() == 0


def test_contact_of_a_rolling_ball_is_below_its_centre() -> None:
    scene = sg.Scene(friction=0.5)
    ball = sg.shapes.sphere(0.05, subdivisions=3)
    body = scene.add_rigid(
        ball, density=1000, position=(0, 0, 0.052), velocity=(1, 0, 0), angular_velocity=(0, 20, 0), name="ball"
    )
    scene.add_ground()
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(30):
        sim.step()
    (contact,) = sim.contacts()
    view = sim.bodies["ball"]
    assert isinstance(view, sg.RigidView)
    np.testing.assert_allclose(contact.point, view.center - [0, 0, 0.05], atol=1e-5)
    np.testing.assert_allclose(sim.contact_torque("ball"), 0.0, atol=1e-4 * contact.normal_force * 0.05)
    assert contact.normal_force == pytest.approx(body.mass * G, rel=1e-3)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize(("a", "b"), [("box", "box"), ("ball", "box"), ("cylinder", "ball")])
def test_collisions_keep_the_angular_momentum(a: str, b: str, friction: float) -> None:
    """Before: changes of up to 0.4 %, because the impulses acted in two points."""
    moved, turned, grown, lost = tumbling(a, b, friction)
    assert grown < 1e-9
    assert lost > 0.05  # they did meet
    assert moved < 1e-6
    assert turned < 1e-5

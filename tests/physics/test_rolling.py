"""Rolling and spinning: meshes of balls and cylinders move as the smooth bodies that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.scene.rigid import Rigid

G = 9.81
SLOPE = np.radians(20.0)
SECONDS = 0.5
ACROSS = (np.pi / 2, 0.0, 0.0)
"""Turns the axis of a cylinder across the direction of rolling."""
TILTED = (0.3, 0.7, 0.2)
"""So that no triangle of a ball is parallel to the ground."""


def add_ground(scene: sg.Scene, ground: str) -> None:
    if ground == "plane":
        scene.add_ground()
    else:
        scene.add_kinematic(sg.shapes.grid(3.0, 0.6, cells=(30, 6)), position=(0.5, 0.0, 0.0))


def error(
    motion: str,
    mesh: sg.TriangleMesh,
    radius: float,
    *,
    rotation: tuple[float, float, float] = TILTED,
    ground: str = "plane",
    dt: float = 4e-3,
    seconds: float = SECONDS,
    smooth: bool = True,
) -> float:
    """How much the body is faster at the end than a smooth body of its inertia would be, as a part of that speed."""
    angle = SLOPE if motion == "slope" else 0.0
    gravity = (G * np.sin(angle), 0.0, -G * np.cos(angle))
    scene = sg.Scene(gravity=gravity, friction=0.0 if motion == "spin" else 0.5)
    velocity, spin = {"slope": (0.0, 0.0), "level": (1.0, 1.0 / radius), "spin": (0.0, 20.0)}[motion]
    body = scene.add_rigid(
        mesh,
        density=1000.0,
        rotation=rotation,
        position=(0.013, 0.027, 1.04 * radius),
        velocity=(velocity, 0, 0),
        angular_velocity=(0, spin, 0),
        smooth=smooth,
        name="body",
    )
    add_ground(scene, ground)
    sim = sg.Simulation(scene, dt=dt)
    for _ in range(round(seconds / dt)):
        assert sim.step().status.name == "ACCEPTED"
    view = sim.bodies["body"]
    assert isinstance(view, sg.RigidView)
    if motion == "spin":
        return float(view.angular_velocity[1]) / spin - 1.0
    if motion == "level":
        return float(view.velocity[0]) / velocity - 1.0
    axis = 2 if rotation == ACROSS else 0
    ratio = body.properties.inertia[axis, axis] / (body.mass * radius**2)
    return float(view.velocity[0]) / (G * np.sin(SLOPE) * seconds / (1.0 + ratio)) - 1.0


@pytest.mark.parametrize("motion", ["slope", "level", "spin"])
@pytest.mark.parametrize(("radius", "subdivisions", "ground"), [(0.01, 2, "plane"), (0.05, 4, "mesh")])
def test_ball_rolls_and_spins(motion: str, radius: float, subdivisions: int, ground: str) -> None:
    """Before: -47 to -100 %."""
    mesh = sg.shapes.sphere(radius, subdivisions=subdivisions)
    assert abs(error(motion, mesh, radius, ground=ground, seconds=0.2)) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["slope", "level", "spin"])
@pytest.mark.parametrize("dt", [1e-3, 4e-3, 1e-2])
@pytest.mark.parametrize("radius", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("subdivisions", [2, 4, 8])
def test_balls_of_all_sizes_and_meshes_roll(motion: str, dt: float, radius: float, subdivisions: int) -> None:
    mesh = sg.shapes.sphere(radius, subdivisions=subdivisions)
    assert abs(error(motion, mesh, radius, dt=dt)) < 0.01
    assert abs(error(motion, mesh, radius, dt=dt, ground="mesh")) < 0.01


@pytest.mark.parametrize("motion", ["slope", "spin"])
def test_cylinder_rolls(motion: str) -> None:
    mesh = sg.shapes.cylinder(0.05, 0.1, edge=0.02)
    assert abs(error(motion, mesh, 0.05, rotation=ACROSS, seconds=0.2)) < 0.01


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
    assert abs(error("level", prism(0.05, 0.1, sides), 0.05, rotation=ACROSS, ground="mesh", seconds=0.2)) < 0.01


def test_polyhedra_stay_polyhedra() -> None:
    """A body that is not smooth, or not to be taken as such, falls from facet to facet."""
    assert error("level", prism(0.05, 0.1, 8), 0.05, rotation=ACROSS, seconds=0.2) < -0.1
    assert error("level", sg.shapes.sphere(0.05, subdivisions=2), 0.05, smooth=False, seconds=0.2) < -0.1


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


def totals(sim: sg.Simulation) -> tuple[np.ndarray, float]:
    """Angular momentum about the origin, and kinetic energy, of all rigid bodies."""
    momentum, energy = np.zeros(3), 0.0
    for body in sim.scene.bodies.values():
        view = sim.bodies[body.name]
        assert isinstance(view, sg.RigidView) and isinstance(body, Rigid)
        R, v, w = view.pose[:3, :3], view.velocity, view.angular_velocity
        spin = R @ body.properties.inertia @ R.T @ w
        momentum += np.cross(view.center, body.mass * v) + spin
        energy += float(0.5 * body.mass * v @ v + 0.5 * w @ spin)
    return momentum, energy


MESHES = {
    "box": sg.shapes.box(0.2, 0.15, 0.1),
    "ball": sg.shapes.sphere(0.1, subdivisions=4),
    "cylinder": sg.shapes.cylinder(0.06, 0.2),
}


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize(("a", "b"), [("box", "box"), ("ball", "box"), ("cylinder", "ball")])
def test_collisions_keep_the_angular_momentum(a: str, b: str, friction: float) -> None:
    """Before: changes of up to 0.4 %, because the impulses acted in two points."""
    scene = sg.Scene(gravity=(0, 0, 0), friction=friction)
    scene.add_rigid(MESHES[a], density=1000, rotation=(0.5, 0.1, -0.7), angular_velocity=(3, -4, 2), name="a")
    scene.add_rigid(
        MESHES[b],
        density=700,
        position=(0.35, 0.05, 0.03),
        rotation=(-0.2, 0.9, 0.4),
        velocity=(-3, 0.2, 0.1),
        angular_velocity=(-2, 5, 1),
        name="b",
    )
    sim = sg.Simulation(scene, dt=4e-3)
    before, energy = totals(sim)
    for _ in range(40):
        sim.step()
        assert totals(sim)[1] < energy * (1 + 1e-9)
    after, left = totals(sim)
    assert left < 0.95 * energy  # they did meet
    assert np.linalg.norm(after - before) < 1e-5 * np.linalg.norm(before)

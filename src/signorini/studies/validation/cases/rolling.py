"""Validation case: balls, cylinders and other round bodies roll and spin as smooth bodies of their inertia."""

from __future__ import annotations

import math

import numpy as np

from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene
from signorini.simulation.body_view import RigidView
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81
SLOPE = float(np.radians(20.0))
"""Of the inclined ground [rad]."""
MOTIONS = {
    "slope": "rolls down 20°",
    "level": "rolls on level ground at 1 m/s",
    "spin": "spins at 20 rad/s without friction",
}
ACROSS = (0.5 * math.pi, 0.0, 0.0)
"""Turns the axis of a cylinder across the direction of rolling."""
TILTED = (0.3, 0.7, 0.2)
"""So that no triangle of a ball is parallel to the ground."""


def speed_error(
    motion: str,
    mesh: TriangleMesh,
    radius: float,
    rotation: tuple[float, float, float],
    *,
    ground: str = "plane",
    dt: float = 4e-3,
    seconds: float = 0.5,
    smooth: bool = True,
) -> float:
    """How much faster a body is at the end than a smooth one of its inertia would be, as a share of that speed."""
    angle = SLOPE if motion == "slope" else 0.0
    scene = Scene(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)), friction=0.0 if motion == "spin" else 0.5)
    velocity, spin = {"slope": (0.0, 0.0), "level": (1.0, 1.0 / radius), "spin": (0.0, 20.0)}[motion]
    body = scene.add_rigid(
        mesh, density=1000.0, rotation=rotation, position=(0.013, 0.027, 1.04 * radius), velocity=(velocity, 0.0, 0.0),
        angular_velocity=(0.0, spin, 0.0), smooth=smooth, name="body",
    )  # fmt: skip
    if ground == "plane":
        scene.add_ground()
    else:
        scene.add_kinematic(shapes.grid(4.0, 0.8, cells=(40, 8)), position=(1.0, 0.0, 0.0))
    sim = Simulation(scene, dt=dt)
    for _ in range(round(seconds / dt)):
        sim.step()
    view = sim.bodies["body"]
    assert isinstance(view, RigidView)
    if motion == "spin":
        return float(view.angular_velocity[1]) / spin - 1.0
    if motion == "level":
        return float(view.velocity[0]) / velocity - 1.0
    axis = view.pose[:3, :3].T @ np.array([0.0, 1.0, 0.0])
    ratio = float(axis @ body.properties.inertia @ axis) / (body.mass * radius**2)
    return float(view.velocity[0]) / (G * np.sin(SLOPE) * seconds / (1.0 + ratio)) - 1.0


def sliding_ball(
    *, friction: float = 0.2, speed: float = 2.0, dt: float = 2e-3
) -> tuple[list[float], list[float], float]:
    """Times and speeds of a ball that is thrown on the ground without spin, and I / (m R²) of its mesh."""
    radius, scene = 0.05, Scene(friction=friction)
    mesh = shapes.sphere(radius, subdivisions=4)
    body = scene.add_rigid(
        mesh, density=1000.0, rotation=TILTED, position=(0.0, 0.0, 1.02 * radius), velocity=(speed, 0, 0), name="ball"
    )
    scene.add_ground()
    sim = Simulation(scene, dt=dt)
    times, speeds = [], []
    while sim.time < 0.5:
        sim.step()
        times.append(sim.time)
        speeds.append(float(sim.bodies["ball"].velocity[0]))
    return times, speeds, float(body.properties.inertia[0, 0]) / (body.mass * radius**2)


def bodies(quick: bool) -> list[tuple[str, TriangleMesh, float, tuple[float, float, float]]]:
    """Name, mesh, radius [m] and rotation of each body."""
    few = [
        ("ball of 320 triangles, R = 1 cm", shapes.sphere(0.01, subdivisions=4), 0.01, TILTED),
        ("cylinder, R = 5 cm", shapes.cylinder(0.05, 0.1, edge=0.02), 0.05, ACROSS),
    ]
    if quick:
        return few
    return [
        ("ball of 80 triangles, R = 5 cm", shapes.sphere(0.05, subdivisions=2), 0.05, TILTED),
        *few,
        ("ball of 1,280 triangles, R = 10 cm", shapes.sphere(0.1, subdivisions=8), 0.1, TILTED),
        ("capsule, R = 5 cm", shapes.capsule(0.05, 0.1, edge=0.02), 0.05, ACROSS),
        ("torus on its rim, R = 5 cm", shapes.torus(0.04, 0.01, edge=0.008), 0.05, ACROSS),
    ]


def run(quick: bool, progress: Progress) -> Measurements:
    """All motions of all bodies on a plane and on triangles; then a ball that slides before it rolls."""
    grounds, steps = (("plane",), (4e-3,)) if quick else (("plane", "mesh"), (1e-3, 4e-3, 1e-2))
    jobs = [(b, m, g, dt) for b in bodies(quick) for m in MOTIONS for g in grounds for dt in steps]
    rows = []
    for k, ((name, mesh, radius, rotation), motion, ground, dt) in enumerate(jobs):
        off = speed_error(motion, mesh, radius, rotation, ground=ground, dt=dt, seconds=0.2 if quick else 0.5)
        what = f"speed over theory, {name}, {MOTIONS[motion]}, {ground}, dt = {1e3 * dt:g} ms"
        rows.append(Measurement(what, 1.0 + off, 1.0, "", 0.01))
        part_of(progress, k, len(jobs) + 1)(1.0)
    times, speeds, ratio = sliding_ball()
    end = 2.0 / (1.0 + ratio)
    until = (2.0 - end) / (0.2 * G)
    rolling = np.flatnonzero(np.array(speeds) < end * 1.001)
    rows.append(Measurement("speed of a ball that slid at 2 m/s and rolls now", speeds[-1], end, "m/s", 0.01))
    rows.append(
        Measurement("time until it rolls", times[int(rolling[0])] if len(rolling) else math.nan, until, "s", 0.03)
    )
    theory = Series("theory", [0.0, until, 0.5], [2.0, end, end], theory=True)
    curve = Curve(
        "A ball that slides before it rolls, μ = 0.2",
        "time [s]",
        "speed [m/s]",
        [Series("simulated", times, speeds), theory],
    )
    return Measurements(rows, [curve])


CASE = Case(
    name="rolling",
    title="Balls, cylinders, capsules and tori roll and spin",
    theory="A body that rolls down a slope has a = g sin α / (1 + I/(m R²)), one on level ground keeps its speed, and one that "
    "spins without friction its spin: there is no rolling friction. A ball thrown with v along the ground slides until "
    "v' = v / (1 + I/(m R²)), for (v − v')/(μ g). I is that of the mesh.",
    source="Coriolis 1835, Jeu de billard; balance of momentum and angular momentum",
    run=run,
)

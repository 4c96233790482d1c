"""How far rolling and spinning bodies are from theory, as a Markdown table.

Usage: python benchmarks/rolling.py [--dt 1e-3 4e-3 1e-2] [--faceted]

Each row is a mesh of a ball or a cylinder, each number the error of the speed after 0.5 s in per cent: down a slope of 20°,
rolling on level ground with 1 m/s, and spinning with 20 rad/s without friction. Theory is that of a smooth body with the
inertia of the mesh. `--faceted` takes all bodies as the polyhedra that their meshes are.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import signorini as sg

G, SLOPE, SECONDS = 9.81, np.radians(20.0), 0.5
MOTIONS = {"slope": (0.0, 0.0), "level": (1.0, None), "spin": (0.0, 20.0)}
"""Speed [m/s] and angular velocity [rad/s] at the start; None: that of rolling."""


def bodies() -> list[tuple[str, sg.TriangleMesh, float, tuple[float, float, float]]]:
    """Name, mesh, radius [m] and rotation of each body."""
    balls = [
        (f"ball, R = {100 * r:g} cm, {20 * s * s} triangles", sg.shapes.sphere(r, subdivisions=s), r, (0.3, 0.7, 0.2))
        for r in (0.01, 0.05, 0.1)
        for s in (2, 4, 8)
    ]
    across = (0.5 * np.pi, 0.0, 0.0)
    cylinders = [
        (f"cylinder, R = 5 cm, edge {100 * e:g} cm", sg.shapes.cylinder(0.05, 0.1, edge=e), 0.05, across)
        for e in (0.0225, 0.0125, 0.006)
    ]
    others = [
        ("capsule, R = 5 cm", sg.shapes.capsule(0.05, 0.1), 0.05, across),
        ("torus, R = 5 cm", sg.shapes.torus(0.035, 0.015), 0.05, across),
    ]
    return balls + cylinders + others


def error(
    motion: str, mesh: sg.TriangleMesh, radius: float, rotation, *, dt: float, mesh_ground: bool, smooth: bool
) -> float:
    """Error of the speed at the end over that of theory."""
    angle = SLOPE if motion == "slope" else 0.0
    scene = sg.Scene(gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)), friction=0.0 if motion == "spin" else 0.5)
    speed, spin = MOTIONS[motion]
    spin = speed / radius if spin is None else spin
    body = scene.add_rigid(
        mesh,
        density=1000.0,
        position=(0.013, 0.027, 1.04 * radius),
        rotation=rotation,
        velocity=(speed, 0, 0),
        angular_velocity=(0, spin, 0),
        smooth=smooth,
        name="body",
    )
    if mesh_ground:
        scene.add_kinematic(sg.shapes.grid(4.0, 1.0, cells=(40, 10)), position=(1.0, 0.0, 0.0))
    else:
        scene.add_ground()
    sim = sg.Simulation(scene, dt=dt)
    for _ in range(round(SECONDS / dt)):
        sim.step()
    view = sim.bodies["body"]
    assert isinstance(view, sg.RigidView)
    if motion == "spin":
        return float(view.angular_velocity[1]) / spin - 1.0
    if motion == "level":
        return float(view.velocity[0]) / speed - 1.0
    axis = view.pose[:3, :3].T @ [0.0, 1.0, 0.0]
    ratio = float(axis @ body.properties.inertia @ axis) / (body.mass * radius**2)
    return float(view.velocity[0]) / (G * np.sin(SLOPE) * SECONDS / (1.0 + ratio)) - 1.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dt", type=float, nargs="+", default=[4e-3], help="time steps [s]")
    parser.add_argument("--faceted", action="store_true", help="smooth=False for all bodies")
    given = parser.parse_args()
    print(
        "| body | dt [ms] | ground | slope [%] | level [%] | spin [%] | CPU per step [ms] |\n|---|---|---|---|---|---|---|"
    )
    for name, mesh, radius, rotation in bodies():
        for dt in given.dt:
            for mesh_ground in (False, True):
                began = time.process_time()
                errors = [
                    error(m, mesh, radius, rotation, dt=dt, mesh_ground=mesh_ground, smooth=not given.faceted)
                    for m in MOTIONS
                ]
                cost = (time.process_time() - began) / (3 * round(SECONDS / dt)) * 1e3
                numbers = " | ".join(f"{100 * e:.2f}" for e in errors)
                print(
                    f"| {name} | {1e3 * dt:g} | {'mesh' if mesh_ground else 'plane'} | {numbers} | {cost:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

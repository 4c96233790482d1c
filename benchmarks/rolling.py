"""How far rolling and spinning bodies are from theory, as a Markdown table.

Usage: python benchmarks/rolling.py [--dt 1e-3 4e-3 1e-2] [--faceted]

Each row is a mesh of a ball or a cylinder, each number the error of the speed after 0.5 s in per cent: down a slope of 20°,
rolling on level ground with 1 m/s, and spinning with 20 rad/s without friction. Theory is that of a smooth body with the
inertia of the mesh. `--faceted` takes all bodies as the polyhedra that their meshes are.
"""

from __future__ import annotations

import argparse
import time

import signorini as sg
from signorini.studies.validation.cases.rolling import ACROSS, MOTIONS, TILTED, speed_error

SECONDS = 0.5


def bodies() -> list[tuple[str, sg.TriangleMesh, float, tuple[float, float, float]]]:
    """Name, mesh, radius [m] and rotation of each body."""
    balls = [
        (f"ball, R = {100 * r:g} cm, {20 * s * s} triangles", sg.shapes.sphere(r, subdivisions=s), r, TILTED)
        for r in (0.01, 0.05, 0.1)
        for s in (2, 4, 8)
    ]
    cylinders = [
        (f"cylinder, R = 5 cm, edge {100 * e:g} cm", sg.shapes.cylinder(0.05, 0.1, edge=e), 0.05, ACROSS)
        for e in (0.0225, 0.0125, 0.006)
    ]
    others = [
        ("capsule, R = 5 cm", sg.shapes.capsule(0.05, 0.1), 0.05, ACROSS),
        ("torus, R = 5 cm", sg.shapes.torus(0.035, 0.015), 0.05, ACROSS),
    ]
    return balls + cylinders + others


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
            for ground in ("plane", "mesh"):
                began = time.process_time()
                errors = [
                    speed_error(
                        m, mesh, radius, rotation, dt=dt, ground=ground, seconds=SECONDS, smooth=not given.faceted
                    )
                    for m in MOTIONS
                ]
                cost = (time.process_time() - began) / (3 * round(SECONDS / dt)) * 1e3
                numbers = " | ".join(f"{100 * e:.2f}" for e in errors)
                print(
                    f"| {name} | {1e3 * dt:g} | {ground} | {numbers} | {cost:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()

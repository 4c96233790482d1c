"""Error against CPU time of the integrators of `cmr`, for steps of 1 to 16 ms.

    python benchmarks/integrator_study.py

Prints one table of Markdown per scene: the largest error of a position at the end beside a run of 0.1 ms by BDF2, and CPU time.
The scenes are smooth (a swinging sheet, a free sheet that turns) or have contact (a sheet that falls over a ball).
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import signorini as sg

STEPS = (1e-3, 2e-3, 4e-3, 8e-3, 16e-3)
RULES = (("euler", 1), ("euler", 2), ("bdf2", 1), ("bdf2", 2))
SECONDS = 0.32
"""A multiple of all steps."""
EXACT = 1e-4
"""Step of the run that errors are measured against [s]."""


def swinging_sheet() -> sg.Scene:
    scene, mesh = sg.Scene(), sg.shapes.grid(0.5, 0.5, cells=8)
    cloth = scene.add_cloth(mesh, rotation=(0.5 * np.pi - 0.7, 0.0, 0.0), name="sheet")
    cloth.pin(np.flatnonzero(mesh.vertices[:, 1] > 0.25 - 1e-9))
    return scene


def turning_sheet() -> sg.Scene:
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=8), name="sheet")
    return scene


def sheet_on_ball() -> sg.Scene:
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=8), position=(0.0, 0.0, 0.16), name="sheet")
    scene.add_kinematic(sg.shapes.sphere(0.1, edge=0.05))
    return scene


def end(build: Callable[[], sg.Scene], dt: float, rule: str, linearisations: int) -> tuple[np.ndarray, float, int]:
    """Positions at the end, CPU time [s], and sub-steps that were taken again."""
    settings = sg.Settings(integrator=rule, newton_iterations=linearisations)  # pyright: ignore[reportArgumentType]
    sim = sg.Simulation(build(), dt=dt, settings=settings, threads=1)
    if build is turning_sheet:
        sim.bodies["sheet"].velocities = np.cross((3.0, 2.0, 8.0), sim.bodies["sheet"].positions)
    begin = time.process_time()
    reports = [sim.step() for _ in range(round(SECONDS / dt))]
    cpu = time.process_time() - begin
    return sim.bodies["sheet"].positions, cpu, sum(r.energy_retries + r.halvings for r in reports)


def main() -> None:
    for build in (swinging_sheet, turning_sheet, sheet_on_ball):
        exact, _, _ = end(build, EXACT, "bdf2", 2)
        print(f"\n{build.__name__}: error [mm] / CPU [s] (steps taken again)\n")
        print("| | " + " | ".join(f"{1e3 * dt:g} ms" for dt in STEPS) + " |\n|---|" + "---|" * len(STEPS))
        for rule, linearisations in RULES:
            cells = []
            for dt in STEPS:
                x, cpu, again = end(build, dt, rule, linearisations)
                cells.append(f"{1e3 * np.abs(x - exact).max():.2g} / {cpu:.2f}" + (f" ({again})" if again else ""))
            print(f"| {rule}, {linearisations} linearisation{'s' * (linearisations > 1)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

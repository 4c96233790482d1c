"""Adaptive against fixed steps: error, largest energy and CPU time of three scenes with contact.

    python benchmarks/adaptive_step_study.py [NAME ...] [--error 2e-3 1e-3]

Prints one table of Markdown per scene. The error is the root of the mean square, over all frames (30 a second) and all vertices,
of the distance to a run with steps of 1/7680 s. Energy is what there is above that of the start, less the work of scripts and
pins, over the energy at the start (potential zero at the ground).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import signorini as sg
from signorini import gallery

FPS = 30.0
EXACT = 1.0 / 7680.0
"""Step of the run that errors are measured against [s]."""
FIXED = tuple(1.0 / (60 * 2**k) for k in range(7))
"""Fixed steps [s]."""


def ball_on_cloth() -> sg.Scene:
    return gallery.SCENES["ball-on-cloth"].build(resolution=13)


def curtain() -> sg.Scene:
    return gallery.SCENES["curtain"].build(resolution=14)


def shot() -> sg.Scene:
    """A ball of 0.2 kg flies with 20 m/s into a sheet that hangs from its upper edge."""
    scene, mesh = sg.Scene(friction=0.3), sg.shapes.grid(1.0, 1.0, cells=12)
    sheet = scene.add_cloth(mesh, position=(0.0, 0.0, 1.0), rotation=(0.5 * np.pi, 0.0, 0.0), name="sheet")
    sheet.pin(np.flatnonzero(mesh.vertices[:, 1] > 0.499))
    ball = sg.shapes.sphere(0.1, edge=0.05)
    scene.add_rigid(ball, mass=0.2, position=(0.0, -1.0, 0.8), velocity=(0.0, 20.0, 0.0), name="ball")
    scene.add_ground()
    return scene


SCENES: dict[str, tuple[Callable[[], sg.Scene], float]] = {
    "ball-on-cloth": (ball_on_cloth, 0.6),
    "curtain": (curtain, 0.8),
    "shot": (shot, 0.2),
}
"""Scenes and the time that they are run for [s]."""


@dataclass(frozen=True)
class Run:
    frames: np.ndarray
    """(frames, vertices, 3) [m]"""
    cpu: float
    excess: float
    """Largest energy above the start, less work, over that at the start."""
    steps: int
    shortest: float
    again: int


def run(name: str, dt: float | str, settings: sg.Settings | None) -> Run:
    build, seconds = SCENES[name]
    sim = sg.Simulation(build(), dt=dt, settings=settings, threads=1)
    moving = [body for body in sim.bodies.values() if body.name not in ("sphere", "ground")]
    frames, work, excess, steps, shortest, again, start = [], 0.0, 0.0, 0, np.inf, 0, None
    begin = time.process_time()
    for frame in sim.run(seconds=seconds, fps=FPS):
        start = frame.report.total_energy if start is None else start
        frames.append(np.concatenate([body.positions for body in moving]))
        for report in frame.reports:
            work += report.script_work + report.pin_work
            excess = max(excess, (report.total_energy - start - work) / abs(start))
            steps, shortest = steps + report.substeps, min(shortest, report.shortest_substep)
            again += report.halvings + report.energy_retries
    return Run(np.array(frames), time.process_time() - begin, excess, steps, shortest, again)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*", default=[])
    parser.add_argument("--rules", nargs="*", default=["bdf2", "euler"])
    parser.add_argument("--error", nargs="*", type=float, default=[2e-3])
    arguments = parser.parse_args()
    for name in arguments.scenes or SCENES:
        exact = run(name, EXACT, sg.Settings(integrator="bdf2")).frames
        print(f"\n{name}\n\n| step | error [mm] | energy above start | CPU [s] | sub-steps | shortest [ms] |")
        print("|---|---|---|---|---|---|", flush=True)
        cases = [(f"auto, {e:g}", "auto", sg.Settings(integrator="bdf2", step_error=e)) for e in arguments.error]
        for rule in arguments.rules:
            for dt in FIXED:
                cases.append((f"{rule}, {1e3 * dt:.3g} ms", dt, sg.Settings(integrator=rule)))
        for label, dt, settings in cases:
            found = run(name, dt, settings)
            error = np.sqrt(((found.frames - exact) ** 2).sum(axis=-1).mean())
            print(
                f"| {label} | {1e3 * error:.3g} | {100 * found.excess:.2g} % | {found.cpu:.2f} | {found.steps} | "
                f"{1e3 * found.shortest:.3g} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

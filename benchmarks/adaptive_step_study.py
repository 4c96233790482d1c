"""Adaptive against fixed steps: error, largest energy and CPU time of three scenes with contact.

    python benchmarks/adaptive_step_study.py [NAME ...] [--error 2e-3 1e-3]

Prints one table of Markdown per scene. The error is the root of the mean square, over all frames (30 a second) and all vertices,
of the distance to a run with steps of 1/7680 s. What slides magnifies small differences, so that one run tells little: scenes
are run with several frictions, errors are the root of the mean square over them, and times are means. Energy is what
there is above that of the start, less the work of scripts and pins, over the energy at the start (potential zero at the ground).
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


def ball_on_cloth(friction: float) -> sg.Scene:
    return gallery.SCENES["ball-on-cloth"].build(resolution=13, friction=friction)


def curtain(friction: float) -> sg.Scene:
    return gallery.SCENES["curtain"].build(resolution=14, friction=friction)


def large_curtain(friction: float) -> sg.Scene:
    return gallery.SCENES["curtain"].build(resolution=30, friction=friction)


def shot(friction: float) -> sg.Scene:
    """A ball of 0.2 kg flies with 20 m/s into a sheet that hangs from its upper edge."""
    scene, mesh = sg.Scene(friction=friction), sg.shapes.grid(1.0, 1.0, cells=12)
    sheet = scene.add_cloth(mesh, position=(0.0, 0.0, 1.0), rotation=(0.5 * np.pi, 0.0, 0.0), name="sheet")
    sheet.pin(np.flatnonzero(mesh.vertices[:, 1] > 0.499))
    ball = sg.shapes.sphere(0.1, edge=0.05)
    scene.add_rigid(ball, mass=0.2, position=(0.0, -1.0, 0.8), velocity=(0.0, 20.0, 0.0), name="ball")
    scene.add_ground()
    return scene


SCENES: dict[str, tuple[Callable[[float], sg.Scene], float, tuple[float, ...]]] = {
    "ball-on-cloth": (ball_on_cloth, 0.6, (0.3, 0.25, 0.35)),
    "curtain": (curtain, 0.8, (0.3, 0.28, 0.26, 0.32)),
    "shot": (shot, 0.2, (0.3, 0.25, 0.35)),
    "large curtain": (large_curtain, 0.6, (0.3,)),
}
"""Scenes, the time that they are run for [s], and their frictions."""
BY_DEFAULT = ("ball-on-cloth", "curtain", "shot")


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


def run(name: str, friction: float, dt: float | str, settings: sg.Settings | None) -> Run:
    build, seconds, _ = SCENES[name]
    sim = sg.Simulation(build(friction), dt=dt, settings=settings, threads=1)
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
    parser.add_argument("--rules", nargs="*", default=["bdf2"])
    parser.add_argument("--error", nargs="*", type=float, default=[2e-2, 1e-2, 5e-3])
    parser.add_argument("--fixed", nargs="*", type=int, default=range(len(FIXED)), help="numbers of the fixed steps")
    arguments = parser.parse_args()
    for name in arguments.scenes or BY_DEFAULT:
        frictions = SCENES[name][2]
        exact = {f: run(name, f, EXACT, sg.Settings(integrator="bdf2")).frames for f in frictions}
        print(f"\n{name}\n\n| step | error [mm] | energy above start | CPU [s] | sub-steps | shortest [ms] |")
        print("|---|---|---|---|---|---|", flush=True)
        cases = [(f"auto, {e:g}", "auto", sg.Settings(integrator="bdf2", step_error=e)) for e in arguments.error]
        for rule in arguments.rules:
            for dt in (FIXED[k] for k in arguments.fixed):
                cases.append((f"{rule}, {1e3 * dt:.3g} ms", dt, sg.Settings(integrator=rule)))
        for label, dt, settings in cases:
            runs = {f: run(name, f, dt, settings) for f in frictions}
            error = np.sqrt(np.mean([((runs[f].frames - exact[f]) ** 2).sum(axis=-1).mean() for f in frictions]))
            cpu, steps = (np.mean([getattr(r, field) for r in runs.values()]) for field in ("cpu", "steps"))
            excess, shortest = max(r.excess for r in runs.values()), min(r.shortest for r in runs.values())
            print(
                f"| {label} | {1e3 * error:.3g} | {100 * excess:.2g} % | {cpu:.2f} | {steps:.0f} | {1e3 * shortest:.3g} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

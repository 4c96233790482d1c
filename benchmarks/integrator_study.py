"""Error against CPU time of backward Euler, BDF2 and TR-BDF2, for steps of 1 to 16 ms: the study behind the default integrator.

    python benchmarks/integrator_study.py [SCENE ...] [--plots docs/images/integrators]

Prints one table of Markdown per scene: root of the mean square distance to a fine run, over all nodes and over times 32 ms apart,
and CPU time. Smooth scenes are stepped without detection and contact (`smooth_motion.py`), where all three rules can be compared,
and their reference is TR-BDF2 at 0.25 ms. Scenes with contact are whole simulations, against BDF2 at 0.25 ms.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import smooth_motion
from numpy.typing import NDArray

import signorini as sg
from signorini import gallery
from signorini.reports.line_plot import Line, line_plot
from signorini.studies.validation.cases.convergence import jelly
from signorini.studies.validation.markdown import standalone

Floats = NDArray[np.float64]
STEPS = (1e-3, 2e-3, 4e-3, 8e-3, 16e-3)
SECONDS, EVERY = 0.64, 0.032
"""Length of a run and time between compared places [s]; multiples of all steps."""
EXACT = 2.5e-4
"""Step of the runs that errors are measured against [s]."""
RULES: dict[str, tuple[smooth_motion.Rule, int, str]] = {
    "euler, 1 linearisation": ("euler", 1, "#999999"),
    "euler, 2 linearisations": ("euler", 2, "#444444"),
    "bdf2, 1 linearisation": ("bdf2", 1, "#7fb3e6"),
    "bdf2, 2 linearisations": ("bdf2", 2, "#1f5fa8"),
    "tr-bdf2, 1 linearisation": ("tr-bdf2", 1, "#f0a35e"),
    "tr-bdf2, 2 linearisations": ("tr-bdf2", 2, "#c25a00"),
}
SPIN = np.array([3.0, 2.0, 8.0])
"""Angular velocity of the free sheet [rad/s]."""
Point = tuple[float, float, int]
"""Error [mm], CPU time [s], sub-steps that were taken again."""


def pendulum() -> sg.Scene:
    """A mass on an undamped rod of 0.5 m, 0.5 rad off the vertical."""
    scene, ends = sg.Scene(), 0.5 * np.array([[0.0, 0.0, 0.0], [np.sin(0.5), 0.0, -np.cos(0.5)]])
    rod = scene.add_rod(ends, linear_density=0.1, stretching_stiffness=1e3, bending_rigidity=0.0, damping_time=0.0)
    rod.pin([0])
    return scene


def swinging_sheet() -> sg.Scene:
    """A cotton sheet, pinned along its upper edge and let go 0.7 rad off the vertical."""
    scene, mesh = sg.Scene(), sg.shapes.grid(0.5, 0.5, cells=8)
    cloth = scene.add_cloth(mesh, rotation=(0.5 * np.pi - 0.7, 0.0, 0.0), name="sheet")
    cloth.pin(np.flatnonzero(mesh.vertices[:, 1] > 0.25 - 1e-9))
    return scene


def turning_sheet() -> sg.Scene:
    """A free cotton sheet."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=8), name="sheet")
    return scene


def sheet_on_ball() -> sg.Scene:
    """A cotton sheet that falls on a ball, not above its middle, and slides off to one side."""
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.5, 0.5, cells=8), position=(0.08, 0.05, 0.16), name="sheet")
    scene.add_kinematic(sg.shapes.sphere(0.1, edge=0.05))
    return scene


def ball_on_sheet() -> sg.Scene:
    """A ball that falls into a sheet which hangs from its corners."""
    return gallery.SCENES["ball-on-cloth"].build(resolution=11)


SMOOTH: dict[str, Callable[[], sg.Scene]] = {
    "pendulum": pendulum,
    "swinging sheet": swinging_sheet,
    "free turning sheet": turning_sheet,
    "soft beam": jelly,
}
CONTACT: dict[str, Callable[[], sg.Scene]] = {"sheet on a ball": sheet_on_ball, "ball on a sheet": ball_on_sheet}


def smooth_run(name: str, rule: smooth_motion.Rule, linearisations: int, dt: float) -> tuple[Floats, float, int]:
    """Places (times, nodes, 3) [m] and CPU time [s] of a run without contact."""
    sim = sg.Simulation(SMOOTH[name](), dt=dt, threads=1)
    if SMOOTH[name] is turning_sheet:
        sim.bodies["sheet"].velocities = np.cross(SPIN, sim.bodies["sheet"].positions)
    found = smooth_motion.run(sim, rule, linearisations, dt=dt, seconds=SECONDS, every=EVERY)
    return found.places, found.cpu, 0


def contact_run(name: str, rule: smooth_motion.Rule, linearisations: int, dt: float) -> tuple[Floats, float, int]:
    """Places (times, vertices, 3) [m], CPU time [s] and sub-steps taken again of a whole simulation."""
    settings = sg.Settings(integrator=rule, newton_iterations=linearisations)  # pyright: ignore[reportArgumentType]
    sim = sg.Simulation(CONTACT[name](), dt=dt, settings=settings, threads=1)
    moving = [body for body in sim.bodies.values() if body.kind != "kinematic" and len(body.positions)]
    places, again, begin = [], 0, time.process_time()
    for k in range(1, round(SECONDS / dt) + 1):
        report = sim.step()
        again += report.energy_retries + report.halvings
        if abs(k * dt / EVERY - round(k * dt / EVERY)) < 1e-6:
            places.append(np.concatenate([body.positions for body in moving]))
    return np.array(places), time.process_time() - begin, again


def study(name: str) -> dict[str, list[Point]]:
    """The points of all rules in one scene."""
    run, rules = smooth_run, list(RULES)
    exact = None
    if name in CONTACT:
        run, rules = contact_run, [label for label in RULES if RULES[label][0] != "tr-bdf2"]
        exact = run(name, "bdf2", 2, EXACT)[0]
    else:
        exact = run(name, "tr-bdf2", 2, EXACT)[0]
    points: dict[str, list[Point]] = {}
    for label in rules:
        rule, linearisations, _ = RULES[label]
        points[label] = []
        for dt in STEPS:
            places, cpu, again = run(name, rule, linearisations, dt)
            error = 1e3 * float(np.sqrt(((places - exact) ** 2).sum(axis=-1).mean()))
            points[label].append((error, cpu, again))
    return points


def table(name: str, points: dict[str, list[Point]]) -> str:
    lines = [f"**{name}**: error [mm] / CPU [s] (sub-steps taken again)", ""]
    lines += ["| | " + " | ".join(f"{1e3 * dt:g} ms" for dt in STEPS) + " |", "|---|" + "---|" * len(STEPS)]
    for label, row in points.items():
        cells = [f"{error:.2g} / {cpu:.2f}" + (f" ({again})" if again else "") for error, cpu, again in row]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plot(name: str, points: dict[str, list[Point]]) -> str:
    """Error over CPU time on logarithmic axes."""
    lines = [
        Line(
            label.split(" lin")[0], RULES[label][2], [float(np.log10(cpu)) for _, cpu, _ in row],
            [error for error, _, _ in row], notes=[f"{1e3 * dt:g} ms" for dt in STEPS],
        )
        for label, row in points.items()
    ]  # fmt: skip
    return line_plot(name, lines, x_label="log₁₀ of CPU time [s]", y_label="error [mm]", logarithmic=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="scene", help=", ".join([*SMOOTH, *CONTACT]))
    parser.add_argument("--plots", type=Path, help="write a plot of each scene to this directory")
    arguments = parser.parse_args()
    for name in arguments.scenes or [*SMOOTH, *CONTACT]:
        points = study(name)
        print(table(name, points) + "\n", flush=True)
        if arguments.plots:
            arguments.plots.mkdir(parents=True, exist_ok=True)
            (arguments.plots / f"{name.replace(' ', '-').replace('/', '-')}.svg").write_text(
                standalone(plot(name, points))
            )


if __name__ == "__main__":
    main()

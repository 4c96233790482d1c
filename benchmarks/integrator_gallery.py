"""Scenes of the gallery with both integrators of `cmr`, the same number of steps each, checked by ipctk, as a markdown table.

    python benchmarks/integrator_gallery.py [--seconds 20] [scene ...]

A scene runs until backward Euler has used so many CPU seconds, or to its end; BDF2 then takes as many steps. Counted are
intersections and crossings that ipctk finds in any sub-step, contact problems without a solution, sub-steps that a fail-safe
ended or that were damped, and sub-steps that were taken again. Scenes with joints are left out: BDF2 refuses them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.ipc_check import IpcCheck
from reference.step_table import Step, TimedSimulation
from signorini.errors import InputError, SimulationStoppedError
from signorini.gallery import SCENES
from signorini.methods.report import StepStatus
from signorini.settings import Settings

HEADING = (
    "| scene | steps | integrator | intersections / crossings | unsolved | fail-safe / damped | taken again | CPU [s] |"
)


def run(name: str, integrator: str, *, most: int, seconds: float) -> tuple[list[Step], IpcCheck, str]:
    """The steps of a scene, the check, and why it stopped early."""
    entry = SCENES[name]
    settings = Settings(integrator=integrator)  # pyright: ignore[reportArgumentType]
    sim = TimedSimulation(entry.build(), dt=entry.dt, settings=settings, threads=1)
    check, done, cpu = IpcCheck(sim), [], 0.0
    while len(done) < most and cpu < seconds:
        try:
            report = check.step()
        except SimulationStoppedError as error:
            return done, check, f"stopped at {sim.time:.3f} s: {error}"
        done.append((report, sim.step_cpu_seconds))
        cpu += sim.step_cpu_seconds * (len(done) > 1)  # the first step loads kernels
    return done, check, ""


def row(name: str, integrator: str, steps: list[Step], check: IpcCheck, stopped: str) -> str:
    reports = [report for report, _ in steps]
    unsolved = sum(r.solves - r.solves_converged for r in reports)
    failed = f"{sum(r.failsafe_substeps for r in reports)} / {sum(r.status is StepStatus.DAMPED for r in reports)}"
    again = sum(r.halvings + r.energy_retries for r in reports)
    found = f"{len(check.intersecting)} / {len(check.crossing)}"
    cpu = sum(seconds for _, seconds in steps[1:])
    solves = sum(r.solves for r in reports)
    cells = f"`{name}` {stopped}", len(steps), integrator, found, f"{unsolved} of {solves}", failed, again, f"{cpu:.1f}"
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", help="names of the gallery", metavar="scene")
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds of backward Euler in each scene")
    arguments = parser.parse_args()
    print(HEADING + "\n|" + "---|" * 8, flush=True)
    for name in arguments.scenes or SCENES:
        most = round(SCENES[name].seconds / SCENES[name].dt)
        try:
            steps, check, stopped = run(name, "euler", most=most, seconds=arguments.seconds)
            rows = [row(name, "euler", steps, check, stopped)]
            steps, check, stopped = run(name, "bdf2", most=len(steps), seconds=10.0 * arguments.seconds)
            rows.append(row(name, "bdf2", steps, check, stopped))
        except InputError as error:
            print(f"{name}: {error}", file=sys.stderr, flush=True)
            continue
        print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()

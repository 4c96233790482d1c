"""`falling-cloth` as cotton, ten and a hundred times as stiff: every contact problem solved? CPU time against ICA.

    python benchmarks/solver_on_cloth.py                               4 s with the default solver, 2 s with ICA (about 20 min)
    python benchmarks/solver_on_cloth.py --stiffness 100 --seconds 1   one row of each
    python benchmarks/solver_on_cloth.py --resolution 20               a small sheet

CPU time is that of whole steps; both columns of it are over the steps that ICA was given, so that they compare.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field

from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.settings import Settings, SolverSettings
from signorini.simulation.simulation import Simulation

DT = 4e-3
SOLVERS = {"default": SolverSettings(), "ica (cone)": SolverSettings(name="ica", friction_cone="cone")}
HEADINGS = (
    "stiffness", "solver", "steps", "solves converged", "worst residual [m/s]", "halvings", "fail-safe steps",
    "contacts mean / max", "CPU ms/step", "of it in the compared steps", "slowest step [ms]",
)  # fmt: skip


@dataclass(slots=True)
class Run:
    """One simulation, step by step."""

    reports: list[StepReport] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """Of every step [s]."""


def run(stiffness: float, solver: SolverSettings, *, steps: int, resolution: int, friction: float) -> Run:
    """Simulate `falling-cloth`."""
    scene = SCENES["falling-cloth"].build(stiffness=stiffness, resolution=resolution, friction=friction)
    sim = Simulation(scene, dt=DT, settings=Settings(solver=solver))
    found = Run()
    for _ in range(steps):
        begin = time.process_time()
        found.reports.append(sim.step())
        found.cpu.append(time.process_time() - begin)
    return found


def cells(found: Run, compared: int) -> list[str]:
    """The row of a run, without its first two cells."""
    reports, cpu = found.reports, found.cpu
    contacts = [r.contact_count for r in reports]
    solves, converged = sum(r.solves for r in reports), sum(r.solves_converged for r in reports)
    worst = max(max(r.penetration_residual, r.complementarity_residual, r.momentum_residual) for r in reports)
    return [
        str(len(reports)),
        f"{converged} of {solves} ({100.0 * converged / max(solves, 1):.1f} %)",
        f"{worst:.1e}",
        str(sum(r.halvings for r in reports)),
        str(sum(r.failsafe_substeps > 0 for r in reports)),
        f"{sum(contacts) / len(contacts):.0f} / {max(contacts)}",
        f"{1e3 * sum(cpu) / len(cpu):.1f}",
        f"{1e3 * sum(cpu[:compared]) / compared:.1f}",
        f"{1e3 * max(cpu[1:]):.0f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stiffness", type=float, nargs="*", default=[1.0, 10.0, 100.0], help="times that of cotton")
    parser.add_argument("--seconds", type=float, default=4.0, help="simulated with the default solver [s]")
    parser.add_argument("--ica-seconds", type=float, default=2.0, help="simulated with ICA [s]")
    parser.add_argument("--resolution", type=int, default=50, help="vertices along an edge")
    parser.add_argument("--friction", type=float, default=0.3)
    arguments = parser.parse_args()
    steps = {
        "default": round(arguments.seconds / DT),
        "ica (cone)": round(min(arguments.seconds, arguments.ica_seconds) / DT),
    }
    for solver in SOLVERS.values():  # compile
        run(1.0, solver, steps=30, resolution=10, friction=arguments.friction)
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    for stiffness in arguments.stiffness:
        for name, solver in SOLVERS.items():
            found = run(
                stiffness, solver, steps=steps[name], resolution=arguments.resolution, friction=arguments.friction
            )
            row = [f"{stiffness:g} ×", name, *cells(found, min(steps.values()))]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()

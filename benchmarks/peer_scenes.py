"""CPU seconds per simulated second of the two scenes that other simulators were measured on, with the accuracy beside it.

    python benchmarks/peer_scenes.py

Medians of three runs in turn, after one that loads the kernels. The other simulators were measured elsewhere, on scenes of the
same description: STARK without continuous detection, MuJoCo with its own contact model.
"""

from __future__ import annotations

import time

import numpy as np

from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation

ROWS = (
    ("soft-stack", 0.03, "STARK 4.5"),
    ("soft-stack", 0.01, "STARK 11.5"),
    ("ball-on-cloth", 0.03, "STARK 6.8, MuJoCo 12"),
)
"""Scene, dt [s], CPU seconds per simulated second of others."""
RUNS = 3
HEADINGS = (
    "scene, 2 s", "dt [ms]", "CPU s per simulated s", "others", "solves converged", "fail-safe steps", "halvings",
    "worst residual [m/s]", "intersections",
)  # fmt: skip


def run(name: str, dt: float, seconds: float) -> tuple[float, list[StepReport], int]:
    """CPU seconds per simulated second, the reports, and intersecting pairs of triangles at the end."""
    sim = Simulation(SCENES[name].build(), dt=dt)
    start = time.process_time()
    reports = [sim.step() for _ in range(round(seconds / dt))]
    return (time.process_time() - start) / sim.time, reports, sim.intersections()


def cells(reports: list[StepReport]) -> list[str]:
    """Solves converged, fail-safe steps, halvings and the worst residual."""
    worst = max(max(r.penetration_residual, r.complementarity_residual, r.momentum_residual) for r in reports)
    solved = f"{sum(r.solves_converged for r in reports)} of {sum(r.solves for r in reports)}"
    failsafe = sum(r.failsafe_substeps > 0 for r in reports)
    return [solved, str(failsafe), str(sum(r.halvings for r in reports)), f"{worst:.1e}"]


def main() -> None:
    for name, dt, _ in ROWS:
        run(name, dt, 0.3)
    runs = [[run(name, dt, SCENES[name].seconds) for name, dt, _ in ROWS] for _ in range(RUNS)]
    print(f"| {' | '.join(HEADINGS)} |")
    print("|---" * len(HEADINGS) + "|")
    for k, (name, dt, others) in enumerate(ROWS):
        cpu = np.median([turn[k][0] for turn in runs])
        _, reports, intersections = runs[-1][k]
        row = [f"`{name}`", f"{1e3 * dt:g}", f"{cpu:.1f}", others, *cells(reports), str(intersections)]
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()

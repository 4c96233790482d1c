"""`letters` at full length next to Otaduy2009 Fig. 7, checked by ipctk in every step, as a markdown table.

    python benchmarks/letters_study.py                    all 40 s (about half an hour)
    python benchmarks/letters_study.py --seconds 3        only the beginning
    python benchmarks/letters_study.py --resolution 3     35 letters instead of 164

The paper: 164 letters, 23,000 tetrahedra, dt = 30 ms, about 40 s of animation in just over 90 minutes, which is 4 s a step,
on one core of a PC of 2009 (3.2 GHz). Times are CPU seconds of `Simulation.step` on this machine, first step left out
(it loads the kernels).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.ipc_check import IpcCheck
from signorini.gallery import SCENES
from signorini.gallery.letters import PUSH_START, PUSH_STOP
from signorini.report import StepReport
from signorini.simulation import Simulation

PAPER_SECONDS_PER_STEP = 4.0
PARTS = (
    ("dropped", 0.0, 3.0),
    ("at rest", 3.0, PUSH_START),
    ("pushed", PUSH_START, PUSH_STOP),
    ("held", PUSH_STOP, 1e9),
)
"""Name, start and end [s] of the parts of the scene."""
Step = tuple[StepReport, float]
COLUMNS: tuple[tuple[str, Callable[[list[Step]], str]], ...] = (
    ("steps", lambda steps: str(len(steps))),
    ("CPU s/step mean / median / max", lambda steps: _spread([cpu for _, cpu in steps], ".2f", median=True)),
    ("contacts mean / max", lambda steps: _spread([r.contact_count for r, _ in steps], ".0f")),
    ("refinements", lambda steps: _histogram(Counter(r.refinements for r, _ in steps))),
    ("halvings", lambda steps: str(sum(r.halvings for r, _ in steps))),
    ("fail-safe steps", lambda steps: str(sum(r.failsafe_substeps > 0 for r, _ in steps))),
    ("solves converged", lambda steps: _share([(r.solves_converged, r.solves) for r, _ in steps])),
    ("penetration [m/s]", lambda steps: f"{max(r.penetration_residual for r, _ in steps):.1e}"),
    ("complementarity [m/s]", lambda steps: f"{max(r.complementarity_residual for r, _ in steps):.1e}"),
    ("momentum [m/s]", lambda steps: f"{max(r.momentum_residual for r, _ in steps):.1e}"),
    ("least distance [mm]", lambda steps: f"{1e3 * min(r.min_distance for r, _ in steps):.3f}"),
    ("speed at the end [m/s]", lambda steps: f"{steps[-1][0].max_speed:.1e}"),
)


def _spread(values: list[float] | list[int], form: str, *, median: bool = False) -> str:
    chosen = [np.mean(values), *([np.median(values)] if median else []), np.max(values)]
    return " / ".join(format(float(v), form) for v in chosen)


def _histogram(counts: Counter[int]) -> str:
    return ", ".join(f"{k}: {counts[k]}" for k in sorted(counts))


def _share(counts: list[tuple[int, int]]) -> str:
    converged, solves = (sum(column) for column in zip(*counts, strict=True))
    return f"{converged} of {solves} ({100.0 * converged / max(solves, 1):.1f} %)"


class TimedSimulation(Simulation):
    """Remembers the CPU seconds of its last step, without those of whoever checks it."""

    step_cpu_seconds = 0.0

    def step(self) -> StepReport:
        start = time.process_time()
        report = super().step()
        self.step_cpu_seconds = time.process_time() - start
        return report


def simulate(sim: TimedSimulation, check: IpcCheck, steps: int, *, verbose: bool) -> list[Step]:
    """So many steps, each with its CPU seconds; ipctk looks at all of them."""
    done = []
    for _ in range(steps):
        report = check.step()
        done.append((report, sim.step_cpu_seconds))
        if verbose:
            print(
                f"{report.time:7.2f} s  {sim.step_cpu_seconds:6.2f} CPU s  {report.contact_count:6d} contacts  "
                f"{report.refinements} refinements  {report.solves_converged} of {report.solves} solves",
                file=sys.stderr,
                flush=True,
            )
    return done


def print_table(done: list[Step]) -> None:
    """One row for each part of the scene that was reached, one for all of it, and the paper's."""
    parts = [(name, [s for s in done if start < s[0].time - 1e-9 <= stop]) for name, start, stop in PARTS]
    print("| | " + " | ".join(heading for heading, _ in COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name, steps in [*((name, steps) for name, steps in parts if steps), ("all", done)]:
        print(f"| {name} | " + " | ".join(cell(steps) for _, cell in COLUMNS) + " |")
    blank = " | ".join("" for _ in COLUMNS[2:])
    print(f"| Otaduy2009 | about 1,333 | {PAPER_SECONDS_PER_STEP:.0f} (mean) | {blank} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=SCENES["letters"].seconds, help="simulated time")
    parser.add_argument("--resolution", type=int, default=5, help="letters along a side of a layer")
    parser.add_argument("--verbose", action="store_true", help="a line per step on standard error")
    arguments = parser.parse_args()
    scene = SCENES["letters"]
    sim = TimedSimulation(scene.build(resolution=arguments.resolution), dt=scene.dt)
    check = IpcCheck(sim)
    done = simulate(sim, check, round(arguments.seconds / scene.dt), verbose=arguments.verbose)
    print_table(done[1:])
    print(f"\nintersections / crossings found by ipctk: {len(check.intersecting)} / {len(check.crossing)}")


if __name__ == "__main__":
    main()

"""Steps of a long study as rows of a markdown table: time, contacts, what went wrong, residuals."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

from reference.ipc_check import IpcCheck
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation

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
            sys.stderr.write(
                f"{report.time:7.2f} s  {sim.step_cpu_seconds:6.2f} CPU s  {report.contact_count:6d} contacts  "
                f"{report.refinements} refinements  {report.solves_converged} of {report.solves} solves\n"
            )
    return done


def table(rows: list[tuple[str, list[Step]]]) -> str:
    """The heading, and a row for each name."""
    lines = ["| | " + " | ".join(heading for heading, _ in COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(cell(steps) for _, cell in COLUMNS) + " |" for name, steps in rows]
    return "\n".join(lines)


def paper_row(steps: str, seconds_per_step: float) -> str:
    """What Otaduy2009 tells of its own run."""
    blank = " | ".join("" for _ in COLUMNS[2:])
    return f"| Otaduy2009 | {steps} | {seconds_per_step:g} (mean) | {blank} |"

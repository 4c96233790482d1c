"""Measurement of steps: time, phases and memory, with the accuracy that was reached beside it."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation

Row = dict[str, Any]
"""One line of a table: plain numbers and texts, also for JSON."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall and CPU time of the present process [s]."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Clock:
        """The present moment."""
        return cls(time.perf_counter(), time.process_time())

    def since(self, start: Clock) -> tuple[float, float]:
        """Wall and CPU time since another moment [s]."""
        return self.wall - start.wall, self.cpu - start.cpu


def resident_megabytes() -> float:
    """The most memory that the process has had so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def accuracy(sim: Simulation, reports: Sequence[StepReport]) -> Row:
    """Accuracy of the solved steps, and whether the last state is free of intersections."""
    residuals = [max(r.penetration_residual, r.complementarity_residual, r.momentum_residual) for r in reports]
    return {
        "solved": sum(r.solves_converged for r in reports),
        "solves": sum(r.solves for r in reports),
        "residual": max(residuals, default=0.0),
        "tolerance": sim.contact_tolerance,
        "halvings": sum(r.halvings + r.energy_retries for r in reports),
        "failsafe_steps": sum(r.failsafe_substeps > 0 for r in reports),
        "least_distance": min((r.min_distance for r in reports), default=float("inf")),
        "intersections": sim.intersections(),
    }


def measured_steps(sim: Simulation, steps: int) -> Row:
    """Times of a number of steps, medians and means over them [ms], and their accuracy."""
    reports, walls, cpus = [], [], []
    phases: Counter[str] = Counter()
    for _ in range(steps):
        start = Clock.now()
        reports.append(sim.step())
        wall, cpu = Clock.now().since(start)
        walls.append(wall)
        cpus.append(cpu)
        phases.update(reports[-1].phase_seconds)
    mean = {name: 1e3 * seconds / steps for name, seconds in phases.items()}
    return {
        "steps": steps,
        "wall_ms": 1e3 * float(np.median(walls)),
        "mean_wall_ms": 1e3 * float(np.mean(walls)),
        "cpu_ms": 1e3 * float(np.median(cpus)),
        "mean_cpu_ms": 1e3 * float(np.mean(cpus)),
        "phases_ms": {**mean, "rest": 1e3 * float(np.mean(walls)) - sum(mean.values())},
        "nodes": len(sim.state.q),
        "vertices": sum(len(body.positions) for body in sim.bodies.values()),
        "contacts": reports[-1].contact_count,
        "candidates": reports[-1].candidate_count,
        "sleeping": reports[-1].sleeping_bodies,
        **accuracy(sim, reports),
    }


def best_time(call: Callable[[], object], *, seconds: float = 0.3) -> float:
    """The least time of a call [s], repeated for some time; the first call, which may compile, does not count."""
    call()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best

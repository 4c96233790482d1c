"""The study of `falling-cloth`: one row is one choice of friction, dt and stiffness, run with ipctk looking at every step.

Used by tests/gallery/test_falling_cloth_study.py (assertions) and benchmarks/falling_cloth_study.py (a table).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.ipc_check import IpcCheck
from signorini.gallery import SCENES
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation

REST_WINDOW = 0.25
"""The last part of a run, over which the speed at rest is taken [s]."""


@dataclass(frozen=True, slots=True)
class Row:
    """A variant of the scene."""

    name: str
    friction: float = 0.3
    dt: float = 4e-3
    stiffness: float = 1.0
    seconds: float = 4.0


ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        Row("default"),
        Row("friction-0", friction=0.0),
        Row("friction-0.8", friction=0.8),
        Row("dt-2ms", dt=2e-3),
        Row("dt-10ms", dt=10e-3),
        Row("dt-20ms", dt=20e-3),
        Row("softer", stiffness=0.1),
        Row("stiffer", stiffness=10.0),
    )
}


@dataclass(slots=True)
class Result:
    """What a row did."""

    row: Row
    steps: int = 0
    cpu_seconds: float = 0.0
    phase_seconds: Counter[str] = field(default_factory=Counter)
    contacts: list[int] = field(default_factory=list)
    refinements: Counter[int] = field(default_factory=Counter)
    halvings: int = 0
    failsafe_steps: list[int] = field(default_factory=list)
    solves: int = 0
    solves_converged: int = 0
    penetration_residual: float = 0.0
    complementarity_residual: float = 0.0
    momentum_residual: float = 0.0
    min_distance: float = float("inf")
    energies: list[float] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    intersecting: list[int] = field(default_factory=list)
    crossing: list[int] = field(default_factory=list)

    @property
    def share_of_few_refinements(self) -> float:
        """The part of the steps with at most three refinements."""
        return sum(n for k, n in self.refinements.items() if k <= 3) / self.steps

    @property
    def energy_growth(self) -> float:
        """The highest rise of the total energy above an earlier value [J]."""
        least, growth = float("inf"), 0.0
        for energy in self.energies:
            growth, least = max(growth, energy - least), min(least, energy)
        return growth

    @property
    def energy_drop(self) -> float:
        """What the whole run dissipated [J]: the scale of `energy_growth`."""
        return self.energies[0] - self.energies[-1]

    @property
    def rest_speed(self) -> float:
        """The largest speed of a vertex during the end of the run [m/s]."""
        return max(self.speeds[-max(1, round(REST_WINDOW / self.row.dt)) :])

    def add(self, report: StepReport) -> None:
        """Count one step."""
        self.steps += 1
        self.phase_seconds.update(report.phase_seconds)
        self.contacts.append(report.contact_count)
        self.refinements[report.refinements] += 1
        self.halvings += report.halvings
        if report.failsafe_substeps:
            self.failsafe_steps.append(self.steps)
        self.solves += report.solves
        self.solves_converged += report.solves_converged
        for name in ("penetration_residual", "complementarity_residual", "momentum_residual"):
            setattr(self, name, max(getattr(self, name), getattr(report, name)))
        self.min_distance = min(self.min_distance, report.min_distance)
        self.energies.append(report.total_energy)
        self.speeds.append(report.max_speed)


def run_row(
    row: Row,
    *,
    steps: int | None = None,
    resolution: int = 50,
    on_step: Callable[[StepReport], None] | None = None,
) -> Result:
    """Simulate a row (all of its seconds, or only so many steps); CPU time is that of `Simulation.step` alone."""
    scene = SCENES["falling-cloth"].build(friction=row.friction, stiffness=row.stiffness, resolution=resolution)
    sim = Simulation(scene, dt=row.dt)
    check, result = IpcCheck(sim), Result(row)
    step = sim.step

    def timed_step() -> StepReport:
        start = time.process_time()
        try:
            return step()
        finally:
            result.cpu_seconds += time.process_time() - start

    sim.step = timed_step
    for _ in range(round(row.seconds / row.dt) if steps is None else steps):
        report = check.step()
        result.add(report)
        if on_step is not None:
            on_step(report)
    result.intersecting, result.crossing = check.intersecting, check.crossing
    return result

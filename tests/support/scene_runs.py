"""Running a scene with everything that must hold in each of its steps."""

from __future__ import annotations

from reference.ipc_check import IpcCheck
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation


def run(sim: Simulation, steps: int) -> list[StepReport]:
    """The reports of so many steps, after everything that must hold in each of them."""
    check = IpcCheck(sim)
    reports = [check.step() for _ in range(steps)]
    check.assert_clean()
    failed = [r.index for r in reports if r.failsafe_substeps]
    assert not failed, f"fail-safe in steps {failed[:10]} ({len(failed)})"
    few = sum(r.refinements <= 3 for r in reports) / len(reports)
    assert few > 0.9, f"three or fewer refinements in only {few:.0%} of the steps"
    least = min(r.min_distance for r in reports)
    assert least > 0.0
    assert sim.intersections() == 0
    return reports

"""Running a mechanism of the gallery in its shipped settings, with a measurement after each step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reference.ipc_check import IpcCheck
from signorini.gallery.entry import GalleryScene
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation


def simulation(entry: GalleryScene, **options: float) -> Simulation:
    """The scene with these options of its own, at its own time step and with default settings."""
    return Simulation(entry.build(**options), dt=entry.dt)


def measured(
    sim: Simulation, seconds: float, quantity: Callable[[], float]
) -> tuple[NDArray[np.float64], list[StepReport]]:
    """(n, 2) times [s] and a quantity after each step, and the reports; everything that a mechanism promises must hold."""
    check = IpcCheck(sim)
    rows, reports = [], []
    for _ in range(round(seconds / sim.dt)):
        reports.append(check.step())
        rows.append((sim.time, quantity()))
    check.assert_clean()
    unsolved = [r.index for r in reports if r.solves_converged < r.solves]
    assert not unsolved, f"contact problems of steps {unsolved[:10]} were not solved ({len(unsolved)})"
    assert not [r.index for r in reports if r.failsafe_substeps]
    return np.array(rows), reports


def surplus(reports: list[StepReport]) -> float:
    """Largest growth of the total energy above what it was before [J]; no work is done on these scenes but by gravity."""
    energy = np.array([r.total_energy for r in reports])
    return float((energy - np.minimum.accumulate(energy)).max())

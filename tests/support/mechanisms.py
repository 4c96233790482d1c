"""Running a mechanism of the gallery in its shipped settings, with a measurement after each step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reference.energy_audit import EnergyAudit
from reference.ipc_check import IpcCheck
from signorini.gallery.entry import GalleryScene
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation

CLOSED = 0.01
"""Part of the energy that took part up to which a balance counts as closed (issue 13)."""


def simulation(entry: GalleryScene, **options: float) -> Simulation:
    """The scene with these options of its own, at its own time step and with default settings."""
    return Simulation(entry.build(**options), dt=entry.dt)


def measured(
    sim: Simulation, seconds: float, quantity: Callable[[], float]
) -> tuple[NDArray[np.float64], list[StepReport]]:
    """(n, 2) times [s] and a quantity after each step, and the reports; everything that a mechanism promises must hold."""
    check, audit = IpcCheck(sim), EnergyAudit(sim)
    rows, reports = [], []
    for _ in range(round(seconds / sim.dt)):
        reports.append(check.step())
        audit.after_step()
        rows.append((sim.time, quantity()))
    check.assert_clean()
    unsolved = [r.index for r in reports if r.solves_converged < r.solves]
    assert not unsolved, f"contact problems of steps {unsolved[:10]} were not solved ({len(unsolved)})"
    assert not [r.index for r in reports if r.failsafe_substeps]
    assert max(map(abs, audit.errors)) < CLOSED * audit.scale, "the energy balance is open"
    # What does not move has no energy to compare with: the tolerance of the solver may lift all bodies by tolerance times dt.
    noise = 9.81 * float(sim._world.model.mass.sum()) * sim.contact_tolerance * sim.dt
    assert audit.growth < CLOSED * audit.scale + noise, "energy grew that no work explains"
    return np.array(rows), reports


def surplus(reports: list[StepReport]) -> float:
    """Largest growth of the total energy above what it was before [J]; no work is done on these scenes but by gravity.

    Velocities are those of a whole step, so the potential energy is taken in the middle of it, too: with that at its end, the sum
    differs by m g dt v / 2, which comes and goes in every swing.
    """
    energy, potential = np.array([(r.total_energy, r.potential_energy) for r in reports]).T
    middle = energy[1:] - 0.5 * np.diff(potential)
    return float((middle - np.minimum.accumulate(middle)).max())

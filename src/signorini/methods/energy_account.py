"""Account of energy from nothing over a run: what earlier steps have let through counts in the next one.

A step may grow by a little that no work explains. Over a thousand steps that would be any amount, so the growth of each body is
summed up, less what it lost since: the account is the energy, less work, above its least value so far. Beyond a bound
nothing more is let through.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import BodyEnergies
from signorini.methods.energy_balance import IslandBalances

Floats = NDArray[np.float64]
MOST_GROWN = 0.005
"""Unexplained growth of an island over a run, over the energy that takes part in a step, that is let through."""

TOLERATED_STEPS = 10.0
"""Growth over a run that the tolerance of the contact solver explains, over the work of one step's impulses within it."""


@dataclass(frozen=True, slots=True)
class EnergyAccount:
    """What the energy of each body has grown by without work, and not lost since."""

    grown: Floats
    """(bodies,) [J]"""

    def left(self, balances: IslandBalances) -> Floats:
        """(k,) growth that each island may still have, over the energy that takes part in the step."""
        part = balances.islands.sums(self.grown) / np.maximum(balances.scale, np.finfo(float).tiny)
        return np.maximum(0.0, MOST_GROWN - part)

    def tolerated(self, balances: IslandBalances, work: Floats, end: BodyEnergies) -> Floats:
        """(k,) growth that is left to each island [J] of the `work` (k,) [J] of impulses over the error of the contact solver.

        Over the run it is no more than a part of the energy of motion and strain at the `end`.
        """
        energy = balances.islands.sums(end.kinetic + np.maximum(end.elastic, 0.0))
        most = np.minimum(TOLERATED_STEPS * work, MOST_GROWN * energy)
        return np.clip(most - balances.islands.sums(self.grown), 0.0, work)

    def after(self, balances: IslandBalances, removed: Floats, end: BodyEnergies) -> EnergyAccount:
        """The account after a (sub-)step with these balances, before energy was `removed` (k,) [J], and its energies at the end.

        The bodies of an island share its growth by their energy of motion and strain: which of them grew is not known.
        """
        islands = balances.islands
        own = islands.of_body >= 0
        number = islands.of_body[own]
        grown = balances.net - removed
        grown -= np.clip(grown, 0.0, balances.noise)
        owed = np.maximum(0.0, islands.sums(self.grown) + np.where(np.isfinite(grown), grown, 0.0))
        energy = (end.kinetic + np.maximum(end.elastic, 0.0))[own]
        total = islands.sums(end.kinetic + np.maximum(end.elastic, 0.0))
        after = self.grown.copy()
        after[own] = owed[number] * energy / np.maximum(total[number], np.finfo(float).tiny)
        return EnergyAccount(after)

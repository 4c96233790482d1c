"""`chain`: twenty links fall on a table, none leaves another, and the table carries their weight."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.gallery.mechanisms.chain import LINKS, SCENE, TAUT
from support.mechanisms import measured, simulation, surplus


def fallen(seconds, **options):
    """The simulation after so many seconds and the reports; neighbours are never farther apart than a taut chain."""
    sim = simulation(SCENE, **options)
    links = [body for name, body in sim.bodies.items() if name.startswith("link")]

    def stretch():
        centers = np.array([link.center for link in links])
        return float(np.linalg.norm(np.diff(centers, axis=0), axis=1).max())

    rows, reports = measured(sim, seconds, stretch)
    assert rows[:, 1].max() < 1.05 * TAUT  # the wire has flat sides: a little more than taut
    return sim, reports


def test_a_short_chain_falls():
    sim, reports = fallen(0.15, links=6)
    assert len(sim.bodies) == 6
    assert reports[-1].active_count > 3
    assert surplus(reports) < 0.01 * reports[0].total_energy


@pytest.mark.slow
def test_the_chain_comes_to_rest():
    sim, reports = fallen(SCENE.seconds)
    assert len(sim.bodies) == LINKS
    assert surplus(reports) < 0.01 * reports[0].total_energy
    weight = 9.81 * sum(sim.scene.bodies[name].mass for name in sim.bodies)
    assert -sim.contact_force("table")[2] == pytest.approx(weight, rel=0.05)
    assert reports[-1].kinetic_energy < 0.01 * reports[0].total_energy

"""The default solver inside a running cloth: every contact problem solved to tolerance, however stiff the cloth is."""

from __future__ import annotations

import pytest

from signorini.gallery import SCENES
from signorini.settings import Settings, SolverSettings
from signorini.simulation.simulation import Simulation

STEPS = 150
"""0.6 s: the sheet falls and folds."""


def run(stiffness: float, solver: SolverSettings) -> list:
    scene = SCENES["falling-cloth"].build(stiffness=stiffness, resolution=16)
    sim = Simulation(scene, dt=4e-3, settings=Settings(solver=solver))
    return [sim.step() for _ in range(STEPS)]


@pytest.mark.parametrize("stiffness", [1.0, 10.0, 100.0])
def test_every_contact_problem_is_solved(stiffness):
    tolerance = SolverSettings().residual
    reports = run(stiffness, SolverSettings())
    assert max(r.contact_count for r in reports) >= 16
    assert sum(r.solves for r in reports) >= STEPS
    for r in reports:
        assert r.solves_converged == r.solves, r
        assert (r.halvings, r.failsafe_substeps) == (0, 0), r
        assert max(r.penetration_residual, r.complementarity_residual, r.momentum_residual) <= tolerance, r


def test_relaxation_alone_does_not_solve_them_all():
    """What the test above would say about ICA: it can fail."""
    reports = run(10.0, SolverSettings(name="ica", max_outer=200))
    assert sum(r.solves_converged for r in reports) < sum(r.solves for r in reports)

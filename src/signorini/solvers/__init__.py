"""Solvers of the contact problem; each sees only an `Mlcp`."""

from __future__ import annotations

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.contact.residuals import Residuals, measure
from signorini.settings import SolverSettings
from signorini.solvers.augmented_lagrangian import solve_augmented_lagrangian
from signorini.solvers.full_anticipation import solve_full_anticipation
from signorini.solvers.ica import solve_ica
from signorini.solvers.rigid_refinement import solve_rigid_refinement
from signorini.solvers.standard_contact import solve_standard_contact

__all__ = ["Residuals", "WarmStart", "measure", "solve", "solve_full_anticipation", "solve_ica"]

_SOLVERS = {
    "augmented-lagrangian": solve_augmented_lagrangian,
    "ica": solve_ica,
    "full-anticipation": solve_full_anticipation,
    "rigid-refinement": solve_rigid_refinement,
    "standard-contact": solve_standard_contact,
}


def solve(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
    """Solve the contact problem with the solver that `settings.name` chooses."""
    return _SOLVERS[settings.name](problem, settings, warm_start)

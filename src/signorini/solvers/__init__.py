"""Contact solvers: each sees only an `Mlcp`, and `solve` calls the one that was chosen."""

from __future__ import annotations

from signorini.contact.mlcp import ContactSolver, Mlcp, Response, WarmStart
from signorini.contact.residuals import Residuals, measure
from signorini.settings import DEFAULT_TOLERANCE, SolverSettings
from signorini.solvers.augmented_lagrangian import solve_augmented_lagrangian
from signorini.solvers.full_anticipation import solve_full_anticipation
from signorini.solvers.ica import solve_ica
from signorini.solvers.named_solvers import NAMED_SOLVERS, solve_outside
from signorini.solvers.rigid_refinement import solve_rigid_refinement, solve_standard_contact

__all__ = [
    "Residuals",
    "WarmStart",
    "measure",
    "solve",
    "solve_augmented_lagrangian",
    "solve_full_anticipation",
    "solve_ica",
    "solve_outside",
    "solve_rigid_refinement",
    "solve_standard_contact",
]


def solve(problem: Mlcp, solver: SolverSettings | ContactSolver, warm_start: WarmStart | None = None) -> Response:
    """Solve the contact problem with a solver of this package, chosen by its settings, or with any other callable."""
    if isinstance(solver, SolverSettings):
        return NAMED_SOLVERS[solver.name](problem, solver, warm_start)
    return solve_outside(problem, solver, SolverSettings(tolerance=DEFAULT_TOLERANCE), warm_start)

"""Iterative constraint anticipation: velocity corrections and contact impulses solved in tandem.

Implements: Otaduy2009 §5.2-5.5
"""

from __future__ import annotations

import numpy as np

from signorini.contact.mlcp import Floats, Mlcp, Response, WarmStart
from signorini.contact.residuals import (
    LocalResponse,
    build_local_response,
    build_response,
    empty_response,
    measure,
)
from signorini.settings import SolverSettings
from signorini.solvers import ica_loop_kernels as kernels
from signorini.solvers.contact_system import ContactSystem
from signorini.solvers.iterates import start_values
from signorini.solvers.named_solvers import named_solver
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation_rules import paper_rules

SETTINGS = (
    "stop", "tolerance", "relative_tolerance", "max_outer", "max_inner", "contact_repeats", "max_iterations",
    "friction_cone",
)  # fmt: skip
"""Settings that this solver reads, and those with the same outer iterations."""


@named_solver("ica", reads=SETTINGS)
def solve_ica(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
    """Solve the contact problem by the algorithm of Otaduy2009 §5.5.

    Each outer iteration anticipates the contacts with the block diagonal D_A of A, B = G D_A^-1 G' (Eqs. 10, 13, 14),
    sweeps over the contacts with projected Gauss-Seidel, and refines dv with one block Gauss-Seidel iteration (Eq. 12).

    B is never formed. With w = D_A^-1 (L_A + U_A) dv(i-1) = dv - D_A^-1 A dv, the residual B p - c(i) of the listing is
    G z + u_free + gap/dt for z = w + D_A^-1 G' p, so that it is enough to keep z up to date at the few nodes of a
    contact whose impulse changes: algebraically the same iterates.

    The stop rule `residual` requires, after the Gauss-Seidel iteration, that the residuals of `measure` are at most
    `tolerance`, and that |A dv - G' p| is at most `relative_tolerance` of |G' p| (or the dynamics residual a thousandth
    of `tolerance`): small natural maps alone mislead where convergence is slow. `paper` is the rule of §5.5.
    """
    if problem.contact_count == 0:
        return empty_response(problem)
    start = start_values(problem, warm_start, settings.friction_cone)
    return solve_from(problem, settings, build_local_response(problem), start, None)


def solve_from(
    problem: Mlcp,
    settings: SolverSettings,
    prepared: LocalResponse,
    start: tuple[Floats, Floats],
    system: ContactSystem | None,
) -> Response:
    """The outer iterations from a start (dv, impulse), which is overwritten; `system` is an assembled B, if there is one."""
    (dv, impulse), counts = start, np.zeros(2, dtype=np.int64)
    arrays, rules = problem_arrays(problem, prepared), paper_rules(problem, settings)
    most = np.iinfo(np.int64).max if settings.max_iterations is None else settings.max_iterations
    status = kernels.iterate(arrays, rules, system, most, dv, impulse, counts)
    return build_response(
        dv,
        impulse,
        measure(problem, dv, impulse, settings.friction_cone, prepared=prepared),
        outer_iterations=int(counts[0]),
        inner_iterations=int(counts[1]),
        converged=status == kernels.CONVERGED,
        diverged=status == kernels.DIVERGED,
    )

"""The default solver: an augmented Lagrangian with a semismooth Newton method, for stiff problems with friction.

Solves the problem of Otaduy2009 Eq. 7 with the exact Coulomb cone, which their relaxation does not (decision 0004).
"""

from __future__ import annotations

import numpy as np

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian_loop_kernels as kernels
from signorini.solvers.ica import start_values
from signorini.solvers.residuals import build_local_response, build_response, measure

PENALTY = 3.0
"""σ: penalty of a contact times its local compliance; between 1 and 10 the time hardly changes on cloth."""


TIGHTER = (1.0, 0.3, 0.1)
"""Parts of the tolerance that are asked for one after the other until the measured residuals are below it."""
MAX_UPDATES = 80
"""Multiplier updates at most, if `max_outer` does not ask for fewer; a handful is usual."""


def solve_augmented_lagrangian(
    problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None
) -> Response:
    """Solve the contact problem; the multipliers are impulses [N s] and start from `warm_start`.

    With K the friction cone and u the contact velocity (gap/dt added to its normal), a solution has
    lam = P_K(lam - rho (u + mu |u_t| n)) for any rho > 0 (De Saxcé and Feng 1998). For a frozen shift s = mu |u_t| this is
    a convex problem: the outer loop updates lam and s, the inner loop minimises the smooth augmented Lagrangian
    ½ x'A x + Σ |P_K(lam - rho (u + s n))|² / (2 rho) over x = dv by Newton steps with conjugate gradients.
    """
    if problem.contact_count == 0:
        zeros = np.zeros((problem.node_count, 3)), np.zeros((0, 3))
        nothing = measure(problem, *zeros)
        return build_response(*zeros, nothing, outer_iterations=0, inner_iterations=0, converged=True)
    dv, impulse = start_values(problem, warm_start, "cone")
    prepared = build_local_response(problem)
    A = problem.A
    compliance = (prepared.local[:, 0] + prepared.local[:, 3] + prepared.local[:, 5]) / 3.0
    movable = prepared.local[:, 6] > 0.0
    rho = np.where(movable, PENALTY / np.where(movable, compliance, 1.0), 0.0)
    counts, updates = np.zeros(3, dtype=np.int64), 0
    status, worst, residuals = kernels.OUT_OF_ITERATIONS, np.inf, None
    for tighter in TIGHTER:
        status = kernels.iterate(
            A.indptr, A.indices, A.data, A.diagonal_blocks(), prepared.D_inv, problem.jacobian_indptr,
            problem.jacobian_nodes, problem.jacobian_blocks, prepared.bias, problem.friction, rho,
            tighter * settings.tolerance, settings.relative_tolerance, min(settings.max_outer, MAX_UPDATES), dv, impulse,
            counts,
        )  # fmt: skip
        updates += int(counts[0])
        residuals = measure(problem, dv, impulse, "cone", prepared=prepared)
        # A contact that nothing can move but that is violated makes the problem infeasible: that is no solution either.
        worst = max(residuals.normal, residuals.friction, residuals.dynamics, residuals.penetration_velocity)
        # The solver's own measure depends on its penalties; what was measured decides, and may ask for more.
        if worst <= settings.tolerance or status != kernels.CONVERGED:
            break
    assert residuals is not None
    return build_response(
        dv,
        impulse,
        residuals,
        outer_iterations=updates,
        inner_iterations=int(counts[2]),
        converged=worst <= settings.tolerance and status == kernels.CONVERGED,
        diverged=status == kernels.NOT_FINITE,
    )

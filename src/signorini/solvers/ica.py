"""Iterative constraint anticipation: velocity corrections and contact impulses solved in tandem.

Implements: Otaduy2009 §5.2-5.5
"""

from __future__ import annotations

import numpy as np

from signorini.contact.mlcp import Floats, Mlcp, Response, WarmStart
from signorini.contact.residuals import build_local_response, build_response, measure
from signorini.errors import InputError
from signorini.settings import FrictionCone, SolverSettings
from signorini.solvers import ica_loop_kernels as kernels
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation_rules import Rules


def solve_ica(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
    """Solve the contact problem by the algorithm of Otaduy2009 §5.5.

    Each outer iteration anticipates the contacts with the block diagonal D_A of A, B = G D_A^-1 G' (Eqs. 10, 13, 14),
    sweeps over the contacts with projected Gauss-Seidel, and refines dv with one block Gauss-Seidel iteration (Eq. 12).

    B is never formed. With w = D_A^-1 (L_A + U_A) dv(i-1) = dv - D_A^-1 A dv, the residual B p - c(i) of the listing is
    G z + u_free + gap/dt for z = w + D_A^-1 G' p, so that it is enough to keep z up to date at the few nodes of a
    contact whose impulse changes: algebraically the same iterates.

    The stop rule `residual` requires, after the Gauss-Seidel iteration, that the residuals of `measure` are at most
    `tolerance`, and that |A dv - G' p| is at most `relative_tolerance` of |G' p| (or the dynamics residual a thousandth
    of `tolerance`): small natural maps alone mislead where convergence is slow. `paper` is the rule of §5.5; its half
    detection tolerance is half of `problem.contact_distance`, as a velocity u_n + gap/dt >= -contact_distance / (2 dt),
    at least `tolerance`.
    """
    if problem.contact_count == 0:
        zeros = np.zeros((problem.node_count, 3)), np.zeros((0, 3))
        nothing = measure(problem, *zeros)
        return build_response(*zeros, nothing, outer_iterations=0, inner_iterations=0, converged=True)
    dv, impulse = start_values(problem, warm_start, settings.friction_cone)
    prepared = build_local_response(problem)
    counts, never = np.zeros(2, dtype=np.int64), settings.max_outer + 1
    rules = Rules(
        cone=settings.friction_cone == "cone",
        paper=settings.stop == "paper",
        tolerance=settings.tolerance,
        relative_tolerance=settings.relative_tolerance,
        allowed_penetration=max(0.5 * problem.contact_distance / problem.dt, settings.tolerance),
        max_outer=settings.max_outer,
        max_inner=settings.max_inner,
        repeats=settings.contact_repeats,
        horizon=never,
        look_back=never,
        patience=0,
        refresh=0,
        period=0,
    )
    status = kernels.iterate(problem_arrays(problem, prepared), rules, dv, impulse, counts)
    return build_response(
        dv,
        impulse,
        measure(problem, dv, impulse, settings.friction_cone, prepared=prepared),
        outer_iterations=int(counts[0]),
        inner_iterations=int(counts[1]),
        converged=status == kernels.CONVERGED,
        diverged=status == kernels.DIVERGED,
    )


def start_values(problem: Mlcp, warm_start: WarmStart | None, friction_cone: FrictionCone) -> tuple[Floats, Floats]:
    """Fresh arrays dv (n, 3) and impulse (m, 3) to start from, the impulses inside their pyramids or cones."""
    n, m = problem.node_count, problem.contact_count
    if warm_start is None:
        return np.zeros((n, 3)), np.zeros((m, 3))
    check_start(problem, warm_start)
    dv, impulse = warm_start.dv.copy(), warm_start.impulse.copy()
    impulse[:, 0] = np.maximum(impulse[:, 0], 0.0)
    bound = (problem.friction * impulse[:, 0])[:, None]
    if friction_cone == "cone":
        length = np.linalg.norm(impulse[:, 1:], axis=1, keepdims=True)
        impulse[:, 1:] *= np.minimum(1.0, np.divide(bound, length, out=np.zeros_like(bound), where=length > 0.0))
    else:
        impulse[:, 1:] = np.clip(impulse[:, 1:], -bound, bound)
    impulse[np.diff(problem.jacobian_indptr) == 0] = 0.0
    return dv, impulse


def check_start(problem: Mlcp, warm_start: WarmStart) -> None:
    """Refuse a warm start of another problem."""
    n, m = problem.node_count, problem.contact_count
    if warm_start.dv.shape != (n, 3) or warm_start.impulse.shape != (m, 3):
        raise InputError(
            f"warm start has dv {warm_start.dv.shape} and impulse {warm_start.impulse.shape}, "
            f"but the problem has {n} nodes and {m} contacts"
        )

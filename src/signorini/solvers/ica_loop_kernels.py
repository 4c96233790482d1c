"""Outer iterations of iterative constraint anticipation, in one compiled call.

Implements: Otaduy2009 §5.5; with an assembled matrix of the contacts Otaduy2010 §5
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import apply_transpose, approach_speed
from signorini.solvers.ica_kernels import add_impulse_change, relax, start, sweep_contacts, take_residual
from signorini.solvers.rigid_refinement_kernels import sweep_assembled
from signorini.solvers.stop_rule_kernels import (
    allowed_strikes,
    are_swept,
    excess_over_tolerances,
    is_solved,
    seems_slow,
)

RUNNING, CONVERGED, DIVERGED, SLOW = range(4)
GROWTH = 1e3
"""Ratio of the dynamics residual to its smallest value so far that is divergence, if it also exceeds every approach speed."""
MARGIN = 3.0
"""Contacts that stay open by this many times the velocity that the last iteration changed are left out of the next sweeps."""


@kernel
def iterate(problem, rules, system, most, dv, p, counts):
    """Solve the problem (`ProblemArrays`) by the rules (`Rules`) from (dv, p) in place; the status.

    `system` is None, or the assembled matrix of the contacts (`ContactSystem`) that the sweeps then use: the compiler removes the
    branch that is not taken. It ends after `most` inner iterations. counts gets the outer and inner ones.
    """
    indptr, indices, data, diagonal = problem.A_indptr, problem.A_indices, problem.A_data, problem.diagonal
    D, D_inv, max_outer, refresh = problem.D, problem.D_inv, rules.max_outer, rules.refresh
    n, m = len(dv), len(p)
    f, upper, fresh = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    z, z0 = np.empty((n, 3)), np.empty((n, 3))
    work = np.empty((0 if system is None else 2, n, 3)), np.empty((0 if system is None else m, 3))
    best_dv, best_p = dv.copy(), p.copy()
    sums, now, before = np.zeros(2), np.zeros(4), np.full(4, np.inf)
    best, best_dynamics, merit, change = np.inf, np.inf, np.inf, 0.0
    counts[:] = 0
    speed = approach_speed(problem.bias, problem.local)
    if np.isnan(speed):
        return DIVERGED
    apply_transpose(problem.indptr, problem.nodes, problem.blocks, p, f)
    start(indptr, indices, data, diagonal, dv, f, upper, fresh)
    dynamics = take_residual(D_inv, f, dv, fresh, upper, z, z0, sums)
    status = RUNNING
    previous_excess, strikes = np.inf, 0
    listed, count, near, age = np.empty(m, np.int32), -1, np.inf, 0
    while True:
        if is_solved(problem, rules, counts[0], dynamics, change, sums, dv, p, now, before):
            status = CONVERGED
            break
        merit = max(dynamics, change)
        if not np.isfinite(merit) or (dynamics > GROWTH * best_dynamics and dynamics > speed):
            status = DIVERGED
            break
        if counts[0] == max_outer or counts[1] >= most:
            break
        if counts[0] > 0 and counts[0] % rules.look_back == 0:
            excess = excess_over_tolerances(problem, rules, merit, sums)
            late = seems_slow(rules, previous_excess, excess) and counts[0] > rules.patience
            strikes += late
            if late and strikes > allowed_strikes(rules, excess):
                status = SLOW
                break
            previous_excess = excess
        if counts[0] > 0 and merit < best:
            best = merit
            best_dv[:] = dv
            best_p[:] = p
        best_dynamics = min(best_dynamics, dynamics) if counts[0] > 0 else np.inf
        if system is None:
            if refresh == 0 or age == refresh:
                count = -1
            age = 1 if count < 0 else age + 1
            change, count, sweeps = sweep(problem, rules, dynamics, near, listed, count, z, p)
            near = MARGIN * (change + dynamics)
            add_impulse_change(D, z, z0, f)
        else:
            change, sweeps = sweep_assembled(problem, rules, system, dynamics, work, f, z, p)
        relax(indptr, indices, data, diagonal, D_inv, f, upper, fresh, dv)
        dynamics = take_residual(D_inv, f, dv, fresh, upper, z, z0, sums)
        counts[0] += 1
        counts[1] += sweeps
    if status != CONVERGED and not best >= 0.5 * merit:  # also when merit is not a number
        dv[:] = best_dv
        p[:] = best_p
    return status


@kernel
def sweep(problem, rules, dynamics, near, listed, count, z, p):
    """Sweep over the contacts for fixed dv (Otaduy2009 §5.5, 3.2); the first change, the listed ones, the number of sweeps."""
    now, before = np.zeros(4), np.full(4, np.inf)
    first = 0.0
    for sweeps in range(1, rules.max_inner + 1):
        if rules.refresh == 0:
            count = -1
        change, count = sweep_contacts(
            problem.indptr, problem.nodes, problem.blocks, problem.response, problem.local, problem.bias, problem.mu,
            rules.cone, rules.repeats, near, listed, count, z, p,
        )  # fmt: skip
        if sweeps == 1:
            first = change
        if are_swept(problem, rules, change, dynamics, z, p, now, before):
            return first, count, sweeps
    return first, count, rules.max_inner

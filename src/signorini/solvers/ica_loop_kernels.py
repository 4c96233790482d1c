"""The outer loop of iterative constraint anticipation and its stop rules, in one compiled call.

Implements: Otaduy2009 §5.5
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import apply_transpose, approach_speed, contact_residuals
from signorini.solvers.extrapolation_kernels import (
    extrapolate,
    last_square,
    mass_roots,
    recall_last,
    remember,
    residual_square,
    room_for_history,
)
from signorini.solvers.ica_kernels import add_impulse_change, relax, start, sweep_contacts, take_residual

RUNNING, CONVERGED, DIVERGED, SLOW = range(4)
GROWTH = 1e3  # a dynamics residual this many times its best, and above every approach speed, is divergence
CHANGE = 0.05  # Otaduy2009 §5.5: "change less than 5 %"
NOISE = 1e-3  # residuals below this part of the tolerance count as zero
NEAR, FAR_OFF = 20.0, 300.0  # residual over tolerance
MARGIN = 3.0  # contacts that stay open by this many times what the iteration still changes are left out
SWEEP = 0.2  # a sweep over the contacts costs about this part of an iteration
INNER = 3.0  # stop="residual": sweep until impulses change by at most this many times the dynamics residual [m/s]


@kernel
def iterate(problem, rules, dv, p, counts):
    """Solve the problem (`ProblemArrays`) by the rules (`Rules`) from (dv, p) in place; the status.

    counts gets the outer and inner iterations.
    """
    cone, paper, tolerance, relative_tolerance = rules.cone, rules.paper, rules.tolerance, rules.relative_tolerance
    indptr, indices, data, diagonal = problem.A_indptr, problem.A_indices, problem.A_data, problem.diagonal
    D, D_inv, bias, mu, local = problem.D, problem.D_inv, problem.bias, problem.mu, problem.local
    contact_indptr, nodes, blocks = problem.indptr, problem.nodes, problem.blocks
    max_outer, refresh, period = rules.max_outer, rules.refresh, rules.period
    n = len(dv)
    f, upper, fresh = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    z, z0 = np.empty((n, 3)), np.empty((n, 3))
    best_dv, best_p = dv.copy(), p.copy()
    sums, now, before = np.zeros(2), np.zeros(4), np.full(4, np.inf)
    best, best_dynamics, merit, change = np.inf, np.inf, np.inf, 0.0
    counts[:] = 0
    speed = approach_speed(bias, local)
    if np.isnan(speed):
        return DIVERGED
    apply_transpose(contact_indptr, nodes, blocks, p, f)
    start(indptr, indices, data, diagonal, dv, f, upper, fresh)
    dynamics = take_residual(D_inv, f, dv, fresh, upper, z, z0, sums)
    status = RUNNING
    previous_excess, strikes = np.inf, 0
    listed, count, near, age = np.empty(len(mu), np.int32), -1, np.inf, 0
    history, slot = room_for_history(period, n, len(mu)), 0
    root = mass_roots(D)
    while True:
        # Contacts last: they cost more than the dynamics, and while convergence is slow their residuals look small.
        close = sums[0] <= relative_tolerance * relative_tolerance * sums[1] or dynamics <= NOISE * tolerance
        if paper or (dynamics <= tolerance and close and (refresh == 0 or change <= INNER * tolerance)):
            contact_residuals(contact_indptr, nodes, blocks, local, bias, mu, cone, dv, p, now)
            now[3] = dynamics
            if paper:
                done = counts[0] > 0 and now[2] <= rules.allowed_penetration
                for a in (0, 1, 3):
                    done = done and settled(now[a], before[a], NOISE * tolerance)
            else:
                done = max(now[0], now[1]) <= tolerance
            before[:] = now
            if done:
                status = CONVERGED
                break
        merit = max(dynamics, change)
        if not np.isfinite(merit) or (dynamics > GROWTH * best_dynamics and dynamics > speed):
            status = DIVERGED
            break
        if counts[0] == max_outer or (period > 0 and counts[0] + SWEEP * counts[1] > (1.0 + SWEEP) * max_outer):
            break
        if counts[0] > 0 and counts[0] % rules.look_back == 0:
            relative = (
                np.sqrt(sums[0] / max(sums[1], 1e-300)) / relative_tolerance if dynamics > NOISE * tolerance else 0.0
            )
            excess = max(merit / tolerance, relative)
            left = rules.look_back * falls_left(previous_excess, excess)
            late = left > rules.horizon and counts[0] > rules.patience
            strikes += late
            # Near the end the excess goes up and down: do not give up because of one bad stretch.
            if late and strikes > (0 if excess > FAR_OFF else 1 if excess > NEAR else 2):
                status = SLOW
                break
            previous_excess = excess
        if counts[0] > 0 and merit < best:
            best = merit
            best_dv[:] = dv
            best_p[:] = p
        best_dynamics = min(best_dynamics, dynamics) if counts[0] > 0 else np.inf
        if refresh == 0 or age == refresh:
            count = -1
        age = 1 if count < 0 else age + 1
        change, count, sweeps = solve_inner(problem, rules, dynamics, near, listed, count, z, p)
        near = MARGIN * (change + dynamics)
        counts[1] += sweeps
        add_impulse_change(D, z, z0, f)
        relax(indptr, indices, data, diagonal, D_inv, f, upper, fresh, dv)
        dynamics = take_residual(D_inv, f, dv, fresh, upper, z, z0, sums)
        counts[0] += 1
        if period > 0:
            remember(history, slot, dv, z0, p, root)
            slot += 1
            if slot == period:
                dynamics = leap(problem, root, history, dynamics, dv, p, f, upper, fresh, z, z0, sums)
                slot = 0
    if status != CONVERGED and not best >= 0.5 * merit:  # also when merit is not a number
        dv[:] = best_dv
        p[:] = best_p
    return status


@kernel
def leap(problem, root, history, dynamics, dv, p, f, upper, fresh, z, z0, sums):
    """Go to where the iterates of the history are heading, unless the residual grows; the dynamics residual [m/s]."""
    before, last_f, last_upper, last_z = sums.copy(), f.copy(), upper.copy(), z.copy()
    extrapolate(history, problem.mu, dv, p)
    apply_transpose(problem.indptr, problem.nodes, problem.blocks, p, f)
    start(problem.A_indptr, problem.A_indices, problem.A_data, problem.diagonal, dv, f, upper, fresh)
    there = take_residual(problem.D_inv, f, dv, fresh, upper, z, z0, sums)
    if residual_square(dv, z0, root) <= last_square(history):
        return there
    recall_last(history, dv, p)
    sums[:], f[:], upper[:], z[:], z0[:] = before, last_f, last_upper, last_z, last_z
    return dynamics


@kernel
def falls_left(before, now):
    """How many more falls like that from `before` to `now` bring an excess over the tolerances to 1."""
    if now <= 1.0 or before == np.inf:
        return 0.0
    return np.log(now) / np.log(before / now) if now < before else np.inf


@kernel
def solve_inner(problem, rules, dynamics, near, listed, count, z, p):
    """Sweep over the contacts for fixed dv (Otaduy2009 §5.5, 3.2); the first change, the listed ones, the number of sweeps."""
    indptr, nodes, blocks, local = problem.indptr, problem.nodes, problem.blocks, problem.local
    bias, mu, tolerance = problem.bias, problem.mu, rules.tolerance
    now, before = np.zeros(4), np.full(4, np.inf)
    first = 0.0
    for sweep in range(rules.max_inner):
        if rules.refresh == 0:
            count = -1
        change, count = sweep_contacts(
            indptr,
            nodes,
            blocks,
            problem.response,
            local,
            bias,
            mu,
            rules.cone,
            rules.repeats,
            near,
            listed,
            count,
            z,
            p,
        )
        if sweep == 0:
            first = change
        if rules.paper:
            contact_residuals(indptr, nodes, blocks, local, bias, mu, rules.cone, z, p, now)
            normals = settled(now[0], before[0], NOISE * tolerance)
            if normals and settled(now[1], before[1], NOISE * tolerance) and now[2] <= rules.allowed_penetration:
                return first, count, sweep + 1
            before[:] = now
        elif change <= INNER * max(dynamics, 0.3 * tolerance):
            return first, count, sweep + 1
    return first, count, rules.max_inner


@kernel
def settled(now, before, floor):
    """The paper's rule for one residual: it changes by less than 5 %."""
    return abs(now - before) <= max(CHANGE * before, floor)

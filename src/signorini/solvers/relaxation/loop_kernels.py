"""Outer iterations of relaxation with the friction cone, by the threads of a crew in one compiled call.

Implements: Otaduy2009 §5.5 with shortcuts (`Rules`). All threads go through the same loop: each works on its blocks of nodes and
on the contacts of these, thread 0 then on what lies between the blocks. What decides how the loop goes on is computed by every
thread from the same sums, which are taken block by block.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import approach_speed
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.parallel.crew_kernels import meet
from signorini.solvers.relaxation import extrapolation_kernels as ahead
from signorini.solvers.relaxation.row_kernels import (
    add_change_rows,
    relax_rows,
    scatter_impulses,
    settle_rows,
    start_rows,
    sweep_group,
)
from signorini.solvers.stop_rule_kernels import (
    INNER,
    LEAST,
    allowed_strikes,
    excess_over_tolerances,
    is_solved,
    may_be_solved,
    seems_slow,
)

RUNNING, CONVERGED, DIVERGED, SLOW = range(4)
DISMISSED = 4
"""Status of a thread that was late at a barrier; the others go on without it."""
GROWTH = 1e3
"""Ratio of the dynamics residual to its smallest value so far that is divergence, if it also exceeds every approach speed."""
MARGIN = 3.0
"""Contacts that stay open by this many times the velocity that the last iteration changed are left out of the next sweeps."""
SWEEP = 0.2
"""Cost of a sweep over the contacts, as a part of that of an outer iteration."""
X, F, UPPER, FRESH, Z, Z0, LOST, BEST = range(8)
"""Rows of `Relaxation.vectors`."""


@kernel
def iterate(crew, rank, problem, relaxation, rules, dv, p, counts):
    """Solve the problem (`ProblemArrays`) by the rules (`Rules`) from (dv, p) in place; the status.

    counts gets the outer and inner iterations.
    """
    size = meet(crew, rank)
    if size == 0:
        return DISMISSED
    speed = approach_speed(problem.bias, problem.local)
    if np.isnan(speed):
        return DIVERGED
    if rank == 0:
        begin(problem, relaxation, dv, p, counts)
    sums, change, done = np.zeros(2), 0.0, np.zeros(2, np.int64)
    size = meet(crew, rank)
    dynamics, size = settle(crew, rank, size, relaxation, sums)
    best, best_dynamics, merit, previous_excess = np.inf, np.inf, np.inf, np.inf
    status, strikes, near, age, slot = RUNNING, 0, np.inf, 0, 0
    while size > 0:
        solved, size = check(crew, rank, size, problem, relaxation, rules, done[0], dynamics, change, sums, dv, p)
        merit = max(dynamics, change)
        if solved:
            status = CONVERGED
        elif not np.isfinite(merit) or (dynamics > GROWTH * best_dynamics and dynamics > speed):
            status = DIVERGED
        elif done[0] > 0 and done[0] % rules.look_back == 0:
            excess = excess_over_tolerances(problem, rules, merit, sums)
            late = seems_slow(rules, previous_excess, excess) and done[0] > rules.patience
            strikes += late
            if late and strikes > allowed_strikes(rules, excess):
                status = SLOW
            previous_excess = excess
        if status != RUNNING or size == 0 or is_used_up(rules, done):
            break
        if done[0] > 0 and merit < best:
            best = merit
            keep_best(rank, size, relaxation, p)
        best_dynamics = min(best_dynamics, dynamics) if done[0] > 0 else np.inf
        everything = age == 0 or age == rules.refresh
        age = 1 if everything else age + 1
        change, sweeps, size = sweep(crew, rank, size, problem, relaxation, rules, dynamics, near, everything, p)
        near = MARGIN * (change + dynamics)
        size = relax(crew, rank, size, relaxation)
        dynamics, size = settle(crew, rank, size, relaxation, sums)
        done[0] += 1
        done[1] += sweeps
        if rules.period > 0 and size > 0:
            remember(rank, size, relaxation, slot, p)
            slot += 1
            if slot == rules.period:
                dynamics, size = leap(crew, rank, size, problem, relaxation, rules.period - 1, dynamics, sums, p)
                slot = 0
    if size == 0:
        return DISMISSED
    if meet(crew, rank) > 0 and rank == 0:
        finish(relaxation, status != CONVERGED and not best >= 0.5 * merit, dv, p)
        counts[0], counts[1] = done[0], done[1]
    return status


@kernel
def is_used_up(rules, done):
    """Whether the iterations are used up."""
    return done[0] == rules.max_outer or (
        rules.period > 0 and done[0] + SWEEP * done[1] > (1.0 + SWEEP) * rules.max_outer
    )


@kernel
def begin(problem, relaxation, dv, p, counts):
    """The start in the order of the blocks."""
    vectors, K = relaxation.vectors, relaxation.split
    counts[:] = 0
    gather_rows(dv, relaxation.ordering.order, vectors[X])
    scatter_impulses(problem, relaxation, p, vectors[F])
    start_rows(K, vectors[F], vectors[X], vectors[UPPER], vectors[FRESH])


@kernel
def finish(relaxation, recall, dv, p):
    """The last iterate, or the best one, in the order of the nodes."""
    scatter_rows(relaxation.vectors[BEST if recall else X], relaxation.ordering.order, dv)
    if recall:
        p[:] = relaxation.best_impulse


@kernel
def block_end(K, b):
    """The end of the rows of block b; the last block is what lies between the others."""
    return K.starts[b + 1] if b < len(K.starts) - 1 else len(K.L_indptr) - 1


@kernel
def members_of(relaxation, b):
    """The contacts of block b."""
    return relaxation.members[relaxation.groups[b] : relaxation.groups[b + 1]]


@kernel
def keep_best(rank, size, relaxation, p):
    """Copy the iterate."""
    K, x, best = relaxation.split, relaxation.vectors[X], relaxation.vectors[BEST]
    for b in range(rank, len(K.starts), size):
        for i in range(4 * K.starts[b], 4 * block_end(K, b)):
            best[i] = x[i]
        for c in members_of(relaxation, b):
            for a in range(3):
                relaxation.best_impulse[c, a] = p[c, a]


@kernel
def check(crew, rank, size, problem, relaxation, rules, done, dynamics, change, sums, dv, p):
    """Whether the iterate is a solution by the stop rule; thread 0 looks at the contacts if the dynamics may be solved."""
    if not may_be_solved(problem, rules, dynamics, change, sums):
        return False, size
    if rank == 0:
        scatter_rows(relaxation.vectors[X], relaxation.ordering.order, dv)
        now, before = np.zeros(4), np.full(4, np.inf)
        relaxation.orders[0] = is_solved(problem, rules, done, dynamics, change, sums, dv, p, now, before)
    size = meet(crew, rank)
    return relaxation.orders[0] != 0, size


@kernel
def sweep(crew, rank, size, problem, relaxation, rules, dynamics, near, everything, p):
    """Sweep over the contacts for fixed dv (Otaduy2009 §5.5, 3.2); the first change [m/s], the number of sweeps, the crew."""
    z, parts, last = relaxation.vectors[Z], relaxation.parts, len(relaxation.split.starts) - 1
    first, sweeps = 0.0, 0
    while size > 0:
        for b in range(rank, last, size):
            parts[b, 5] = sweep_group(problem, relaxation, b, rules, near, everything, z, p)
        size = meet(crew, rank)
        if rank == 0:
            parts[last, 5] = sweep_group(problem, relaxation, last, rules, near, everything, z, p)
        if size > 0:
            size = meet(crew, rank)
        change, everything = parts[:, 5].max(), False
        sweeps += 1
        if sweeps == 1:
            first = change
        if change <= INNER * max(dynamics, LEAST * rules.tolerance) or sweeps == rules.max_inner:
            break
        if size > 0:
            size = meet(crew, rank)  # nobody sweeps again before all have seen the change
    return first, sweeps, size


@kernel
def relax(crew, rank, size, relaxation):
    """One block Gauss-Seidel iteration on A dv = G' p; returns the crew."""
    vectors, K = relaxation.vectors, relaxation.split
    x, f, upper, fresh, z, z0 = vectors[X], vectors[F], vectors[UPPER], vectors[FRESH], vectors[Z], vectors[Z0]
    last = len(K.starts) - 1
    if size > 0:
        for b in range(rank, last, size):
            add_change_rows(K, K.starts[b], K.starts[b + 1], z, z0, f)
            relax_rows(K, K.starts[b], K.starts[b + 1], f, upper, x, fresh)
        size = meet(crew, rank)
    if rank == 0:
        add_change_rows(K, K.starts[last], block_end(K, last), z, z0, f)
        relax_rows(K, K.starts[last], block_end(K, last), f, upper, x, fresh)
    return meet(crew, rank) if size > 0 else size


@kernel
def settle(crew, rank, size, relaxation, sums):
    """The residual of the dynamics [m/s], and the crew; sums gets |A dv - G' p|² and |G' p|²."""
    vectors, K, parts = relaxation.vectors, relaxation.split, relaxation.parts
    if size > 0:
        for b in range(rank, len(K.starts), size):
            settle_rows(
                K, K.starts[b], block_end(K, b), vectors[F], vectors[X], vectors[FRESH], vectors[UPPER], vectors[Z],
                vectors[Z0], parts[b],
            )  # fmt: skip
        size = meet(crew, rank)
    return take_sums(parts, sums), size


@kernel
def take_sums(parts, sums):
    """The largest residual [m/s] over all blocks; sums (2,) over them."""
    sums[0] = sums[1] = largest = 0.0
    for b in range(len(parts)):
        largest = max(largest, parts[b, 0])
        sums[0] += parts[b, 1]
        sums[1] += parts[b, 2]
    return largest


@kernel
def remember(rank, size, relaxation, slot, p):
    """Keep the iterate for the next extrapolation."""
    vectors, K = relaxation.vectors, relaxation.split
    for b in range(rank, len(K.starts), size):
        ahead.remember_rows(
            relaxation.node_history, slot, K.starts[b], block_end(K, b), vectors[X], vectors[Z0], vectors[UPPER],
            relaxation.root,
        )  # fmt: skip
        ahead.remember_impulses(relaxation.impulse_history, slot, members_of(relaxation, b), p)


@kernel
def leap(crew, rank, size, problem, relaxation, last, dynamics, sums, p):
    """Extrapolate the iterates of the history, and undo that if the residual grows; the dynamics residual [m/s], the crew."""
    vectors, K, root, nodes = relaxation.vectors, relaxation.split, relaxation.root, relaxation.node_history
    x, f, upper, z, z0, lost = vectors[X], vectors[F], vectors[UPPER], vectors[Z], vectors[Z0], vectors[LOST]
    count, impulses = len(K.starts), relaxation.impulse_history
    before = sums.copy()
    for b in range(rank, count, size):
        ahead.products(nodes, last, K.starts[b], block_end(K, b), relaxation.parts[b])
    size = meet(crew, rank)
    if size == 0:
        return dynamics, size
    gamma = ahead.weights(relaxation.parts, last)
    for b in range(rank, count, size):
        ahead.combine_rows(nodes, last, gamma, K.starts[b], block_end(K, b), root, x, upper, z)
        ahead.combine_impulses(impulses, last, gamma, members_of(relaxation, b), problem.mu, p, relaxation.cut)
    size = meet(crew, rank)
    if rank == 0:
        scatter_impulses(problem, relaxation, p, f)
        scatter_impulses(problem, relaxation, relaxation.cut, lost)
    size = meet(crew, rank) if size > 0 else size
    if size == 0:
        return dynamics, size
    for b in range(rank, count, size):
        ahead.settle_combination(
            K, K.starts[b], block_end(K, b), root, f, lost, x, z, z0, nodes[ahead.RESIDUAL, last], relaxation.parts[b]
        )
    size = meet(crew, rank)
    there, weighted, old = take_sums(relaxation.parts, sums), relaxation.parts[:, 3].sum(), relaxation.parts[:, 4].sum()
    if weighted <= old or size == 0:
        return there, size
    for b in range(rank, count, size):
        ahead.recall_rows(nodes, last, K.starts[b], block_end(K, b), root, x, upper, z, z0)
        ahead.recall_impulses(impulses, last, members_of(relaxation, b), p)
    sums[:] = before
    size = meet(crew, rank)
    if rank == 0:
        scatter_impulses(problem, relaxation, p, f)
    return dynamics, meet(crew, rank) if size > 0 else size

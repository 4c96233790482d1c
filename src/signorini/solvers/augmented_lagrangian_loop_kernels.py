"""Loops of the augmented Lagrangian method: updates of multipliers and shifts, with a semismooth Newton method in each."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.anderson_kernels import accelerate, room_for_memory
from signorini.linalg.block_matrix_kernels import copy_rows
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.parallel.crew_kernels import meet
from signorini.solvers.augmented_lagrangian_kernels import (
    alignment,
    fixed_point,
    lengthen,
    scale,
    seems_infeasible,
    stiffen,
    take,
)
from signorini.solvers.newton.jump_kernels import begin_jump, end_jump
from signorini.solvers.newton.list_kernels import expect_path
from signorini.solvers.newton.rows_kernels import X
from signorini.solvers.newton.steps_kernels import (
    ACCURACY,
    CONVERGED,
    FOLLOW,
    FOLLOW_STIFFER,
    NOT_FINITE,
    OUT_OF_ITERATIONS,
    SLOW,
    START,
    minimise,
    start_velocities,
)

LEAVE, MINIMISE = 0, 1
"""Orders of thread 0 to the others."""
STALLED, SUSPECT = 6, 7
"""Further status, beside those of Newton's method."""
SOFTENING, MAX_SOFTER = 1.0 / 3.0, 6
"""Factor of all penalties when Newton's method does not converge with them, and how often it is applied at most."""
LAGGING, STIFFENING, MAX_STIFFER = 0.1, 10.0, 12
"""Where convergence is slow, contacts whose multipliers change by at least LAGGING times the largest change get a penalty
STIFFENING times larger, at most MAX_STIFFER times in a solve."""
SLOWEST = 0.6
"""Newton's method reduces its residual to ACCURACY of the error of the multipliers, and its goals fall to SLOWEST of themselves
or further with every update: it must be more accurate than the fixed-point iteration that it is part of, but not much."""
PATIENCE, MAX_STALLS = 5, 60
"""Updates without progress after which penalties are changed or infeasibility is suspected, and after which the
iteration ends."""
MAX_STRIDE = 64.0
"""Factor at most by which updates are lengthened that go in the same direction again and again."""


@kernel
def iterate(
    crew, rank, problem, matrix, rho, trusted, tolerance, relative_tolerance, max_outer, max_cg, x, lam, counts
):  # fmt: skip
    """`iterate_multipliers` on thread 0, while the others of the crew help with its Newton steps; returns a status."""
    rules = tolerance, relative_tolerance, max_cg
    if rank > 0:
        return serve(crew, rank, problem, matrix, rho, rules, lam, counts)
    gather_rows(x, matrix.ordering.order, matrix.vectors[X])
    status = iterate_multipliers(crew, problem, matrix, rho, trusted, rules, max_outer, lam, counts)
    scatter_rows(matrix.vectors[X], matrix.ordering.order, x)
    matrix.orders[0] = LEAVE
    meet(crew, rank)
    return status


@kernel
def serve(crew, rank, problem, matrix, rho, rules, lam, counts):
    """What the other threads do: help with Newton's method until they may leave."""
    size = meet(crew, rank)
    while size > 0 and matrix.orders[0] == MINIMISE:
        if minimise(crew, rank, size, problem, matrix, rho, rules, lam, counts) == 0:
            break
        size = meet(crew, rank)
    return CONVERGED


@kernel
def minimise_together(crew, problem, matrix, rho, rules, lam, counts):
    """Newton's method with all threads, as thread 0."""
    matrix.orders[0] = MINIMISE
    expect_path(matrix)
    return minimise(crew, 0, meet(crew, 0), problem, matrix, rho, rules, lam, counts)


@kernel
def iterate_multipliers(crew, problem, matrix, rho, trusted, rules, max_outer, lam, counts):
    """Solve from the start in matrix.vectors[X] and lam (m, 3), which are overwritten by the best iterate; returns a status.

    rho (m,) adapts itself and is overwritten. A problem that seems to be infeasible ends the iteration as SUSPECT unless it is
    `trusted` to be feasible. It returns SLOW from where it is if a coarse space is wanted. counts: multiplier updates, Newton
    steps, conjugate-gradient iterations.
    """
    m, mu, x = len(rho), problem.mu, matrix.vectors[X]
    u, p, shift, goals, reached = matrix.u, matrix.p, matrix.shift, matrix.goals, matrix.reached
    tolerance, relative_tolerance, max_cg = rules
    last, best_x, best_p = np.zeros((m, 4)), x.copy(), lam.copy()
    mapped, residual, memory = np.empty((m, 4)), np.empty((m, 4)), room_for_memory(4 * m)
    start_velocities(problem, matrix)
    goals[:] = 0.0  # choose by the start
    matrix.orders[3], matrix.fresh[0] = START, 1
    reached[:] = 0.0
    previous = last_error = best = least = np.inf
    softer = stiffer = stalled = growing = seen = 0
    stride, suspect = 1.0, False
    for _ in range(max_outer):
        counts[0] += 1
        status = minimise_together(crew, problem, matrix, rho, rules, lam, counts)
        if status in (NOT_FINITE, SLOW):
            return status
        if status != CONVERGED:
            # The subproblem is too hard for this penalty: soften it, and keep the multipliers.
            softer += 1
            if softer > MAX_SOFTER or counts[2] > max_cg:
                break
            scale(rho, SOFTENING)
            matrix.orders[3], matrix.fresh[0] = START, 1
            seen = 0
            continue
        change, drift = fixed_point(lam, p, rho, u, shift, mu, mapped, residual)
        error = max(change, drift)
        if error < least:
            least = error
            best_x[:] = x
            copy_rows(p, best_p)
        if error <= tolerance and reached[0] <= relative_tolerance and reached[1] <= tolerance:
            copy_rows(p, lam)
            return CONVERGED
        stalled = stalled + 1 if error > 0.9 * best else 0
        if stalled >= MAX_STALLS:
            break
        if error > 2.0 * best:
            seen = 0  # the memory misleads: start it anew
        best = min(best, error)
        cosine = alignment(residual, last)
        slow = change > tolerance and change > 0.5 * previous and drift < change
        growing = growing + 1 if change > tolerance and change > 0.9 * previous else 0
        if growing >= PATIENCE and not trusted and seems_infeasible(problem, lam, p, rho, change):
            suspect = True
            break
        begin_jump(lam, rho, u, shift, matrix.jump)
        if cosine > 0.9 and error > 0.8 * last_error:
            # Multipliers or shifts move on by the same amount again and again: take longer strides.
            stride = min(2.0 * stride, MAX_STRIDE)
            lengthen(mapped, residual, stride)
            take(mapped, rho, mu, lam, shift)
            seen = 0
        elif stiffer < MAX_STIFFER and (slow or stalled >= PATIENCE):
            take(mapped, rho, mu, lam, shift)
            stiffer += 1
            stiffen(rho, residual, LAGGING * change, STIFFENING)
            seen = stalled = 0
            best = np.inf
        else:
            stride = 1.0 if cosine < 0.3 else stride
            seen = accelerate(mapped.ravel(), residual.ravel(), memory, seen)
            take(mapped, rho, mu, lam, shift)
        prepare_to_follow(matrix, lam, rho, stiffer > 0)
        next_goals(goals, error, last_error, tolerance, relative_tolerance)
        previous, last_error = change, error
    if least < np.inf:
        x[:] = best_x
        copy_rows(best_p, lam)
    return SUSPECT if suspect else STALLED if stalled >= MAX_STALLS else OUT_OF_ITERATIONS


@kernel
def prepare_to_follow(matrix, lam, rho, is_stiffer):
    """Let the next update begin with the step that follows the solution, if K has been assembled."""
    end_jump(lam, rho, matrix.u, matrix.shift, matrix.jump)
    if matrix.split.L_indptr[-1] >= 0:
        matrix.orders[3] = FOLLOW_STIFFER if is_stiffer else FOLLOW
    if is_stiffer:
        matrix.fresh[0] = 1  # rounding errors of large penalties must not outlive them


@kernel
def next_goals(goals, error, last_error, tolerance, relative_tolerance):
    """Accuracy of Newton's method in the next update: goals (2,), the relative residual and the residual as a velocity [m/s].

    As a velocity too, because a force that is small for a heavy node throws a light one about.
    """
    fall = min(SLOWEST, max(ACCURACY, error / last_error)) if 0.0 < last_error < np.inf else ACCURACY
    goals[0] = max(0.5 * relative_tolerance, fall * goals[0])
    goals[1] = max(0.5 * tolerance, min(SLOWEST * goals[1], ACCURACY * error))

"""Loops of the augmented Lagrangian method: updates of multipliers and shifts, with a semismooth Newton method in each."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import apply_transpose
from signorini.linalg.anderson_kernels import accelerate, room_for_memory
from signorini.linalg.block_matrix_kernels import copy_rows, invert_blocks
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.linalg.ssor_kernels import conjugate_gradients, multiply_split
from signorini.linalg.two_level_kernels import two_level_gradients
from signorini.parallel.crew_kernels import meet
from signorini.solvers.augmented_lagrangian_kernels import (
    alignment,
    contact_velocity,
    fixed_point,
    inner_product,
    largest_velocity,
    lengthen,
    newton_blocks,
    project_all,
    scale,
    search_line,
    seems_infeasible,
    start_velocities,
    stiffen,
    take,
)
from signorini.solvers.newton_matrix_kernels import assemble, build_pattern, copy_numbers, cover_active, cover_near

REACH = 2.0
"""Contacts that open at most so many times as fast as the last Newton step changed any: the pattern has places for these too."""
LEAVE, SOLVE = 0, 1
"""Orders of thread 0 to the others."""
CONVERGED, OUT_OF_ITERATIONS, STALLED, NOT_FINITE, SUSPECT, SLOW = range(6)
NEWTON_TOLERANCE = 0.2
"""Relative residual of the linear system of a Newton step, which the next step corrects anyway."""
MAX_NEWTON = 60
"""Newton steps for one update of the multipliers at most."""
MAX_CG = 400
"""Iterations of conjugate gradients for one Newton step at most."""
SLOW_CG = 250
"""Iterations for one Newton step above which a coarse space pays. With 100, three mats on one another took 1.2 times as long as
without: thousands of contacts couple many groups, and their matrix is made anew in every Newton step."""
SOFTENING, MAX_SOFTER = 1.0 / 3.0, 6
"""Factor of all penalties when Newton's method does not converge with them, and how often it is applied at most."""
LAGGING, STIFFENING, MAX_STIFFER = 0.1, 10.0, 12
"""Where convergence is slow, contacts whose multipliers change by at least LAGGING times the largest change get a penalty
STIFFENING times larger, at most MAX_STIFFER times in a solve."""
ACCURACY, SLOWEST = 0.3, 0.6
"""Newton's method reduces its residual to ACCURACY of the error of the multipliers, and its goals fall to SLOWEST of themselves
or further with every update: it must be more accurate than the fixed-point iteration that it is part of, but not much."""
PATIENCE, MAX_STALLS = 5, 60
"""Updates without progress after which penalties are changed or infeasibility is suspected, and after which the
iteration ends."""
NOISE = 1e-3
"""Part of the tolerance: forces that give no body more speed than this are none."""
MAX_STRIDE = 64.0
"""Factor at most by which updates are lengthened that go in the same direction again and again."""


@kernel
def iterate(
    crew, rank, problem, matrix, rho, trusted, tolerance, relative_tolerance, max_outer, max_cg, x, lam, counts
):  # fmt: skip
    """`iterate_multipliers` on thread 0, while the others of the crew help with its linear systems; returns a status."""
    if rank > 0:
        return serve(crew, rank, matrix)
    status = iterate_multipliers(
        crew, problem, matrix, rho, trusted, tolerance, relative_tolerance, max_outer, max_cg, x, lam, counts
    )
    matrix.orders[0] = LEAVE
    meet(crew, rank)
    return status


@kernel
def serve(crew, rank, matrix):
    """What the other threads do: solve linear systems until they may leave."""
    while meet(crew, rank) > 0 and matrix.orders[0] == SOLVE:
        solve_together(crew, rank, matrix)
    return CONVERGED


@kernel
def solve_together(crew, rank, matrix):
    """Solve the linear system of a Newton step to NEWTON_TOLERANCE, with all threads; the iterations."""
    K, coarse = matrix.split, matrix.coarse
    if len(coarse.group) > 0:
        return two_level_gradients(
            crew, rank, K, coarse, matrix.right, NEWTON_TOLERANCE, 0.0, MAX_CG, matrix.solution, matrix.work
        )  # fmt: skip
    return conjugate_gradients(
        crew, rank, K, matrix.right, NEWTON_TOLERANCE, 0.0, MAX_CG, matrix.solution, matrix.work
    )  # fmt: skip


@kernel
def iterate_multipliers(
    crew, problem, matrix, rho, trusted, tolerance, relative_tolerance, max_outer, max_cg, x, lam, counts
):
    """Solve from the start in x (n, 3) and lam (m, 3), which are overwritten by the best iterate; returns a status.

    rho (m,) adapts itself and is overwritten. A problem that seems to be infeasible ends the iteration as SUSPECT unless it is
    `trusted` to be feasible. It returns SLOW from where it is if a coarse space is wanted. counts: multiplier updates, Newton
    steps, conjugate-gradient iterations.
    """
    n, m, mu = len(x), len(rho), problem.mu
    u, p, shift, last = np.empty((m, 3)), np.empty((m, 3)), np.empty(m), np.zeros((m, 4))
    f, g, Ax = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    best_x, best_p = x.copy(), lam.copy()
    mapped, residual, memory = np.empty((m, 4)), np.empty((m, 4)), room_for_memory(4 * m)
    start_velocities(problem, x, u, Ax, shift)
    goals = np.zeros(2)  # of Newton's method: relative, and as a velocity; zero means: choose by the start
    reached = np.zeros(3)
    previous = last_error = best = least = np.inf
    softer = stiffer = stalled = growing = seen = 0
    stride, suspect = 1.0, False
    for _ in range(max_outer):
        counts[0] += 1
        status = minimise(
            crew, problem, matrix, rho, shift, tolerance, relative_tolerance, max_cg, lam, x, u, Ax, f, g, p, goals, reached,
            counts,
        )  # fmt: skip
        if status in (NOT_FINITE, SLOW):
            return status
        if status != CONVERGED:
            # The subproblem is too hard for this penalty: soften it, and keep the multipliers.
            softer += 1
            if softer > MAX_SOFTER or counts[2] > max_cg:
                break
            scale(rho, SOFTENING)
            seen = 0
            continue
        change, drift = fixed_point(lam, p, rho, u, shift, mu, mapped, residual)
        error = max(change, drift)
        if error < least:
            least = error
            copy_rows(x, best_x)
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
        if growing >= PATIENCE and not trusted and seems_infeasible(problem, lam, p, rho, change, f):
            suspect = True
            break
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
        next_goals(goals, error, last_error, tolerance, relative_tolerance)
        previous, last_error = change, error
    if least < np.inf:
        copy_rows(best_x, x)
        copy_rows(best_p, lam)
    return SUSPECT if suspect else STALLED if stalled >= MAX_STALLS else OUT_OF_ITERATIONS


@kernel
def next_goals(goals, error, last_error, tolerance, relative_tolerance):
    """Accuracy of Newton's method in the next update: goals (2,), the relative residual and the residual as a velocity [m/s].

    As a velocity too, because a force that is small for a heavy node throws a light one about.
    """
    fall = min(SLOWEST, max(ACCURACY, error / last_error)) if 0.0 < last_error < np.inf else ACCURACY
    goals[0] = max(0.5 * relative_tolerance, fall * goals[0])
    goals[1] = max(0.5 * tolerance, min(SLOWEST * goals[1], ACCURACY * error))


@kernel
def minimise(
    crew, problem, matrix, rho, shift, tolerance, relative_tolerance, max_cg, lam, x, u, Ax, f, g, p, goals, reached, counts
):  # fmt: skip
    """Newton steps on the augmented Lagrangian for fixed multipliers and shifts until both goals are reached.

    x, u = G x + bias and Ax = A x are kept up to date; p gets the projected impulses, f = G' p, g = f - A x; reached the
    relative residual, the residual as a velocity [m/s], and how slowly contacts open that may close next [m/s].
    """
    n, m = len(x), len(rho)
    d, Ad, ud = np.empty((n, 3)), np.empty((n, 3)), np.empty((m, 3))
    H, active, touched = np.empty((m, 3, 3)), np.empty(m, np.int32), np.empty(m, np.int32)
    floor = NOISE * tolerance * problem.mass
    for _ in range(MAX_NEWTON):
        project_all(lam, rho, u, shift, problem.mu, p)
        apply_transpose(problem.indptr, problem.nodes, problem.blocks, p, f)
        for i in range(n):
            for a in range(3):
                g[i, a] = f[i, a] - Ax[i, a]
        reached[0] = np.sqrt(inner_product(g, g)) / max(np.sqrt(inner_product(f, f)), floor)
        if not np.isfinite(reached[0]):
            return NOT_FINITE
        reached[1] = largest_velocity(problem.D_inv, g)
        if goals[0] == 0.0:
            goals[0] = max(0.5 * relative_tolerance, min(ACCURACY, ACCURACY * reached[0]))
            goals[1] = max(0.5 * tolerance, ACCURACY * reached[1])
        if reached[0] <= goals[0] and reached[1] <= goals[1]:
            return CONVERGED
        if counts[2] > max_cg:
            break
        counts[1] += 1
        count = newton_blocks(lam, rho, u, shift, problem.mu, p, active, H)
        iterations = solve_newton_system(crew, problem, matrix, active, count, H, u, reached[2], g, d)
        counts[2] += iterations
        multiply_split(matrix.A, matrix.solution, matrix.work[0])
        scatter_rows(matrix.work[0], matrix.ordering.order, Ad)
        contact_velocity(problem, d, ud)
        t = search_line(inner_product(Ax, d), inner_product(d, Ad), lam, rho, u, ud, shift, problem.mu, touched)
        for i in range(n):
            for a in range(3):
                x[i, a] += t * d[i, a]
                Ax[i, a] += t * Ad[i, a]
        farthest = 0.0
        for c in range(m):
            farthest = max(farthest, abs(t * ud[c, 0]))
            for a in range(3):
                u[c, a] += t * ud[c, a]
        reached[2] = REACH * farthest
        if iterations > SLOW_CG and matrix.coarse.wanted[0]:
            return SLOW
    return OUT_OF_ITERATIONS


@kernel
def solve_newton_system(crew, problem, matrix, active, count, H, u, reach, g, d):
    """(A + G' H G) d = g to NEWTON_TOLERANCE by conjugate gradients; the iterations."""
    K, order = matrix.split, matrix.ordering.order
    if cover_active(active, count, matrix.covered) or K.L_indptr[len(g)] < 0:
        cover_near(u, reach, matrix.covered)
        build_pattern(problem, matrix)
    assemble(problem, matrix, active, count, H)
    copy_numbers(K.D, len(K.D), K.D_inv)
    invert_blocks(K.D_inv[: 9 * len(g)].reshape(len(g), 3, 3))
    gather_rows(g, order, matrix.right)
    matrix.orders[0] = SOLVE
    meet(crew, 0)
    count = solve_together(crew, 0, matrix)
    scatter_rows(matrix.solution, order, d)
    return count

"""The loops of the augmented Lagrangian method: multipliers and shifts outside, semismooth Newton inside."""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.dynamics.block_matrix_kernels import copy_rows, multiply
from signorini.solvers.anderson_kernels import MEMORY, accelerate
from signorini.solvers.augmented_lagrangian_kernels import (
    contact_velocity,
    inner_product,
    newton_blocks,
    newton_preconditioner,
    project_all,
    search_line,
    solve_newton_system,
)
from signorini.solvers.residuals_kernels import apply_transpose

CONVERGED, OUT_OF_ITERATIONS, DEGENERATE, NOT_FINITE = range(4)
NEWTON_TOLERANCE = 0.2
MAX_NEWTON = 60
MAX_CG = 400
MAX_CG_IN_ALL = 10_000
MAX_SOFTER, MAX_STIFFER = 6, 6
ACCURACY = 0.3
PATIENCE, MAX_STALLS = 5, 15


@njit(cache=True)
def largest_velocity(D_inv, g):
    """max |D_A^-1 g| [m/s]."""
    largest = 0.0
    for i in range(len(g)):
        for a in range(3):
            v = D_inv[i, a, 0] * g[i, 0] + D_inv[i, a, 1] * g[i, 1] + D_inv[i, a, 2] * g[i, 2]
            largest = max(largest, abs(v))
    return largest


@njit(cache=True)
def scale(rho, factor):
    """rho *= factor."""
    for c in range(len(rho)):
        rho[c] *= factor


@njit(cache=True)
def force_floor(D, velocity):
    """Norm of the forces that would move every node at this velocity: a residual below it is negligible in any case."""
    total = 0.0
    for i in range(len(D)):
        total += (D[i, 0, 0] + D[i, 1, 1] + D[i, 2, 2]) ** 2
    return velocity * np.sqrt(total) / 3.0


@njit(cache=True)
def fixed_point(lam, p, rho, u, shift, mu, mapped, residual):
    """y = (lam / rho, s) → T(y) = (p / rho, mu |u_t|), both in m/s; the largest change of lam / rho and of s.

    The shift of an open contact has no effect; it does not count.
    """
    change = 0.0
    drift = 0.0
    for c in range(len(rho)):
        if rho[c] == 0.0:
            for a in range(4):
                mapped[c, a] = residual[c, a] = 0.0
            continue
        moved = 0.0
        for a in range(3):
            mapped[c, a] = p[c, a] / rho[c]
            residual[c, a] = (p[c, a] - lam[c, a]) / rho[c]
            moved += residual[c, a] ** 2
        mapped[c, 3] = mu[c] * np.hypot(u[c, 1], u[c, 2])
        residual[c, 3] = mapped[c, 3] - shift[c]
        change = max(change, np.sqrt(moved))
        if p[c, 0] > 0.0:
            drift = max(drift, abs(residual[c, 3]))
        else:
            residual[c, 3] = 0.0
    return change, drift


@njit(cache=True)
def take(mapped, rho, lam, shift):
    """lam and shift from y."""
    for c in range(len(rho)):
        for a in range(3):
            lam[c, a] = rho[c] * mapped[c, a]
        shift[c] = max(mapped[c, 3], 0.0)


@njit(cache=True)
def iterate(
    A_indptr, A_indices, A_data, D, D_inv, indptr, nodes, blocks, bias, mu, rho, tolerance, relative_tolerance, max_outer,
    x, lam, counts,
):  # fmt: skip
    """Solve from the start in x (n, 3) and lam (m, 3), which are overwritten; returns a status.

    counts: multiplier updates, Newton steps, conjugate-gradient iterations.
    """
    n, m = len(D), len(mu)
    u, ud, p, shift = np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3)), np.empty(m)
    H, active = np.empty((m, 3, 3)), np.empty(m, np.int32)
    f, g, d, Ax, P = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3, 3))
    r, z, w, Aw = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    mapped, residual = np.empty((m, 4)), np.empty((m, 4))
    mapped_steps, residual_steps = np.empty((MEMORY, 4 * m)), np.empty((MEMORY, 4 * m))
    previous_mapped, previous_residual = np.empty(4 * m), np.empty(4 * m)
    multiply(A_indptr, A_indices, A_data, x, Ax)
    contact_velocity(indptr, nodes, blocks, x, u)
    for c in range(m):
        for a in range(3):
            u[c, a] += bias[c, a]
    for c in range(m):
        shift[c] = mu[c] * np.hypot(u[c, 1], u[c, 2])
    floor = force_floor(D, 1e-3 * tolerance)
    newton_goal = velocity_goal = relative = velocity = 0.0
    previous = best = least = np.inf
    softer = stiffer = stalled = seen = 0
    best_x, best_p = np.empty((n, 3)), np.empty((m, 3))
    status = OUT_OF_ITERATIONS
    for outer in range(max_outer):
        counts[0] = outer + 1
        solved = False
        for newton in range(MAX_NEWTON):
            project_all(lam, rho, u, shift, mu, p)
            apply_transpose(indptr, nodes, blocks, p, f)
            for i in range(n):
                for a in range(3):
                    g[i, a] = f[i, a] - Ax[i, a]
            relative = np.sqrt(inner_product(g, g)) / max(np.sqrt(inner_product(f, f)), floor)
            if not np.isfinite(relative):
                return NOT_FINITE
            velocity = largest_velocity(D_inv, g)
            if outer == 0 and newton == 0:
                newton_goal = max(0.5 * relative_tolerance, min(0.3, 0.3 * relative))
                velocity_goal = max(0.5 * tolerance, 0.3 * velocity)
            if relative <= newton_goal and velocity <= velocity_goal:
                solved = True
                break
            if counts[2] > MAX_CG_IN_ALL:
                break
            counts[1] += 1
            count = newton_blocks(lam, rho, u, shift, mu, active, H)
            newton_preconditioner(D, indptr, nodes, blocks, active, count, H, P)
            counts[2] += solve_newton_system(
                A_indptr, A_indices, A_data, P, indptr, nodes, blocks, active, count, H, g, NEWTON_TOLERANCE, MAX_CG, d, r,
                z, w, Aw,
            )  # fmt: skip
            multiply(A_indptr, A_indices, A_data, d, Aw)
            contact_velocity(indptr, nodes, blocks, d, ud)
            t = search_line(inner_product(Ax, d), inner_product(d, Aw), lam, rho, u, ud, shift, mu)
            for i in range(n):
                for a in range(3):
                    x[i, a] += t * d[i, a]
                    Ax[i, a] += t * Aw[i, a]
            for c in range(m):
                for a in range(3):
                    u[c, a] += t * ud[c, a]
        if not solved:
            # The subproblem is too hard for this penalty: soften it, and keep the multipliers.
            softer += 1
            if softer > MAX_SOFTER or counts[2] > MAX_CG_IN_ALL:
                break
            scale(rho, 1.0 / 3.0)
            seen = 0
            continue
        change, drift = fixed_point(lam, p, rho, u, shift, mu, mapped, residual)
        error = max(change, drift)
        if error <= tolerance and relative <= relative_tolerance and velocity <= tolerance:
            copy_rows(p, lam)
            return CONVERGED
        if error > 2.0 * best:
            seen = 0  # the memory misleads: start it anew
        stalled = stalled + 1 if error > 0.9 * best else 0
        if stalled >= MAX_STALLS:
            status = DEGENERATE
            break
        if error < least:
            least = error
            copy_rows(x, best_x)
            copy_rows(p, best_p)
        best = min(best, error)
        slow = change > tolerance and change > 0.5 * previous and drift < change
        if stiffer < MAX_STIFFER and (slow or stalled >= PATIENCE):
            take(mapped, rho, lam, shift)
            stiffer += 1
            scale(rho, 3.0)
            seen = stalled = 0
            best = np.inf
        else:
            seen = accelerate(
                mapped.ravel(), residual.ravel(), mapped_steps, residual_steps, previous_mapped, previous_residual, seen
            )
            take(mapped, rho, lam, shift)
        previous = change
        # Newton's method must be more accurate than the fixed-point iteration that it is part of; as a velocity, because
        # a force that is small for a heavy node throws a light one about.
        newton_goal = max(0.5 * relative_tolerance, 0.3 * newton_goal)
        velocity_goal = max(0.5 * tolerance, min(0.3 * velocity_goal, ACCURACY * error))
    if least < np.inf:
        copy_rows(best_x, x)
        copy_rows(best_p, lam)
    return status

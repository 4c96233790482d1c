"""The loops of the augmented Lagrangian method: multipliers outside, semismooth Newton inside."""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.dynamics.block_matrix_kernels import multiply
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
def update_multipliers(lam, p, rho, u, shift, mu):
    """lam = p; returns how far the contacts are from their laws and the shift from its fixed point [m/s]."""
    change = 0.0
    drift = 0.0
    for c in range(len(rho)):
        if rho[c] == 0.0:
            continue
        moved = 0.0
        for a in range(3):
            moved += (p[c, a] - lam[c, a]) ** 2
            lam[c, a] = p[c, a]
        change = max(change, np.sqrt(moved) / rho[c])
        if p[c, 0] > 0.0:
            drift = max(drift, abs(mu[c] * np.hypot(u[c, 1], u[c, 2]) - shift[c]))
    return change, drift


@njit(cache=True)
def iterate(
    A_indptr, A_indices, A_data, D, D_inv, indptr, nodes, blocks, bias, mu, rho, tolerance, relative_tolerance, max_outer,
    x, lam, counts,
):  # fmt: skip
    """Solve from the start in x (n, 3) and lam (m, 3), which are overwritten; returns a status.

    counts: multiplier updates, Newton steps, conjugate-gradient iterations.
    """
    n, m = len(D), len(mu)
    u, ud, p, shift = np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3)), np.zeros(m)
    H, active = np.empty((m, 3, 3)), np.empty(m, np.int32)
    f, g, d, Ax, P = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3, 3))
    r, z, w, Aw = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    multiply(A_indptr, A_indices, A_data, x, Ax)
    contact_velocity(indptr, nodes, blocks, x, u)
    u += bias
    # A residual below this is below the tolerance at every node, however small the contact force is.
    floor = 0.0
    for i in range(n):
        floor += (D[i, 0, 0] + D[i, 1, 1] + D[i, 2, 2]) ** 2
    floor = tolerance * np.sqrt(floor) / 3.0
    newton_goal = relative = 0.0
    previous = np.inf
    failures = grown = stalled = 0
    for outer in range(max_outer):
        counts[0] = outer + 1
        for c in range(m):
            shift[c] = mu[c] * np.hypot(u[c, 1], u[c, 2])
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
            if outer == 0 and newton == 0:
                newton_goal = max(0.5 * relative_tolerance, min(0.3, 0.3 * relative))
            if relative <= newton_goal:
                solved = True
                break
            if counts[2] > MAX_CG_IN_ALL:
                return OUT_OF_ITERATIONS
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
            failures += 1
            if failures > 6:
                return DEGENERATE
            rho /= 3.0
            continue
        change, drift = update_multipliers(lam, p, rho, u, shift, mu)
        if max(change, drift) <= tolerance and relative <= relative_tolerance:
            if largest_velocity(D_inv, g) <= tolerance:
                return CONVERGED
        elif change > tolerance:
            if change > 0.9 * previous:
                stalled += 1
                if stalled >= 8:
                    return DEGENERATE
            if change > 0.5 * previous and grown < 6:
                grown += 1
                rho *= 3.0
        previous = change
        newton_goal = max(0.5 * relative_tolerance, 0.3 * newton_goal)
        if max(change, drift) <= tolerance and relative <= relative_tolerance:
            # Only the largest nodal residual is missing: ask more of Newton's method than the tolerance.
            newton_goal = min(newton_goal, 0.3 * relative)
    return OUT_OF_ITERATIONS

"""Projected Gauss-Seidel over an assembled contact matrix, with rigid nodes handled by their response velocity.

Implements: Otaduy2010 §5.1-5.2; the outer loop is that of Otaduy2009 §5.5
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import apply_transpose, approach_speed, contact_residuals
from signorini.solvers.ica_kernels import relax, solve_contact, start, take_residual
from signorini.solvers.ica_loop_kernels import CONVERGED, DIVERGED, GROWTH, INNER, NOISE, RUNNING, settled


@kernel
def sweep_rows(
    row_indptr, columns, B, rigid_indptr, rigid_entries, nodes, blocks, response, local, rhs, mu, cone, repeats, v2, p
):  # fmt: skip
    """One sweep (Otaduy2010 §5.2): u = rhs + B_s p + G_2 v2 for each contact, project, and refine v2; the largest change [m/s].

    The row costs its blocks of B_s and two blocks for each rigid body, however many contacts that body has. v2 (n, 3) is
    D_22^-1 G_2' p at the rigid nodes at all times (§5.1). Solving for u = 0 with the others fixed is Eq. 9.
    """
    largest = 0.0
    only_normals = B.shape[1] == 1
    for c in range(len(row_indptr) - 1):
        if local[c, 6] == 0.0:  # nothing that this contact pushes can move
            continue
        u0, u1, u2 = rhs[c, 0], rhs[c, 1], rhs[c, 2]
        if only_normals:
            for s in range(row_indptr[c], row_indptr[c + 1]):
                u0 += B[s, 0, 0] * p[columns[s], 0]
        else:
            for s in range(row_indptr[c], row_indptr[c + 1]):
                e = columns[s]
                p0, p1, p2 = p[e, 0], p[e, 1], p[e, 2]
                u0 += B[s, 0, 0] * p0 + B[s, 0, 1] * p1 + B[s, 0, 2] * p2
                u1 += B[s, 1, 0] * p0 + B[s, 1, 1] * p1 + B[s, 1, 2] * p2
                u2 += B[s, 2, 0] * p0 + B[s, 2, 1] * p1 + B[s, 2, 2] * p2
        begin, end = rigid_indptr[c], rigid_indptr[c + 1]
        for s in range(begin, end):  # Eq. 8
            k = rigid_entries[s]
            j = nodes[k]
            x0, x1, x2 = v2[j, 0], v2[j, 1], v2[j, 2]
            u0 += blocks[k, 0, 0] * x0 + blocks[k, 0, 1] * x1 + blocks[k, 0, 2] * x2
            u1 += blocks[k, 1, 0] * x0 + blocks[k, 1, 1] * x1 + blocks[k, 1, 2] * x2
            u2 += blocks[k, 2, 0] * x0 + blocks[k, 2, 1] * x1 + blocks[k, 2, 2] * x2
        q0, q1, q2 = p[c, 0], p[c, 1], p[c, 2]
        if u0 >= 0.0 and q0 == 0.0 and q1 == 0.0 and q2 == 0.0:
            continue
        q0, q1, q2 = solve_contact(u0, u1, u2, q0, q1, q2, local[c], mu[c], cone, repeats)
        d0, d1, d2 = q0 - p[c, 0], q1 - p[c, 1], q2 - p[c, 2]
        if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
            continue
        p[c, 0], p[c, 1], p[c, 2] = q0, q1, q2
        largest = max(largest, abs(d0) * local[c, 0], abs(d1) * local[c, 3], abs(d2) * local[c, 5])
        for s in range(begin, end):  # v2(j, k) = v2(j, k-1) + P_k (λ_k(j) - λ_k(j-1))
            k = rigid_entries[s]
            j = nodes[k]
            for a in range(3):
                v2[j, a] += response[k, a, 0] * d0 + response[k, a, 1] * d1 + response[k, a, 2] * d2
    return largest


@kernel
def right_hand_sides(indptr, nodes, blocks, D_inv, bias, z, f, w, v2, rhs):
    """For fixed dv: w = D_A^-1 (L_A + U_A) dv, v2 = D_A^-1 f and rhs = bias + G w, from z = w + v2 and f = G' p."""
    for i in range(len(z)):
        for a in range(3):
            v2[i, a] = D_inv[i, a, 0] * f[i, 0] + D_inv[i, a, 1] * f[i, 1] + D_inv[i, a, 2] * f[i, 2]
            w[i, a] = z[i, a] - v2[i, a]
    for c in range(len(indptr) - 1):
        for a in range(3):
            u = bias[c, a]
            for k in range(indptr[c], indptr[c + 1]):
                j = nodes[k]
                u += blocks[k, a, 0] * w[j, 0] + blocks[k, a, 1] * w[j, 1] + blocks[k, a, 2] * w[j, 2]
            rhs[c, a] = u


@kernel
def anticipate(indptr, nodes, blocks, D_inv, w, p, f, z):
    """f = G' p and z = w + D_A^-1 f, the velocity correction that the impulses anticipate."""
    apply_transpose(indptr, nodes, blocks, p, f)
    for i in range(len(z)):
        for a in range(3):
            z[i, a] = w[i, a] + D_inv[i, a, 0] * f[i, 0] + D_inv[i, a, 1] * f[i, 1] + D_inv[i, a, 2] * f[i, 2]


@kernel
def solve_inner(
    indptr, nodes, blocks, D_inv, response, local, bias, mu, cone, row_indptr, columns, B, rigid_indptr, rigid_entries,
    paper, tolerance, dynamics, allowed_penetration, max_inner, repeats, w, v2, rhs, f, z, p,
):  # fmt: skip
    """Sweep for fixed dv until the stop rule of `solve_ica` holds; the first change [m/s] and the number of sweeps."""
    now, before = np.zeros(4), np.full(4, np.inf)
    first = 0.0
    for sweep in range(max_inner):
        change = sweep_rows(
            row_indptr, columns, B, rigid_indptr, rigid_entries, nodes, blocks, response, local, rhs, mu, cone, repeats, v2, p
        )  # fmt: skip
        if sweep == 0:
            first = change
        if paper:
            anticipate(indptr, nodes, blocks, D_inv, w, p, f, z)
            contact_residuals(indptr, nodes, blocks, local, bias, mu, cone, z, p, now)
            normals = settled(now[0], before[0], NOISE * tolerance)
            if normals and settled(now[1], before[1], NOISE * tolerance) and now[2] <= allowed_penetration:
                return first, sweep + 1
            before[:] = now
        elif change <= INNER * max(dynamics, 0.3 * tolerance):
            return first, sweep + 1
    return first, max_inner


@kernel
def iterate(
    A_indptr, A_indices, A_data, diagonal, D_inv, indptr, nodes, blocks, response, local, bias, mu, cone,
    row_indptr, columns, B, rigid_indptr, rigid_entries, paper, tolerance, relative_tolerance, allowed_penetration,
    max_outer, max_inner, repeats, dv, p, counts,
):  # fmt: skip
    """Solve from (dv, p) in place; the status. counts gets the outer and inner iterations. Stop rules as in `solve_ica`."""
    n, m = len(dv), len(p)
    f, upper, fresh = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    z, z0 = np.empty((n, 3)), np.empty((n, 3))
    w, v2, rhs = np.empty((n, 3)), np.empty((n, 3)), np.empty((m, 3))
    best_dv, best_p = dv.copy(), p.copy()
    sums, now, before = np.zeros(2), np.zeros(4), np.full(4, np.inf)
    best, best_dynamics, merit, change = np.inf, np.inf, np.inf, 0.0
    counts[:] = 0
    speed = approach_speed(bias, local)
    if np.isnan(speed):
        return DIVERGED
    apply_transpose(indptr, nodes, blocks, p, f)
    start(A_indptr, A_indices, A_data, diagonal, dv, f, upper, fresh)
    dynamics = take_residual(D_inv, f, dv, fresh, upper, z, z0, sums)
    status = RUNNING
    while True:
        close = sums[0] <= relative_tolerance * relative_tolerance * sums[1] or dynamics <= NOISE * tolerance
        if paper or (dynamics <= tolerance and close):
            contact_residuals(indptr, nodes, blocks, local, bias, mu, cone, dv, p, now)
            now[3] = dynamics
            if paper:
                done = counts[0] > 0 and now[2] <= allowed_penetration
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
        if counts[0] == max_outer:
            break
        if counts[0] > 0 and merit < best:
            best = merit
            best_dv[:] = dv
            best_p[:] = p
        best_dynamics = min(best_dynamics, dynamics) if counts[0] > 0 else np.inf
        right_hand_sides(indptr, nodes, blocks, D_inv, bias, z, f, w, v2, rhs)
        change, sweeps = solve_inner(
            indptr, nodes, blocks, D_inv, response, local, bias, mu, cone, row_indptr, columns, B, rigid_indptr, rigid_entries,
            paper, tolerance, dynamics, allowed_penetration, max_inner, repeats, w, v2, rhs, f, z, p,
        )  # fmt: skip
        counts[1] += sweeps
        apply_transpose(indptr, nodes, blocks, p, f)
        relax(A_indptr, A_indices, A_data, diagonal, D_inv, f, upper, fresh, dv)
        dynamics = take_residual(D_inv, f, dv, fresh, upper, z, z0, sums)
        counts[0] += 1
    if status != CONVERGED and not best >= 0.5 * merit:  # also when merit is not a number
        dv[:] = best_dv
        p[:] = best_p
    return status

"""Kernels of projected Gauss-Seidel on an assembled contact matrix, with rigid nodes handled by their response velocity.

Implements: Otaduy2010 §5.1-5.2
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import B_11, B_22, B_NN, INV_NN, apply_transpose
from signorini.solvers.ica_kernels import solve_contact
from signorini.solvers.stop_rule_kernels import are_swept


@kernel
def sweep_rows(problem, system, cone, repeats, rhs, v2, p):
    """One sweep (Otaduy2010 §5.2): u = rhs + B_s p + G_2 v2 for each contact, project, and refine v2; the largest change [m/s].

    The row costs its blocks of B_s and two blocks for each rigid body, however many contacts that body has. v2 (n, 3) is
    D_22^-1 G_2' p at the rigid nodes at all times (§5.1). Solving for u = 0 with the others fixed is Eq. 9.
    """
    nodes, blocks, response, local, mu = problem.nodes, problem.blocks, problem.response, problem.local, problem.mu
    row_indptr, columns, B = system.indptr, system.columns, system.blocks
    rigid_indptr, rigid_entries = system.rigid_indptr, system.rigid_entries
    largest = 0.0
    only_normals = B.shape[1] == 1
    for c in range(len(row_indptr) - 1):
        if local[c, INV_NN] == 0.0:  # nothing that this contact pushes can move
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
        largest = max(largest, abs(d0) * local[c, B_NN], abs(d1) * local[c, B_11], abs(d2) * local[c, B_22])
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
def sweep_assembled(problem, rules, system, dynamics, work, f, z, p):
    """Sweep for fixed dv until the stop rule holds; the first change [m/s] and the number of sweeps.

    z = w + v2 at the start, and f = G' p at the start and at the end. work: (2, n, 3) for w and v2, (m, 3) for right-hand sides.
    """
    indptr, nodes, blocks, D_inv = problem.indptr, problem.nodes, problem.blocks, problem.D_inv
    w, v2, rhs = work[0][0], work[0][1], work[1]
    right_hand_sides(indptr, nodes, blocks, D_inv, problem.bias, z, f, w, v2, rhs)
    now, before = np.zeros(4), np.full(4, np.inf)
    first = 0.0
    done = rules.max_inner
    for sweeps in range(1, rules.max_inner + 1):
        change = sweep_rows(problem, system, rules.cone, rules.repeats, rhs, v2, p)
        if sweeps == 1:
            first = change
        if rules.paper:
            anticipate(indptr, nodes, blocks, D_inv, w, p, f, z)
        if are_swept(problem, rules, change, dynamics, z, p, now, before):
            done = sweeps
            break
    apply_transpose(indptr, nodes, blocks, p, f)
    return first, done

"""Kernels over contacts that solvers and residuals share: local blocks, transposed products, natural maps."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.block_matrix_kernels import multiply

NEGLIGIBLE = 1e-14
"""Part of the largest B_ii [1/kg] below which a contact moves nothing and gets no impulse; above the rounding of its sum."""
B_NN, B_N1, B_N2, B_11, B_12, B_22, INV_NN, INV_11, INV_22, INV_TT = range(10)
"""Columns of `local` (m, 10): the symmetric block B_cc of each contact [1/kg] by its normal N and tangents 1 and 2, then the
inverses of B_NN, B_11, B_22 and of the largest eigenvalue of the tangential block [kg]; 0 in place of an inverse means that the
contact moves nothing in that direction."""
LOCAL_COLUMNS = 10


@kernel
def local_blocks(indptr, nodes, blocks, D_inv, response, local):
    """response_k = D_A^-1 G_k' per contact node, and per contact B_cc = sum G_k response_k with the inverses it needs.

    local (m, 10) gets the columns B_NN to INV_TT; the inverse of a negligible entry is 0.
    """
    for c in range(len(local)):
        for a in range(LOCAL_COLUMNS):
            local[c, a] = 0.0
    for c in range(len(indptr) - 1):
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            for a in range(3):
                for b in range(3):
                    response[k, a, b] = (
                        D_inv[j, a, 0] * blocks[k, b, 0]
                        + D_inv[j, a, 1] * blocks[k, b, 1]
                        + D_inv[j, a, 2] * blocks[k, b, 2]
                    )
            for a in range(3):
                local[c, B_NN] += blocks[k, 0, a] * response[k, a, 0]
                local[c, B_N1] += blocks[k, 0, a] * response[k, a, 1]
                local[c, B_N2] += blocks[k, 0, a] * response[k, a, 2]
                local[c, B_11] += blocks[k, 1, a] * response[k, a, 1]
                local[c, B_12] += blocks[k, 1, a] * response[k, a, 2]
                local[c, B_22] += blocks[k, 2, a] * response[k, a, 2]
    invert_local(local)


@kernel
def invert_local(local):
    """Fill the inverses, columns INV_NN to INV_TT of local, from the others."""
    scale = 0.0
    for c in range(len(local)):
        scale = max(scale, local[c, B_NN], local[c, B_11], local[c, B_22])
    floor = NEGLIGIBLE * scale
    for c in range(len(local)):
        b = local[c]
        half = 0.5 * (b[B_11] - b[B_22])
        top = 0.5 * (b[B_11] + b[B_22]) + np.sqrt(half * half + b[B_12] * b[B_12])
        b[INV_NN] = 1.0 / b[B_NN] if b[B_NN] > floor else 0.0
        b[INV_11] = 1.0 / b[B_11] if b[B_11] > floor else 0.0
        b[INV_22] = 1.0 / b[B_22] if b[B_22] > floor else 0.0
        b[INV_TT] = 1.0 / top if top > floor else 0.0


@kernel
def apply_transpose(indptr, nodes, blocks, p, f):
    """f = G' p."""
    for i in range(len(f)):
        for a in range(3):
            f[i, a] = 0.0
    for c in range(len(indptr) - 1):
        p0, p1, p2 = p[c, 0], p[c, 1], p[c, 2]
        if p0 == 0.0 and p1 == 0.0 and p2 == 0.0:
            continue
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            for a in range(3):
                f[j, a] += blocks[k, 0, a] * p0 + blocks[k, 1, a] * p1 + blocks[k, 2, a] * p2


@kernel
def dynamics_residuals(A_indptr, A_indices, A, indptr, nodes, blocks, D_inv, x, p, out):
    """out = max |D_A^-1 r|, |r| and |f| for f = G' p and r = A x - f."""
    f, Ax, r = np.empty(x.shape), np.empty(x.shape), np.empty(3)
    multiply(A_indptr, A_indices, A, x, Ax)
    apply_transpose(indptr, nodes, blocks, p, f)
    largest = size = force = 0.0
    for i in range(len(x)):
        for a in range(3):
            r[a] = Ax[i, a] - f[i, a]
            force += f[i, a] * f[i, a]
        for a in range(3):
            size += r[a] * r[a]
            velocity = abs(D_inv[i, a, 0] * r[0] + D_inv[i, a, 1] * r[1] + D_inv[i, a, 2] * r[2])
            if not velocity <= largest:  # also when it is not a number
                largest = velocity
    out[0], out[1], out[2] = largest, np.sqrt(size), np.sqrt(force)


@kernel
def contact_residuals(indptr, nodes, blocks, local, bias, mu, cone, x, p, out):
    """out = max natural map of the normals, max distance of friction to its projection, max penetration velocity [m/s].

    u = G x + bias. Contacts that move nothing count for the penetration only: no impulse could change them.
    """
    for a in range(len(out)):
        out[a] = 0.0
    for c in range(len(indptr) - 1):
        u0, u1, u2 = bias[c, 0], bias[c, 1], bias[c, 2]
        for k in range(indptr[c], indptr[c + 1]):
            j = nodes[k]
            x0, x1, x2 = x[j, 0], x[j, 1], x[j, 2]
            u0 += blocks[k, 0, 0] * x0 + blocks[k, 0, 1] * x1 + blocks[k, 0, 2] * x2
            u1 += blocks[k, 1, 0] * x0 + blocks[k, 1, 1] * x1 + blocks[k, 1, 2] * x2
            u2 += blocks[k, 2, 0] * x0 + blocks[k, 2, 1] * x1 + blocks[k, 2, 2] * x2
        out[2] = max(out[2], -u0)
        b = local[c]
        if b[INV_NN] == 0.0:
            continue
        out[0] = max(out[0], abs(min(b[B_NN] * p[c, 0], u0)))
        bound = mu[c] * max(p[c, 0], 0.0)
        if bound == 0.0 and p[c, 1] == 0.0 and p[c, 2] == 0.0:
            continue
        out[1] = max(out[1], friction_residual(u1, u2, p[c, 1], p[c, 2], bound, b, cone))


@kernel
def friction_residual(u1, u2, g1, g2, bound, b, cone):
    """Distance of the friction impulse to its projection after a step against the sliding velocity, as a velocity."""
    if cone:
        e1, e2 = g1 - u1 * b[INV_TT], g2 - u2 * b[INV_TT]
        length = np.sqrt(e1 * e1 + e2 * e2)
        shrink = bound / length if length > bound else 1.0
        e1, e2 = shrink * e1 - g1, shrink * e2 - g2
        return np.sqrt(e1 * e1 + e2 * e2) / b[INV_TT] if b[INV_TT] > 0.0 else 0.0
    e1 = min(max(g1 - u1 * b[INV_11], -bound), bound) - g1
    e2 = min(max(g2 - u2 * b[INV_22], -bound), bound) - g2
    return max(abs(e1) * b[B_11], abs(e2) * b[B_22])


@kernel
def approach_speed(bias, local):
    """The largest speed at which a contact that can react approaches or slides [m/s]; not a number if any input is not.

    min and max lose NaN silently, so that a NaN would otherwise just switch its contact off.
    """
    scale = check = 0.0
    for c in range(len(bias)):
        check += bias[c, 0] + bias[c, 1] + bias[c, 2] + local[c, B_NN] + local[c, B_11] + local[c, B_22]
        if local[c, INV_NN] > 0.0 and bias[c, 0] < 0.0:
            scale = max(scale, -bias[c, 0], abs(bias[c, 1]), abs(bias[c, 2]))
    return scale if np.isfinite(check) else np.nan

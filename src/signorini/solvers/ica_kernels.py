"""Kernels of iterative constraint anticipation: sweeps over the contacts and block Gauss-Seidel iterations on A.

Implements: Otaduy2009 §5.2-5.5
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.residuals_kernels import B_11, B_12, B_22, B_N1, B_N2, B_NN, INV_11, INV_22, INV_NN, INV_TT


@kernel
def sweep_contacts(indptr, nodes, blocks, response, local, bias, mu, cone, repeats, near, listed, count, z, p):
    """One projected Gauss-Seidel sweep over the contacts (Otaduy2009 §5.5, 3.2.1); the largest change in m/s, and a count.

    z is the velocity correction that the impulses p anticipate; u = G z + bias, so u = B p - c(i) for every contact. A negative
    `count` means all contacts; those with an impulse or a normal velocity below `near` [m/s] are then listed and counted. Else
    only the first `count` listed ones are visited.
    """
    largest = 0.0
    everything = count < 0
    total = len(indptr) - 1 if everything else count
    if everything:
        count = 0
    for n in range(total):
        c = n if everything else listed[n]
        if local[c, INV_NN] == 0.0:  # nothing that this contact pushes can move
            continue
        begin, end = indptr[c], indptr[c + 1]
        q0, q1, q2 = p[c, 0], p[c, 1], p[c, 2]
        u0 = bias[c, 0]
        for k in range(begin, end):
            j = nodes[k]
            u0 += blocks[k, 0, 0] * z[j, 0] + blocks[k, 0, 1] * z[j, 1] + blocks[k, 0, 2] * z[j, 2]
        is_open = u0 >= 0.0 and q0 == 0.0 and q1 == 0.0 and q2 == 0.0
        if everything and not (is_open and u0 > near):
            listed[count] = c
            count += 1
        if is_open:
            continue
        u1, u2 = bias[c, 1], bias[c, 2]
        for k in range(begin, end):
            j = nodes[k]
            z0, z1, z2 = z[j, 0], z[j, 1], z[j, 2]
            u1 += blocks[k, 1, 0] * z0 + blocks[k, 1, 1] * z1 + blocks[k, 1, 2] * z2
            u2 += blocks[k, 2, 0] * z0 + blocks[k, 2, 1] * z1 + blocks[k, 2, 2] * z2
        q0, q1, q2 = solve_contact(u0, u1, u2, q0, q1, q2, local[c], mu[c], cone, repeats)
        d0, d1, d2 = q0 - p[c, 0], q1 - p[c, 1], q2 - p[c, 2]
        if d0 == 0.0 and d1 == 0.0 and d2 == 0.0:
            continue
        p[c, 0], p[c, 1], p[c, 2] = q0, q1, q2
        largest = max(largest, abs(d0) * local[c, B_NN], abs(d1) * local[c, B_11], abs(d2) * local[c, B_22])
        for k in range(begin, end):
            j = nodes[k]
            z[j, 0] += response[k, 0, 0] * d0 + response[k, 0, 1] * d1 + response[k, 0, 2] * d2
            z[j, 1] += response[k, 1, 0] * d0 + response[k, 1, 1] * d1 + response[k, 1, 2] * d2
            z[j, 2] += response[k, 2, 0] * d0 + response[k, 2, 1] * d1 + response[k, 2, 2] * d2
    return largest, count


@kernel
def solve_contact(u0, u1, u2, q0, q1, q2, b, mu, cone, repeats):
    """Iterate normal and friction of one contact (Otaduy2009 §5.5, 3.2.1.1-3.2.1.6); its impulse.

    b is the row of `local` of this contact.
    """
    for _ in range(repeats):
        d = max(0.0, q0 - u0 * b[INV_NN]) - q0  # Otaduy2009 Eq. 13
        q0 += d
        if mu == 0.0 and q1 == 0.0 and q2 == 0.0:
            break
        u1 += b[B_N1] * d
        u2 += b[B_N2] * d
        bound = mu * q0
        if cone:
            # Deviates from Otaduy2009 §3.4: the isotropic Coulomb cone instead of the pyramid
            e1, e2 = q1 - u1 * b[INV_TT], q2 - u2 * b[INV_TT]
            length = np.sqrt(e1 * e1 + e2 * e2)
            shrink = bound / length if length > bound else 1.0
            e1, e2 = shrink * e1 - q1, shrink * e2 - q2
        else:
            e1 = min(max(q1 - u1 * b[INV_11], -bound), bound) - q1  # Otaduy2009 Eq. 14
            e2 = min(max(q2 - (u2 + b[B_12] * e1) * b[INV_22], -bound), bound) - q2
        q1 += e1
        q2 += e2
        u0 += b[B_NN] * d + b[B_N1] * e1 + b[B_N2] * e2
        u1 += b[B_11] * e1 + b[B_12] * e2
        u2 += b[B_12] * e1 + b[B_22] * e2
    return q0, q1, q2


@kernel
def relax(indptr, indices, data, diagonal, D_inv, f, upper, fresh, dv):
    """One block Gauss-Seidel iteration on A dv = f (Otaduy2009 Eq. 12); `upper` is -U_A dv(i-1), `fresh` gets -U_A dv(i).

    U_A is the transpose of L_A, so that each block below the diagonal is read once for both: what is read decides the time
    when A does not fit into the caches.
    """
    n = len(indptr) - 1
    for i in range(n):
        fresh[i, 0] = fresh[i, 1] = fresh[i, 2] = 0.0
    for i in range(n):
        s0, s1, s2 = f[i, 0] - upper[i, 0], f[i, 1] - upper[i, 1], f[i, 2] - upper[i, 2]
        for k in range(indptr[i], diagonal[i]):
            j = indices[k]
            x0, x1, x2 = dv[j, 0], dv[j, 1], dv[j, 2]
            s0 -= data[k, 0, 0] * x0 + data[k, 0, 1] * x1 + data[k, 0, 2] * x2
            s1 -= data[k, 1, 0] * x0 + data[k, 1, 1] * x1 + data[k, 1, 2] * x2
            s2 -= data[k, 2, 0] * x0 + data[k, 2, 1] * x1 + data[k, 2, 2] * x2
        v0 = D_inv[i, 0, 0] * s0 + D_inv[i, 0, 1] * s1 + D_inv[i, 0, 2] * s2
        v1 = D_inv[i, 1, 0] * s0 + D_inv[i, 1, 1] * s1 + D_inv[i, 1, 2] * s2
        v2 = D_inv[i, 2, 0] * s0 + D_inv[i, 2, 1] * s1 + D_inv[i, 2, 2] * s2
        dv[i, 0], dv[i, 1], dv[i, 2] = v0, v1, v2
        for k in range(indptr[i], diagonal[i]):
            j = indices[k]
            fresh[j, 0] += data[k, 0, 0] * v0 + data[k, 1, 0] * v1 + data[k, 2, 0] * v2
            fresh[j, 1] += data[k, 0, 1] * v0 + data[k, 1, 1] * v1 + data[k, 2, 1] * v2
            fresh[j, 2] += data[k, 0, 2] * v0 + data[k, 1, 2] * v1 + data[k, 2, 2] * v2


@kernel
def take_residual(D_inv, f, dv, fresh, upper, z, z0, sums):
    """From `fresh` = -U_A dv: r = A dv - f and z = z0 = dv - D_A^-1 r; `upper` becomes `fresh`.

    After the Gauss-Seidel iteration row i of the residual is just the change of -U_A dv since row i was solved, so that
    the iteration and its residual together cost one product with A. sums gets |r|^2 and |f|^2; the return value is
    max |D_A^-1 r| in m/s.
    """
    sums[:] = 0.0
    largest = 0.0
    for i in range(len(f)):
        r0, r1, r2 = fresh[i, 0] - upper[i, 0], fresh[i, 1] - upper[i, 1], fresh[i, 2] - upper[i, 2]
        upper[i, 0], upper[i, 1], upper[i, 2] = fresh[i, 0], fresh[i, 1], fresh[i, 2]
        for a in range(3):
            w = D_inv[i, a, 0] * r0 + D_inv[i, a, 1] * r1 + D_inv[i, a, 2] * r2
            largest = max(largest, abs(w)) if w == w else np.inf
            z[i, a] = z0[i, a] = dv[i, a] - w
        sums[0] += r0 * r0 + r1 * r1 + r2 * r2
        sums[1] += f[i, 0] * f[i, 0] + f[i, 1] * f[i, 1] + f[i, 2] * f[i, 2]
    return largest


@kernel
def start(indptr, indices, data, diagonal, dv, f, upper, fresh):
    """Prepare a start: `fresh` = -U_A dv, and `upper` such that `take_residual` finds r = A dv - f."""
    for i in range(len(indptr) - 1):
        for a in range(3):
            s = t = 0.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                y = data[k, a, 0] * dv[j, 0] + data[k, a, 1] * dv[j, 1] + data[k, a, 2] * dv[j, 2]
                s += y
                if k > diagonal[i]:
                    t += y
            fresh[i, a] = t
            upper[i, a] = t - (s - f[i, a])


@kernel
def add_impulse_change(D, z, z0, f):
    """f = G' p after the sweeps: z - z0 = D_A^-1 (change of f), so that f needs no product with G'."""
    for i in range(len(f)):
        d0, d1, d2 = z[i, 0] - z0[i, 0], z[i, 1] - z0[i, 1], z[i, 2] - z0[i, 2]
        for a in range(3):
            f[i, a] += D[i, a, 0] * d0 + D[i, a, 1] * d1 + D[i, a, 2] * d2


@kernel
def find_diagonal(indptr, indices):
    """The index into `data` of every diagonal block."""
    diagonal = np.empty(len(indptr) - 1, dtype=np.int32)
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] == i:
                diagonal[i] = k
    return diagonal

"""Conjugate gradients for K = L + D + L' with the symmetric Gauss-Seidel preconditioner (D + L) D⁻¹ (D + L').

Implements: Eisenstat 1981. In the variables of the preconditioner a product with K costs one solve with D + L and one with
D + L', so that preconditioning is almost free; only the lower triangle is stored.
"""

from __future__ import annotations

from signorini.compiled import kernel


@kernel
def solve_lower(L_indptr, L_indices, L, D_inv, r, y):
    """y = (D + L)⁻¹ r; r and y may be the same array."""
    for i in range(len(D_inv)):
        s0, s1, s2 = r[i, 0], r[i, 1], r[i, 2]
        for k in range(L_indptr[i], L_indptr[i + 1]):
            j = L_indices[k]
            y0, y1, y2 = y[j, 0], y[j, 1], y[j, 2]
            s0 -= L[k, 0, 0] * y0 + L[k, 0, 1] * y1 + L[k, 0, 2] * y2
            s1 -= L[k, 1, 0] * y0 + L[k, 1, 1] * y1 + L[k, 1, 2] * y2
            s2 -= L[k, 2, 0] * y0 + L[k, 2, 1] * y1 + L[k, 2, 2] * y2
        for a in range(3):
            y[i, a] = D_inv[i, a, 0] * s0 + D_inv[i, a, 1] * s1 + D_inv[i, a, 2] * s2


@kernel
def solve_upper(L_indptr, L_indices, L, D_inv, w, t):
    """t = (D + L')⁻¹ w by columns of L'; w is overwritten with D t."""
    for i in range(len(D_inv) - 1, -1, -1):
        w0, w1, w2 = w[i, 0], w[i, 1], w[i, 2]
        t0 = D_inv[i, 0, 0] * w0 + D_inv[i, 0, 1] * w1 + D_inv[i, 0, 2] * w2
        t1 = D_inv[i, 1, 0] * w0 + D_inv[i, 1, 1] * w1 + D_inv[i, 1, 2] * w2
        t2 = D_inv[i, 2, 0] * w0 + D_inv[i, 2, 1] * w1 + D_inv[i, 2, 2] * w2
        t[i, 0], t[i, 1], t[i, 2] = t0, t1, t2
        # Backwards all the way: a processor that cannot foresee the next block waits for the memory at each of them.
        for k in range(L_indptr[i + 1] - 1, L_indptr[i] - 1, -1):
            j = L_indices[k]
            w[j, 0] -= L[k, 0, 0] * t0 + L[k, 1, 0] * t1 + L[k, 2, 0] * t2
            w[j, 1] -= L[k, 0, 1] * t0 + L[k, 1, 1] * t1 + L[k, 2, 1] * t2
            w[j, 2] -= L[k, 0, 2] * t0 + L[k, 1, 2] * t1 + L[k, 2, 2] * t2


@kernel
def scale_by_diagonal(D, r, z):
    """z = D r; returns r·z."""
    total = 0.0
    for i in range(len(r)):
        for a in range(3):
            s = D[i, a, 0] * r[i, 0] + D[i, a, 1] * r[i, 1] + D[i, a, 2] * r[i, 2]
            z[i, a] = s
            total += s * r[i, a]
    return total


@kernel
def conjugate_gradients(L_indptr, L_indices, L, D, D_inv, g, tolerance, floor, max_iterations, d, work):
    """Solve K d = g from d = 0; the iterations, max_iterations + 1 if they were not enough.

    It ends when |r|² in the norm of the inverse preconditioner is at most tolerance² of its start, or `floor`. work (5, n, 3).

    With E = D + L: K E⁻ᵀ p in the variables of E is t + E⁻¹ (p - D t) for t = E⁻ᵀ p, and d moves along t.
    """
    n = len(D)
    r, z, p, t, w = work[0], work[1], work[2], work[3], work[4]
    for i in range(n):
        for a in range(3):
            d[i, a] = 0.0
    solve_lower(L_indptr, L_indices, L, D_inv, g, r)
    rz = scale_by_diagonal(D, r, z)
    for i in range(n):
        for a in range(3):
            p[i, a] = z[i, a]
    goal, iteration = max(tolerance * tolerance * rz, floor), 0
    for iteration in range(max_iterations + 1):
        if rz <= goal or iteration == max_iterations:
            break
        for i in range(n):
            for a in range(3):
                w[i, a] = p[i, a]
        solve_upper(L_indptr, L_indices, L, D_inv, w, t)
        for i in range(n):
            for a in range(3):
                w[i, a] = p[i, a] - w[i, a]
        solve_lower(L_indptr, L_indices, L, D_inv, w, w)
        curvature = 0.0
        for i in range(n):
            for a in range(3):
                w[i, a] += t[i, a]
                curvature += p[i, a] * w[i, a]
        if not curvature > 0.0:
            break
        alpha = rz / curvature
        for i in range(n):
            for a in range(3):
                d[i, a] += alpha * t[i, a]
                r[i, a] -= alpha * w[i, a]
        previous = rz
        rz = scale_by_diagonal(D, r, z)
        beta = rz / previous
        for i in range(n):
            for a in range(3):
                p[i, a] = z[i, a] + beta * p[i, a]
    return iteration if rz <= goal else max_iterations + 1


@kernel
def split(indptr, indices, data, D, L_indptr, L_indices, L):
    """The diagonal blocks and the strictly lower triangle of a block matrix."""
    end = 0
    for i in range(len(indptr) - 1):
        L_indptr[i] = end
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j <= i:
                target = D[i] if j == i else L[end]
                for a in range(3):
                    for b in range(3):
                        target[a, b] = data[k, a, b]
            if j < i:
                L_indices[end] = j
                end += 1
    L_indptr[len(indptr) - 1] = end


@kernel
def squared_norm(L_indptr, L_indices, L, D, D_inv, r, y, z):
    """|r|² in the norm of the inverse preconditioner; y and z are work space."""
    solve_lower(L_indptr, L_indices, L, D_inv, r, y)
    return scale_by_diagonal(D, y, z)

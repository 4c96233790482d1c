"""Conjugate gradients on 3x3 block matrices, preconditioned by the inverse diagonal blocks."""

from __future__ import annotations

import numpy as np
from numba import njit

from signorini.dynamics.block_matrix_kernels import copy_rows, multiply


@njit(cache=True)
def precondition(inverse_diagonal, r, z):
    """z = D⁻¹ r; returns r·z."""
    total = 0.0
    for i in range(len(r)):
        for a in range(3):
            s = 0.0
            for c in range(3):
                s += inverse_diagonal[i, a, c] * r[i, c]
            z[i, a] = s
            total += s * r[i, a]
    return total


@njit(cache=True)
def conjugate_gradients(indptr, indices, data, inverse_diagonal, b, x, tolerance, max_iterations):
    """Solve A x = b from the guess in x; returns the iterations, or -1 if the tolerance was not reached."""
    n = len(b)
    r, z, p, Ap = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    goal = tolerance * tolerance * precondition(inverse_diagonal, b, z)
    multiply(indptr, indices, data, x, Ap)
    for i in range(n):
        for a in range(3):
            r[i, a] = b[i, a] - Ap[i, a]
    rz = precondition(inverse_diagonal, r, z)
    copy_rows(z, p)
    for iteration in range(max_iterations):
        if rz <= goal:
            return iteration
        multiply(indptr, indices, data, p, Ap)
        pAp = 0.0
        for i in range(n):
            for a in range(3):
                pAp += p[i, a] * Ap[i, a]
        alpha = rz / pAp
        for i in range(n):
            for a in range(3):
                x[i, a] += alpha * p[i, a]
                r[i, a] -= alpha * Ap[i, a]
        previous = rz
        rz = precondition(inverse_diagonal, r, z)
        beta = rz / previous
        for i in range(n):
            for a in range(3):
                p[i, a] = z[i, a] + beta * p[i, a]
    return -1

"""Kernels of sparse matrices of 3x3 blocks: products, diagonal blocks, search in the pattern.

Sums are explicit, because np.dot inside Numba enters threaded BLAS.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.vector4_kernels import load, plus_product, row_sums, spread, store


@kernel
def multiply(indptr, indices, data, x, y):
    """y = A x."""
    n = len(indptr) - 1
    flat, result = data.reshape(-1), y.reshape(-1)
    padded = np.empty(3 * n + 4)  # a vector of four reaches beyond the last row
    for i in range(n):
        padded[3 * i], padded[3 * i + 1], padded[3 * i + 2] = x[i, 0], x[i, 1], x[i, 2]
    padded[3 * n] = 0.0
    for i in range(n - 1):
        a = b = c = spread(0.0)
        for k in range(indptr[i], indptr[i + 1]):
            v = load(padded, 3 * indices[k])
            a = plus_product(a, load(flat, 9 * k), v)
            b = plus_product(b, load(flat, 9 * k + 3), v)
            c = plus_product(c, load(flat, 9 * k + 6), v)
        store(result, 3 * i, row_sums(a, b, c))  # and one of the next row, which follows
    for i in range(max(n - 1, 0), n):
        s0 = s1 = s2 = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            x0, x1, x2 = x[j, 0], x[j, 1], x[j, 2]
            s0 += data[k, 0, 0] * x0 + data[k, 0, 1] * x1 + data[k, 0, 2] * x2
            s1 += data[k, 1, 0] * x0 + data[k, 1, 1] * x1 + data[k, 1, 2] * x2
            s2 += data[k, 2, 0] * x0 + data[k, 2, 1] * x1 + data[k, 2, 2] * x2
        y[i, 0] = s0
        y[i, 1] = s1
        y[i, 2] = s2


@kernel
def copy_rows(source, target):
    """target = source for (n, 3) arrays; a loop compiles much faster than an array assignment."""
    for i in range(len(source)):
        for a in range(3):
            target[i, a] = source[i, a]


@kernel
def diagonal(indptr, indices, data, D):
    """Copy the diagonal blocks to D."""
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] == i:
                for a in range(3):
                    for b in range(3):
                        D[i, a, b] = data[k, a, b]


@kernel
def invert_blocks(D):
    """Replace each symmetric 3x3 block by its inverse (adjugate over determinant)."""
    for i in range(D.shape[0]):
        a, b, c = D[i, 0, 0], D[i, 0, 1], D[i, 0, 2]
        d, e, f = D[i, 1, 1], D[i, 1, 2], D[i, 2, 2]
        A = d * f - e * e
        B = c * e - b * f
        C = b * e - c * d
        det = a * A + b * B + c * C
        inv = 1.0 / det
        D[i, 0, 0] = A * inv
        D[i, 0, 1] = D[i, 1, 0] = B * inv
        D[i, 0, 2] = D[i, 2, 0] = C * inv
        D[i, 1, 1] = (a * f - c * c) * inv
        D[i, 1, 2] = D[i, 2, 1] = (b * c - a * e) * inv
        D[i, 2, 2] = (a * d - b * b) * inv


@kernel
def find_entries(indptr, indices, rows, columns, entries):
    """Binary search of each (row, column) in the pattern; returns how many are missing."""
    missing = 0
    for e in range(len(rows)):
        low, high = indptr[rows[e]], indptr[rows[e] + 1]
        k = low + np.searchsorted(indices[low:high], columns[e])
        if k < high and indices[k] == columns[e]:
            entries[e] = k
        else:
            entries[e] = -1
            missing += 1
    return missing

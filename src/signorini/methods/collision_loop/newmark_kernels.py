"""Bound of the largest frequency of a system of elements."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def frequency_bound(indptr, data, mass):
    """max over the nodes of Σ_j |K_ij| / m_i (Gershgorin, Frobenius norms of the blocks): at least ω² of any mode [1/s²].

    data (nnz, 3, 3) are the blocks of K. Nodes without mass are left out.
    """
    largest = 0.0
    for i in range(len(mass)):
        if mass[i] <= 0.0:
            continue
        total = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            square = 0.0
            for a in range(3):
                for c in range(3):
                    square += data[k, a, c] * data[k, a, c]
            total += np.sqrt(square)
        largest = max(largest, total / mass[i])
    return largest

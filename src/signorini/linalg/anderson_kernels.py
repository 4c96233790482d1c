"""Anderson acceleration of a fixed-point iteration y → T(y) with a short memory.

Implements: type II of Walker and Ni 2011, the least squares by normal equations (at most MEMORY unknowns).
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

MEMORY = 5
"""Differences of iterates that are kept."""


@kernel
def room_for_memory(k):
    """Arrays for an iteration over k unknowns: the last differences of T(y) and of T(y) - y in a ring, and the last of each."""
    return np.empty((MEMORY, k)), np.empty((MEMORY, k)), np.empty(k), np.empty(k)


@kernel
def accelerate(mapped, residual, memory, count):
    """Replace `mapped` = T(y) by the accelerated iterate; returns the new number of iterations seen since the start.

    residual = T(y) - y, both flat (k,); memory of `room_for_memory`; count: iterations seen so far.
    """
    mapped_steps, residual_steps, previous_mapped, previous_residual = memory
    k = len(mapped)
    if count > 0:
        slot = (count - 1) % MEMORY
        for i in range(k):
            mapped_steps[slot, i] = mapped[i] - previous_mapped[i]
            residual_steps[slot, i] = residual[i] - previous_residual[i]
    for i in range(k):
        previous_mapped[i] = mapped[i]
        previous_residual[i] = residual[i]
    size = min(count, MEMORY)
    if size > 0:
        gamma = solve_least_squares(residual_steps, residual, size)
        for j in range(size):
            for i in range(k):
                mapped[i] -= gamma[j] * mapped_steps[j, i]
    return count + 1


@kernel
def solve_least_squares(rows, target, size):
    """γ that minimises |target - Σ γ_j rows_j|, slightly regularised, by Gaussian elimination."""
    M = np.empty((size, size + 1))
    for a in range(size):
        for b in range(a, size):
            M[a, b] = M[b, a] = sum_of_products(rows[a], rows[b])
        M[a, size] = sum_of_products(rows[a], target)
    return solve_normal_equations(M, size)


@kernel
def solve_normal_equations(M, size):
    """γ from the products of rows with each other and, in the last column of M (size, size + 1), with the target."""
    trace = 0.0
    for a in range(size):
        trace += M[a, a]
    for a in range(size):
        M[a, a] += 1e-10 * trace + 1e-300
    for a in range(size):
        for b in range(a + 1, size):
            factor = M[b, a] / M[a, a]
            for c in range(a, size + 1):
                M[b, c] -= factor * M[a, c]
    gamma = np.empty(size)
    for a in range(size - 1, -1, -1):
        value = M[a, size]
        for b in range(a + 1, size):
            value -= M[a, b] * gamma[b]
        gamma[a] = value / M[a, a]
    return gamma


@kernel
def sum_of_products(x, y):
    """x·y of flat arrays."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total

"""Block principal pivoting for complementarity problems 0 ≤ x ⟂ W x + b ≥ 0, with the interior-point method as its fallback."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.linalg.interior_point_kernels import GAP, REGULARISATION, TOLERANCE, factorise, iterate, substitute

REDUNDANT = 1e-9
"""Part of the diagonal below which a pivot means that one condition follows from the others."""
ROUNDING = 1e-12
"""Size of a negative x or slack that counts as zero, in a scaling with unit diagonal and right-hand side."""
EXCHANGES = 4
"""Corrections of the guessed active set at most; then the interior-point method is used."""


@kernel
def scale(W, unit, Q):
    """Fill unit (n,) = diag(W)^-½ and Q (n, n) = unit W unit, with unit diagonal."""
    n = len(W)
    for i in range(n):
        unit[i] = 1.0 / np.sqrt(W[i, i]) if W[i, i] > 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            Q[i, j] = unit[i] * W[i, j] * unit[j]


@kernel
def solve_active(Q, c, active, least, K, x, slack):
    """x with Q x + c = 0 on the active set and 0 elsewhere, slack = Q x + c; False if the set is (nearly) redundant."""
    n, k = len(c), 0
    members, right = np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        x[i] = 0.0
        if active[i]:
            members[k], right[k] = i, -c[i]
            k += 1
    for a in range(k):
        for b in range(a + 1):
            K[a, b] = Q[members[a], members[b]]
    if not factorise(K, k, least):
        return False
    substitute(K, k, right)
    for a in range(k):
        x[members[a]] = right[a]
    for i in range(n):
        slack[i] = c[i]
        if active[i]:
            slack[i] = 0.0
            continue
        for a in range(k):
            slack[i] += Q[i, members[a]] * right[a]
    return True


@kernel
def pivot(Q, c, active, K, x, slack):
    """Solve with the guessed active set, exchanging all members that violate a sign, up to EXCHANGES times.

    Returns whether 0 ≤ x ⟂ Q x + c ≥ 0 holds to rounding.
    """
    for _ in range(EXCHANGES):
        if not solve_active(Q, c, active, REDUNDANT, K, x, slack):
            return False
        wrong = 0
        for i in range(len(c)):
            if (active[i] and x[i] < -ROUNDING) or (not active[i] and slack[i] < -ROUNDING):
                active[i] = not active[i]
                wrong += 1
        if wrong == 0:
            for i in range(len(c)):
                x[i] = max(x[i], 0.0)
            return True
    return False


@kernel
def solve_inside(Q, c, x):
    """Fill x (n,) by the interior-point method; returns its iterations and whether it converged."""
    n = len(c)
    K, z, none, nothing = np.empty((n, n)), np.empty(n), np.empty(0), np.empty((0, n))
    for i in range(n):
        x[i] = z[i] = 1.0
        for j in range(n):
            K[i, j] = Q[i, j] + (REGULARISATION if i == j else 0.0)
    iterations, worst, gap = iterate(K, c, nothing, none, x, z, none, none)
    return abs(iterations), worst <= TOLERANCE and gap <= GAP


@kernel
def solve(W, unit, Q, b, active, x, slack):
    """Fill x (n,) and slack (n,) = W x + b; unit and Q are those of `scale`.

    `active` (n,) is a guess which x are positive, and is replaced by which are. If it is right up to a few exchanges, one
    factorisation gives the answer to rounding. Otherwise the interior-point method finds the set of positive x. Returns
    its iterations, and whether it converged.
    """
    n = len(b)
    size = 0.0
    for i in range(n):
        size = max(size, abs(unit[i] * b[i]))
        x[i] = 0.0
    iterations, converged = 0, True
    if size > 0.0:
        K, c = np.empty((n, n)), np.empty(n)
        for i in range(n):
            c[i] = unit[i] * b[i] / size
        if not pivot(Q, c, active, K, x, slack):
            inner = np.empty(n)
            iterations, converged = solve_inside(Q, c, inner)
            for i in range(n):
                slack[i] = c[i]
                for j in range(n):
                    slack[i] += Q[i, j] * inner[j]
                active[i] = inner[i] > slack[i]
            if not pivot(Q, c, active, K, x, slack):
                for i in range(n):
                    x[i] = inner[i]
    for i in range(n):
        x[i] *= size * unit[i]
        active[i] = x[i] > 0.0
    for i in range(n):
        slack[i] = b[i]
        for j in range(n):
            slack[i] += W[i, j] * x[j]
    return iterations, converged

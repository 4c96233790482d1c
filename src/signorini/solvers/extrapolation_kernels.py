"""Extrapolation of the iterates of relaxation to their limit.

Implements: Anderson acceleration applied once in a period (Banerjee et al. 2016), on the residual of the dynamics in the norm
of D_A^-1. As long as no contact changes its state relaxation is linear, and this is what GMRES would make of the same iterates.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel
from signorini.contact.friction_cone_kernels import limit_impulse
from signorini.solvers.anderson_kernels import solve_least_squares


@kernel
def room_for_history(period, node_count, contact_count):
    """Iterates dv, their residuals and their impulses, one row each."""
    return (
        np.empty((period, 3 * node_count)),
        np.empty((period, 3 * node_count)),
        np.empty((period, 3 * contact_count)),
    )


@kernel
def mass_roots(D):
    """(n,) √ of the mean of the diagonal of each block."""
    root = np.empty(len(D))
    for i in range(len(D)):
        root[i] = np.sqrt((D[i, 0, 0] + D[i, 1, 1] + D[i, 2, 2]) / 3.0)
    return root


@kernel
def remember(history, slot, dv, z0, p, root):
    """Row `slot` of the history; the residual is dv - z0 = D_A^-1 (A dv - f), weighted by root (n,), that of the mass."""
    X, R, P = history
    for i in range(len(dv)):
        for a in range(3):
            X[slot, 3 * i + a] = dv[i, a]
            R[slot, 3 * i + a] = root[i] * (dv[i, a] - z0[i, a])
    for c in range(len(p)):
        for a in range(3):
            P[slot, 3 * c + a] = p[c, a]


@kernel
def extrapolate(history, mu, dv, p):
    """Replace dv and p by that combination of the rows of the history with the least residual.

    Impulses outside of the friction cone are scaled back to it. The rows but the last become the differences of neighbours.
    """
    X, R, P = history
    last = len(X) - 1
    for j in range(last):
        for i in range(X.shape[1]):
            X[j, i] = X[j + 1, i] - X[j, i]
            R[j, i] = R[j + 1, i] - R[j, i]
        for i in range(P.shape[1]):
            P[j, i] = P[j + 1, i] - P[j, i]
    gamma = solve_least_squares(R, R[last], last)
    for j in range(last):
        g = gamma[j]
        for i in range(len(dv)):
            for a in range(3):
                dv[i, a] -= g * X[j, 3 * i + a]
        for c in range(len(p)):
            for a in range(3):
                p[c, a] -= g * P[j, 3 * c + a]
    for c in range(len(p)):
        if p[c, 0] != 0.0 or p[c, 1] != 0.0 or p[c, 2] != 0.0:
            limit_impulse(p[c], mu[c], True)


@kernel
def last_square(history):
    """The square of the last residual of the history."""
    R = history[1]
    total = 0.0
    for i in range(R.shape[1]):
        total += R[len(R) - 1, i] ** 2
    return total


@kernel
def residual_square(dv, z0, root):
    """The square of the residual dv - z0 as `remember` weights it."""
    total = 0.0
    for i in range(len(dv)):
        for a in range(3):
            total += (root[i] * (dv[i, a] - z0[i, a])) ** 2
    return total


@kernel
def recall_last(history, dv, p):
    """dv and p as they were before the extrapolation."""
    X, _, P = history
    for i in range(len(dv)):
        for a in range(3):
            dv[i, a] = X[len(X) - 1, 3 * i + a]
    for c in range(len(p)):
        for a in range(3):
            p[c, a] = P[len(P) - 1, 3 * c + a]

"""Kernels of the interior-point method: dense Cholesky factors, Newton directions, iterations."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

MAX_ITERATIONS = 60
"""Iterations at most."""
TOLERANCE = 1e-9
"""Largest residual of a solution, in a scaling with unit diagonal and right-hand side."""
GAP = 1e-12
"""Largest mean complementarity of a solution in that scaling: where x and its slack are zero, the error of x is its root."""
REGULARISATION = 1e-12
"""Part of the diagonal that is added to it: contacts that contradict each other then share the violation."""
BACK_OFF = 0.99
"""Part of the longest step that keeps all unknowns positive which an iteration takes."""
JAMMED = 0.1
"""Length of step, as a part of the Newton step, below which a step towards the central path is taken instead."""


@kernel
def factorise(K, n, least):
    """Replace the lower triangle of the leading n rows of the symmetric K by its Cholesky factor.

    False if a pivot is not above `least`.
    """
    for j in range(n):
        if not K[j, j] > least:
            return False
        pivot = np.sqrt(K[j, j])
        K[j, j] = pivot
        for i in range(j + 1, n):
            K[i, j] /= pivot
        for i in range(j + 1, n):
            factor = K[i, j]
            if factor != 0.0:
                for k in range(j + 1, i + 1):
                    K[i, k] -= factor * K[k, j]
    return True


@kernel
def substitute(L, n, x):
    """Solve L L' x = b with the leading n rows of L in place; x holds b."""
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= L[i, i]
        for k in range(i):
            x[k] -= L[i, k] * x[i]


@kernel
def longest_step(x, dx, longest):
    """The largest step up to `longest` that keeps x + step dx (n,) non-negative."""
    for i in range(len(x)):
        if dx[i] < 0.0:
            longest = min(longest, -x[i] / dx[i])
    return longest


@kernel
def common_step(x, z, w, y, dx, dz, dw, dy, longest):
    """The largest step up to `longest` that keeps all four non-negative."""
    step = longest_step(z, dz, longest_step(x, dx, longest))
    return longest_step(y, dy, longest_step(w, dw, step))


@kernel
def residuals(Q, c, A, b, x, z, w, y, dual, primal):
    """Fill dual (n,) = Q x + c − A'y − z and primal (m,) = A x − w − b; returns the largest entry and the mean product."""
    n, m = len(x), len(w)
    worst = gap = 0.0
    for i in range(n):
        dual[i] = c[i] - z[i]
        for j in range(n):
            dual[i] += Q[i, j] * x[j]
        for k in range(m):
            dual[i] -= A[k, i] * y[k]
        gap += x[i] * z[i]
    for k in range(m):
        primal[k] = -w[k] - b[k]
        for i in range(n):
            primal[k] += A[k, i] * x[i]
        worst = max(worst, abs(primal[k]))
        gap += w[k] * y[k]
    for i in range(n):
        worst = max(worst, abs(dual[i]))
    return worst, gap / max(n + m, 1)


@kernel
def newton_matrix(Q, A, x, z, w, y, K):
    """Fill the lower triangle of K = Q + Z/X + A'(Y/W) A: the linearised conditions with dz, dw and dy eliminated."""
    n = len(x)
    for i in range(n):
        for j in range(i + 1):
            K[i, j] = Q[i, j]
        K[i, i] += z[i] / x[i]
    for k in range(len(w)):
        ratio = y[k] / w[k]
        for i in range(n):
            scaled = ratio * A[k, i]
            if scaled != 0.0:
                for j in range(i + 1):
                    K[i, j] += scaled * A[k, j]


@kernel
def direction(L, A, x, z, w, y, dual, primal, target_x, target_w, dx, dz, dw, dy):
    """The Newton direction for x z → x z + target_x and w y → w y + target_w, with the factor L of `newton_matrix`."""
    n, m = len(x), len(w)
    for i in range(n):
        dx[i] = -dual[i] + target_x[i] / x[i]
        for k in range(m):
            dx[i] += A[k, i] * (target_w[k] - y[k] * primal[k]) / w[k]
    substitute(L, n, dx)
    for i in range(n):
        dz[i] = (target_x[i] - z[i] * dx[i]) / x[i]
    for k in range(m):
        dw[k] = primal[k]
        for i in range(n):
            dw[k] += A[k, i] * dx[i]
        dy[k] = (target_w[k] - y[k] * dw[k]) / w[k]


@kernel
def aim(product, x, z, target):
    """Fill target (n,) with what x z lacks to a product."""
    for i in range(len(x)):
        target[i] = product - x[i] * z[i]


@kernel
def iterate(Q, c, A, b, x, z, w, y):
    """Primal-dual interior point with Mehrotra's predictor and corrector, from x, z, w, y > 0 in place.

    Returns the iterations, the largest residual and the mean of the products x z and w y; the count is negative when a
    matrix was not positive definite.
    """
    n, m = len(x), len(w)
    K, dual, primal = np.empty((n, n)), np.empty(n), np.empty(m)
    dx, dz, dw, dy = np.empty(n), np.empty(n), np.empty(m), np.empty(m)
    target_x, target_w = np.empty(n), np.empty(m)
    iteration = 0
    while True:
        worst, gap = residuals(Q, c, A, b, x, z, w, y, dual, primal)
        if (worst <= TOLERANCE and gap <= GAP) or iteration == MAX_ITERATIONS:
            return iteration, worst, gap
        newton_matrix(Q, A, x, z, w, y, K)
        if not factorise(K, n, 0.0):
            return -iteration - 1, worst, gap
        # Predictor: straight to complementarity; how far it gets tells how much centring is needed.
        aim(0.0, x, z, target_x)
        aim(0.0, w, y, target_w)
        direction(K, A, x, z, w, y, dual, primal, target_x, target_w, dx, dz, dw, dy)
        step = common_step(x, z, w, y, dx, dz, dw, dy, 1.0)
        ahead = 0.0
        for i in range(n):
            ahead += (x[i] + step * dx[i]) * (z[i] + step * dz[i])
        for k in range(m):
            ahead += (w[k] + step * dw[k]) * (y[k] + step * dy[k])
        centre = gap * min((ahead / ((n + m) * gap)) ** 3, 0.5)
        # Corrector: μ of the logarithmic barrier (Hong2004 §4) and what the predictor neglected.
        for i in range(n):
            target_x[i] = centre - x[i] * z[i] - dx[i] * dz[i]
        for k in range(m):
            target_w[k] = centre - w[k] * y[k] - dw[k] * dy[k]
        direction(K, A, x, z, w, y, dual, primal, target_x, target_w, dx, dz, dw, dy)
        step = common_step(x, z, w, y, dx, dz, dw, dy, 2.0)
        if step < JAMMED:
            # The products are too uneven to go on: even them out, without the correction.
            aim(gap, x, z, target_x)
            aim(gap, w, y, target_w)
            direction(K, A, x, z, w, y, dual, primal, target_x, target_w, dx, dz, dw, dy)
            step = common_step(x, z, w, y, dx, dz, dw, dy, 2.0)
        step = min(1.0, BACK_OFF * step)
        for i in range(n):
            x[i] += step * dx[i]
            z[i] += step * dz[i]
        for k in range(m):
            w[k] += step * dw[k]
            y[k] += step * dy[k]
        iteration += 1

"""Cholesky factors, the interior-point iterations and block principal pivoting, all dense."""

from __future__ import annotations

import numpy as np
from numba import njit

BACK_OFF = 0.99
"""How much of the way to the boundary of the positive orthant a step takes."""
JAMMED = 0.1
"""A shorter step than this is replaced by one towards the central path."""


@njit(cache=True)
def factorise(K, least):
    """Replace the lower triangle of the symmetric K (n, n) by its Cholesky factor; False if a pivot is below `least`."""
    n = len(K)
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


@njit(cache=True)
def substitute(L, x):
    """Solve L L' x = b in place; x (n,) holds b."""
    n = len(x)
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= L[i, i]
        for k in range(i):
            x[k] -= L[i, k] * x[i]


@njit(cache=True)
def longest_step(x, dx, longest):
    """The largest step up to `longest` that keeps x + step dx (n,) non-negative."""
    for i in range(len(x)):
        if dx[i] < 0.0:
            longest = min(longest, -x[i] / dx[i])
    return longest


@njit(cache=True)
def common_step(x, z, w, y, dx, dz, dw, dy, longest):
    """The largest step up to `longest` that keeps all four non-negative."""
    step = longest_step(z, dz, longest_step(x, dx, longest))
    return longest_step(y, dy, longest_step(w, dw, step))


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def direction(L, A, x, z, w, y, dual, primal, target_x, target_w, dx, dz, dw, dy):
    """The Newton direction for x z → x z + target_x and w y → w y + target_w, with the factor L of `newton_matrix`."""
    n, m = len(x), len(w)
    for i in range(n):
        dx[i] = -dual[i] + target_x[i] / x[i]
        for k in range(m):
            dx[i] += A[k, i] * (target_w[k] - y[k] * primal[k]) / w[k]
    substitute(L, dx)
    for i in range(n):
        dz[i] = (target_x[i] - z[i] * dx[i]) / x[i]
    for k in range(m):
        dw[k] = primal[k]
        for i in range(n):
            dw[k] += A[k, i] * dx[i]
        dy[k] = (target_w[k] - y[k] * dw[k]) / w[k]


@njit(cache=True)
def iterate(Q, c, A, b, x, z, w, y, tolerance, max_iterations):
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
        if (worst <= tolerance and gap <= tolerance) or iteration == max_iterations:
            return iteration, worst, gap
        newton_matrix(Q, A, x, z, w, y, K)
        if not factorise(K, 0.0):
            return -iteration - 1, worst, gap
        # Predictor: straight to complementarity; how far it gets tells how much centring is needed.
        target_x[:] = -x * z
        target_w[:] = -w * y
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
            target_x[:] = gap - x * z
            target_w[:] = gap - w * y
            direction(K, A, x, z, w, y, dual, primal, target_x, target_w, dx, dz, dw, dy)
            step = common_step(x, z, w, y, dx, dz, dw, dy, 2.0)
        step = min(1.0, BACK_OFF * step)
        x += step * dx
        z += step * dz
        w += step * dw
        y += step * dy
        iteration += 1


@njit(cache=True)
def solve_active(Q, c, active, least, K, x, slack):
    """x with Q x + c = 0 on the active set and 0 elsewhere, slack = Q x + c; False if the set is (nearly) redundant."""
    n = len(c)
    members = np.flatnonzero(active)
    k = len(members)
    for a in range(k):
        for b in range(a + 1):
            K[a, b] = Q[members[a], members[b]]
    L = K[:k, :k]
    if not factorise(L, least):
        return False
    right = -c[members]
    substitute(L, right)
    x[:] = 0.0
    x[members] = right
    for i in range(n):
        slack[i] = c[i]
        if active[i]:
            slack[i] = 0.0
            continue
        for a in range(k):
            slack[i] += Q[i, members[a]] * right[a]
    return True


@njit(cache=True)
def pivot(Q, c, active, tries, tolerance, least, K, x, slack):
    """Solve with the guessed active set, exchanging all members that violate a sign, up to `tries` times.

    Returns whether 0 ≤ x ⟂ Q x + c ≥ 0 holds to the tolerance.
    """
    for _ in range(tries):
        if not solve_active(Q, c, active, least, K, x, slack):
            return False
        wrong = 0
        for i in range(len(c)):
            if (active[i] and x[i] < -tolerance) or (not active[i] and slack[i] < -tolerance):
                active[i] = not active[i]
                wrong += 1
        if wrong == 0:
            for i in range(len(c)):
                x[i] = max(x[i], 0.0)
            return True
    return False

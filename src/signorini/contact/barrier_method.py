"""Sparse primal-dual interior-point method for quadratic programs with springs in place of rows and bounds on other rows.

Implements: Mehrotra's predictor-corrector method, with a direct factorisation in every iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import splu

from signorini.linalg.blas_threads import one_blas_thread

Floats = NDArray[np.float64]
MAX_ITERATIONS, PATIENCE = 80, 12
"""Iterations at most, and those without progress after which the best one is taken."""
ACCEPTED = 100.0
"""Factor of the accuracy that is accepted where rounding does not allow a better one."""
DENSE_BELOW = 600
"""Unknowns below which a dense factorisation is faster than a sparse one."""
ROUNDING = 1e-9
"""Part of the forces of a node below which their sum counts as zero."""
TO_BOUNDARY = 0.995
"""Part of the way to the boundary that a step goes at most."""


FILL, FLOPS, DENSE_FLOPS = 2.2, 0.0033, 0.0022
"""Cost of a sparse factorisation for each entry of the factors, and for the square of their number over that of the unknowns; and
of a dense one for the cube of the unknowns: in the unit of `Effort`."""


@dataclass(slots=True)
class Effort:
    """Work of factorisations, with a limit: in nodes and contacts of inner iterations of a contact solve."""

    most: float = float("inf")
    """Work after which no further one is made."""
    spent: float = 0.0


class Rows(NamedTuple):
    """Linear rows `matrix` x + bias with a number and a unit each."""

    matrix: sp.csr_matrix
    bias: Floats
    limit: Floats
    """Of a spring: its stiffness; of a bounded row: the largest size of its value."""
    unit: Floats
    """Size of a multiplier over that of its row: the scale in which both go to zero alike."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """Where the minimum is, and its multipliers."""

    x: Floats
    multipliers: Floats
    """Of the springs, ≥ 0."""
    bound_force: Floats
    """Of the bounded rows: positive where the lower bound pushes, negative where the upper one does."""
    accurate: bool = True
    """Whether the accuracy was reached, or nearly."""


def minimise(
    H: sp.csr_matrix,
    springs: Rows,
    bounds: Rows | None,
    *,
    weight: float,
    accuracy: float,
    effort: Effort | None = None,
) -> Minimum:
    """Minimise weight · ½ x'Hx + ½ Σ stiffness · s² with M x + bias + s ≥ 0 for the springs, |M x + bias| ≤ limit for the bounds.

    M is the matrix of each. x = 0 must be within the bounds. `accuracy` is that of all rows, in their unit. What is spent adds to
    the `effort`; the best iterate is returned where no more is allowed.
    """
    state = _State(H, springs, bounds, weight, effort or Effort())
    best, least, since = state.minimum(), state.worst(), 0
    with one_blas_thread():
        for _ in range(MAX_ITERATIONS):
            if least <= accuracy or since == PATIENCE or state.effort.spent > state.effort.most or not state.advance():
                break
            worst = state.worst()
            since += 1
            if worst < least:
                best, least, since = state.minimum(), worst, 0
    return replace(best, accurate=least <= ACCEPTED * accuracy)


class _State:
    """The iterate: x, the springs' slack w and multipliers y, and the distances to the bounds with their multipliers."""

    def __init__(self, H: sp.csr_matrix, springs: Rows, bounds: Rows | None, weight: float, effort: Effort) -> None:
        n, self.effort = len(H.indptr) - 1, effort
        bounds = bounds or Rows(sp.csr_matrix((0, n)), np.zeros(0), np.zeros(0), np.zeros(0))
        self.H, self.J, self.T, self.weight = weight * H, springs.matrix, bounds.matrix, weight
        self.b, self.bt, self.limit = springs.bias, bounds.bias, bounds.limit
        self.soft, self.unit = 1.0 / springs.limit, np.concatenate([springs.unit, bounds.unit, bounds.unit])
        self.stacked = sp.csr_matrix(sp.vstack([self.J, self.T]))
        self.transposed = sp.csr_matrix(self.stacked.T)
        self.magnitude = abs(self.transposed)
        self.inverse_diagonal = 1.0 / (weight * H.diagonal())
        size = max(-float(self.b.min()), 0.1 * float(np.abs(self.b).max()))
        m, k = len(self.b), len(self.bt)
        self.x = np.zeros(n)
        self.w = np.concatenate([np.maximum(self.b, 0.0) + size, self.limit - self.bt, self.limit + self.bt])
        """Slack of springs, distance to upper bounds, to lower bounds."""
        self.y = size * self.unit
        self.y[m:] = size * size * self.unit[m:] / self.w[m:]
        self.m, self.k = m, k
        self.measure()

    def measure(self) -> None:
        m, k, y = self.m, self.k, self.y
        force = np.concatenate([y[:m], y[m + k :] - y[m : m + k]])
        self.dual = self.H @ self.x - self.transposed @ force
        self.rounding = ROUNDING * (self.magnitude @ np.abs(force))
        self.primal = self.J @ self.x + self.b + self.soft * y[:m] - self.w[:m]

    def worst(self) -> float:
        """The largest residual of rows, dynamics and complementarity, in the unit of the rows."""
        gap = np.minimum(self.w, self.y / (self.weight * self.unit)).max(initial=0.0)
        dual = np.maximum(np.abs(self.dual) - self.rounding, 0.0)
        return float(max(np.abs(self.primal).max(initial=0.0), (self.inverse_diagonal * dual).max(), gap))

    def advance(self) -> bool:
        """One predictor-corrector step; whether it was possible."""
        w, y = self.w, self.y
        mean = float((w * y / self.unit).mean())
        solve = self.factorise()
        if solve is None or not np.isfinite(mean):
            return False
        aim = -w * y
        _, dw, dy = self.direction(solve, aim)
        reach = _reach(w, dw), _reach(y, dy)
        after = float(((w + reach[0] * dw) * (y + reach[1] * dy) / self.unit).mean())
        centre = (after / mean) ** 3 * mean * self.unit
        dx, dw, dy = self.direction(solve, aim + centre - dw * dy)
        reach = min(_reach(w, dw), _reach(y, dy))
        if not np.isfinite(reach) or not np.isfinite(dx).all():
            return False
        t = min(1.0, TO_BOUNDARY * reach)
        self.x = self.x + t * dx
        self.w, self.y = w + t * dw, y + t * dy
        self.measure()
        return t > 1e-10

    def factorise(self):
        m, k, w, y = self.m, self.k, self.w, self.y
        self.D = 1.0 / (w[:m] / y[:m] + self.soft)
        bound = y[m:] / w[m:]
        weights = np.concatenate([self.D, bound[:k] + bound[k:]])
        scaled = self.stacked.copy()
        scaled.data *= np.repeat(weights, np.diff(scaled.indptr))
        K = self.H + self.transposed @ scaled
        try:
            if K.shape[0] < DENSE_BELOW:
                self.effort.spent += FILL * K.nnz + DENSE_FLOPS * K.shape[0] ** 3
                factor = cho_factor(K.toarray(), check_finite=False)
                return lambda r: cho_solve(factor, r, check_finite=False)
            options = {"SymmetricMode": True}
            factors = splu(sp.csc_matrix(K), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
            self.effort.spent += (FILL + FLOPS * factors.nnz / K.shape[0]) * factors.nnz
            return factors.solve
        except (LinAlgError, RuntimeError):
            return None

    def direction(self, solve, aim: Floats) -> tuple[Floats, Floats, Floats]:
        """The step towards w y + change = `aim` + w y."""
        m, k, w, y = self.m, self.k, self.w, self.y
        known = self.D * (aim[:m] / y[:m] - self.primal)
        up, low = aim[m : m + k] / w[m : m + k], aim[m + k :] / w[m + k :]
        dx = solve(self.transposed @ np.concatenate([known, low - up]) - self.dual)
        moved = self.stacked @ dx
        Jx, Tx = moved[:m], moved[m:]
        dy = np.empty_like(y)
        dy[:m] = known - self.D * Jx
        dy[m : m + k] = up + y[m : m + k] / w[m : m + k] * Tx
        dy[m + k :] = low - y[m + k :] / w[m + k :] * Tx
        return dx, np.concatenate([Jx + self.soft * dy[:m] + self.primal, -Tx, Tx]), dy

    def minimum(self) -> Minimum:
        m, k, y = self.m, self.k, self.y
        return Minimum(self.x, y[:m], y[m + k :] - y[m : m + k])


def _reach(value: Floats, change: Floats) -> float:
    """How far one can go until the first value is zero."""
    falling = change < 0.0
    return float(np.min(value[falling] / -change[falling], initial=1.0))

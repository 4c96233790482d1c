"""Dense primal-dual interior-point method for small convex quadratic programs, and complementarity problems by it.

Implements: Hong2004 §4. The logarithmic barriers of x ≥ 0 and of the slack w = A x − b ≥ 0 with weight μ, and multipliers of
the equalities, give 2m + 2n conditions, which are solved by Newton's method while μ goes to zero, chosen as by Mehrotra.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.linalg import interior_point_kernels as kernels
from signorini.linalg import pivoting_kernels as pivoting
from signorini.linalg.interior_point_kernels import GAP, REGULARISATION, TOLERANCE

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QpSolution:
    """Solution of a quadratic program or of a complementarity problem."""

    x: Floats
    """(n,) the minimiser."""
    slack: Floats
    """(m,) A x − b."""
    iterations: int
    """Of the interior-point method; 0 when the guess of the active set was right."""
    converged: bool
    """The residuals and the mean complementarity are below their tolerances."""


def solve_qp(Q: Floats, c: Floats, A: Floats | None = None, b: Floats | None = None) -> QpSolution:
    """Minimise c'x + ½ x'Qx subject to A x ≥ b, x ≥ 0 (Hong2004 §4); Q (n, n) symmetric positive semidefinite, A (m, n)."""
    n = len(c)
    A = np.zeros((0, n)) if A is None else A
    b = np.zeros(0) if b is None else b
    m = len(b)
    # x = size unit x̃ makes the diagonal of Q and the largest entry of c one: the tolerance has one meaning for all units.
    diagonal = np.diag(Q)
    unit = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    rows = np.sqrt(((A * unit) ** 2).sum(axis=1))
    rows[rows == 0.0] = 1.0
    size = max(float(np.abs(unit * c).max(initial=0.0)), float(np.abs(b / rows).max(initial=0.0)))
    if size == 0.0:
        return QpSolution(np.zeros(n), np.zeros(m), 0, True)
    scaled_Q = unit[:, None] * Q * unit
    scaled_Q[np.arange(n), np.arange(n)] += REGULARISATION
    scaled_A = np.ascontiguousarray(A * unit / rows[:, None])
    x, z, w, y = np.ones(n), np.ones(n), np.ones(m), np.ones(m)
    iterations, worst, gap = kernels.iterate(scaled_Q, unit * c / size, scaled_A, b / rows / size, x, z, w, y)
    converged = worst <= TOLERANCE and gap <= GAP
    x *= size * unit
    return QpSolution(x, A @ x - b, abs(iterations), converged)


class Complementarity:
    """Problems 0 ≤ x ⟂ W x + b ≥ 0 with one symmetric positive semidefinite W (n, n) and many b.

    These are the conditions for the minimum of b'x + ½ x'Wx, x ≥ 0.
    """

    def __init__(self, W: Floats, *, scaled: bool = True) -> None:
        """With `scaled` false, `unit` and `Q` are left to a kernel that fills them with W."""
        self.W = W
        self.unit, self.Q = np.empty(len(W)), np.empty_like(W)
        """diag(W)^-½ (n,), and W scaled by it from both sides (n, n)."""
        if scaled:
            pivoting.scale(W, self.unit, self.Q)

    def solve(self, b: Floats, guess: NDArray[np.bool_]) -> QpSolution:
        """x (n,), with W x + b as `slack`; `guess` (n,) tells which x are likely positive.

        If the guess is right up to a few exchanges, one factorisation gives the answer to rounding. Otherwise the
        interior-point method finds the set of positive x.
        """
        x, slack = np.empty(len(b)), np.empty(len(b))
        iterations, converged = pivoting.solve(self.W, self.unit, self.Q, b, guess.copy(), x, slack)
        return QpSolution(x, slack, iterations, converged)

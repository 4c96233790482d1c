"""Velocities without contact: A v* = b by conjugate gradients or a sparse factorisation, chosen by size.

Implements: Otaduy2009 Eq. 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from signorini.errors import SimulationStoppedError
from signorini.linalg import ssor_kernels as kernels
from signorini.linalg.block_matrix import BlockMatrix
from signorini.linalg.coarse_space import build_coarse_space
from signorini.linalg.ordering_kernels import gather_rows, scatter_rows
from signorini.linalg.split_matrix import pattern_of
from signorini.linalg.two_level_kernels import two_level_gradients
from signorini.parallel.team import run_together

MAX_ITERATIONS = 2000
SLOW = 200
"""Iterations after which a coarse space of rigid motions joins the preconditioner: setting it up costs about a hundred."""
MIN_ROW = 8
"""Nodes for which there is work space at least: sums of blocks are kept there too."""
ROUNDING = 1e-6
"""Part of |b| below which a change of momentum is not followed."""


def solve_unconstrained(
    A: BlockMatrix,
    b: NDArray[np.float64],
    guess: NDArray[np.float64],
    *,
    tolerance: float,
    direct_below: int,
    velocity: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """v* (n, 3) [m/s] with |b − A v*| ≤ tolerance |b| in the norm of the symmetric Gauss-Seidel preconditioner.

    With `velocity`, that at the start of the step, |b − A velocity| takes the place of |b| where it is smaller: the momentum
    of a body that moves fast would otherwise allow an error that is large beside what forces change in one step.
    Small systems are factorised; so is one on which conjugate gradients do not get there.
    """
    if A.node_count < direct_below:
        lonely = len(A.indices) == A.node_count  # rigid bodies alone: nothing is coupled
        v = np.empty_like(b) if lonely else _solve_direct(A, b)
        _solve_lonely(A, b, v)
        return v
    v = guess.copy()
    _solve_lonely(A, b, v)
    change = None if velocity is None else b - A.times(velocity)
    return v if _conjugate_gradients(A, b, v, tolerance, change) else _solve_direct(A, b)


def _conjugate_gradients(
    A: BlockMatrix,
    b: NDArray[np.float64],
    v: NDArray[np.float64],
    tolerance: float,
    change: NDArray[np.float64] | None = None,
) -> bool:
    """Improve v in place until the residual is small beside b and `change` (n, 3) [kg m/s]; whether that was reached."""
    pattern, n = pattern_of(A), A.node_count
    K, order = pattern.split(A), pattern.ordering.order
    work, r, v_K = np.empty((8, 4 * max(n, MIN_ROW))), np.empty((3, 4 * n)), np.zeros(4 * n)
    vectors = (b - A.times(v), b, b if change is None else change)
    for row, vector in zip(r, vectors, strict=True):
        gather_rows(vector, order, row)
    most = MAX_ITERATIONS if A.points is None else min(SLOW, MAX_ITERATIONS)
    floor, d = np.zeros(1), np.empty_like(b)
    iterations = run_together(
        len(K.starts) - 1, kernels.solve_system, K, r, tolerance, ROUNDING, most, floor, v_K, work
    )  # fmt: skip
    scatter_rows(v_K, order, d)
    v += d
    if iterations <= most or A.points is None:
        return iterations <= most
    coarse = build_coarse_space(A, pattern.ordering)
    gather_rows(b - A.times(v), order, r[0])
    most = max(MAX_ITERATIONS - SLOW, 0)
    iterations = run_together(
        len(K.starts) - 1, two_level_gradients, K, coarse, r[0], 0.0, floor[0], most, v_K, work
    )  # fmt: skip
    scatter_rows(v_K, order, d)
    v += d
    return iterations <= most


def _solve_lonely(A: BlockMatrix, b: NDArray[np.float64], v: NDArray[np.float64]) -> None:
    """Solve for nodes that are coupled to no other, such as rigid bodies, as exactly as rounding allows.

    Conjugate gradients never touch them again, so that their momentum does not depend on the tolerance.
    """
    lonely = np.flatnonzero(np.diff(A.indptr) == 1)
    if len(lonely):
        D, right = A.data[A.indptr[lonely]], b[lonely, :, None]
        x = np.linalg.solve(D, right)
        v[lonely] = (x + np.linalg.solve(D, right - D @ x))[:, :, 0]


def _solve_direct(A: BlockMatrix, b: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        factor = splu(
            A.to_scipy().tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # "Factor is exactly singular"
        raise SimulationStoppedError(
            "the equations of motion of the step have no solution in floating-point numbers: stiffness times dt² is too large "
            "beside the masses; check the units of materials and masses, or take a smaller dt"
        ) from None
    return np.ascontiguousarray(factor.solve(b.ravel()).reshape(-1, 3))

"""Velocities without contact: A v* = b by conjugate gradients or a sparse factorisation, chosen by size.

Implements: Otaduy2009 Eq. 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

from signorini.dynamics import unconstrained_kernels as kernels
from signorini.dynamics.block_matrix import BlockMatrix

MAX_ITERATIONS = 2000


def solve_unconstrained(
    A: BlockMatrix,
    b: NDArray[np.float64],
    guess: NDArray[np.float64],
    *,
    tolerance: float,
    direct_below: int,
) -> NDArray[np.float64]:
    """v* (n, 3) [m/s] with |b − A v*| ≤ tolerance |b| in the norm of the block-Jacobi preconditioner.

    Small systems are factorised; so is one on which conjugate gradients do not get there.
    """
    if A.node_count < direct_below:
        v = _solve_direct(A, b)
        _solve_lonely(A, b, v)
        return v
    v = guess.copy()
    _solve_lonely(A, b, v)
    iterations = kernels.conjugate_gradients(
        A.indptr, A.indices, A.data, A.inverse_diagonal_blocks(), b, v, tolerance, MAX_ITERATIONS
    )
    return v if iterations >= 0 else _solve_direct(A, b)


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
    factor = splu(
        A.to_scipy().tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    return np.ascontiguousarray(factor.solve(b.ravel()).reshape(-1, 3))

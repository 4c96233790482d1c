"""Dense linear complementarity problems 0 <= z _|_ M z + q >= 0, solved in ways that share nothing with the library."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def read_lcp(path: str | Path) -> tuple[Floats, Floats]:
    """M (n, n) and q (n,) of a siconos LCP file: integers (n, kind, rows, columns ...), the matrix by rows, then q."""
    numbers: list[str] = []
    for line in Path(path).read_text().splitlines():
        words = line.split()
        try:
            [float(w) for w in words]
        except ValueError:
            continue  # remarks at the end
        numbers.extend(words)
    n = int(numbers[0])
    values = np.array([float(w) for w in numbers[len(numbers) - n * n - n :]])
    return values[: n * n].reshape(n, n), values[n * n :]


def enumerate_lcp(M: Floats, q: Floats, tolerance: float = 1e-9) -> list[Floats]:
    """Every solution with a regular active block, by trying all 2^n active sets (n <= 12)."""
    n = len(q)
    assert n <= 12, "enumeration is exponential"
    solutions: list[Floats] = []
    for choice in product((False, True), repeat=n):
        active = np.array(choice)
        z = np.zeros(n)
        if active.any():
            block = M[np.ix_(active, active)]
            if np.linalg.matrix_rank(block) < len(block):
                continue
            z[active] = np.linalg.solve(block, -q[active])
        feasible = (z >= -tolerance).all() and (M @ z + q >= -tolerance).all()
        if feasible and not any(np.allclose(z, other, atol=1e-7) for other in solutions):
            solutions.append(z)
    return solutions


def solve_lemke(M: Floats, q: Floats, max_pivots: int = 1000) -> Floats | None:
    """A solution by Lemke's complementary pivoting with a lexicographic ratio test, or None (ray or too many pivots).

    Rows: w - M z - e z0 = q. Column i is w_i, n + i is z_i, 2n is the artificial z0, the last ones the right-hand side
    followed by the inverse basis for the lexicographic order.
    """
    n = len(q)
    if (q >= 0.0).all():
        return np.zeros(n)
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None], np.eye(n)])
    basis = list(range(n))
    row = int(np.argmin(q))
    entering = 2 * n
    for _ in range(max_pivots):
        T[row] /= T[row, entering]
        for other in range(n):
            if other != row:
                T[other] -= T[other, entering] * T[row]
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = T[:, 2 * n + 1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        candidates = [i for i in range(n) if T[i, entering] > 1e-11]
        if not candidates:
            return None
        row = min(candidates, key=lambda i: _ratio(T[i, 2 * n + 1 :], T[i, entering], basis[i] == 2 * n))
    return None


def _ratio(tail: Floats, pivot: float, is_artificial: bool) -> tuple[float, ...]:
    """Lexicographic key of a row; the artificial variable leaves first among ties."""
    first, *rest = np.round(tail / pivot, 12)
    return (float(first), 0.0 if is_artificial else 1.0, *map(float, rest))

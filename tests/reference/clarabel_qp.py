"""The frictionless contact problem as a quadratic program, solved by Clarabel (Otaduy2009 §3.3)."""

from __future__ import annotations

import clarabel
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp
from signorini.solvers.full_anticipation import build_jacobian

Floats = NDArray[np.float64]


def solve_clarabel(problem: Mlcp) -> tuple[Floats, Floats]:
    """min 1/2 dv' A dv subject to J dv + u_free + gap/dt >= 0: dv (n, 3) and lam (m,).

    Masses are scaled to one for the solver's sake; friction is ignored.
    """
    A = problem.A.to_scipy()
    scale = 1.0 / A.diagonal().mean()
    J = sp.csr_matrix(build_jacobian(problem)[0::3])
    c = problem.free_velocity[:, 0] + problem.gap / problem.dt
    n, m = 3 * problem.node_count, len(c)
    upper = sp.triu(A * scale).tocsc()
    for tolerance in (1e-12, 1e-10, 1e-9):  # the tightest that the interior-point method can reach
        options = clarabel.DefaultSettings()
        options.verbose = False
        options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = tolerance
        # Clarabel: K x + s = b, s in the cone; -J dv + s = c, s >= 0
        solver = clarabel.DefaultSolver(upper, np.zeros(n), (-J).tocsc(), c, [clarabel.NonnegativeConeT(m)], options)
        solution = solver.solve()
        if str(solution.status) in ("Solved", "AlmostSolved"):
            return np.array(solution.x).reshape(-1, 3), np.array(solution.z) / scale
    raise AssertionError(f"Clarabel: {solution.status}")

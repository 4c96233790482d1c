"""The contact problem as a quadratic or second-order cone program, solved by Clarabel (Otaduy2009 §3.3)."""

from __future__ import annotations

import clarabel
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.contact.mlcp import Mlcp

Floats = NDArray[np.float64]


def solve_clarabel(problem: Mlcp) -> tuple[Floats, Floats]:
    """min 1/2 dv' A dv subject to J dv + u_free + gap/dt >= 0: dv (n, 3) and lam (m,).

    Masses are scaled to one for the solver's sake; friction is ignored.
    """
    A = problem.A.to_scipy()
    scale = 1.0 / A.diagonal().mean()
    J = sp.csr_matrix(problem.jacobian()[0::3])
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


def solve_clarabel_friction(problem: Mlcp, *, updates: int = 100, tolerance: float = 1e-7) -> Floats:
    """dv (n, 3) with the exact Coulomb cone: second-order cone programs for frozen shifts s = mu |u_t| (Cadoux 2009).

    min 1/2 dv' A dv subject to mu |u_t| <= u_n + gap/dt + s; at its fixed point this is Coulomb's law.
    """
    A = problem.A.to_scipy()
    scale = 1.0 / A.diagonal().mean()
    m, n = problem.contact_count, 3 * problem.node_count
    mu = problem.friction
    rows = np.ones((m, 3))
    rows[:, 0] = 1.0 / mu
    G = sp.diags(rows.ravel()) @ problem.jacobian()
    c = problem.free_velocity.copy()
    c[:, 0] += problem.gap / problem.dt
    upper, shift = sp.triu(A * scale).tocsc(), np.zeros(m)
    cones = [clarabel.SecondOrderConeT(3)] * m
    for _ in range(updates):
        b = rows * c
        b[:, 0] += shift / mu
        for precision in (1e-12, 1e-10, 1e-9):  # the tightest that the interior-point method can reach
            options = clarabel.DefaultSettings()
            options.verbose = False
            options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = precision
            solution = clarabel.DefaultSolver(upper, np.zeros(n), (-G).tocsc(), b.ravel(), cones, options).solve()
            if str(solution.status) in ("Solved", "AlmostSolved"):
                break
        else:
            raise AssertionError(f"Clarabel: {solution.status}")
        x = np.array(solution.x)
        u = (problem.jacobian() @ x).reshape(m, 3) + c
        before, shift = shift, mu * np.linalg.norm(u[:, 1:], axis=1)
        if np.abs(shift - before).max() <= tolerance:
            return x.reshape(-1, 3)
    raise AssertionError(f"the shifts still change by {np.abs(shift - before).max():g} m/s")

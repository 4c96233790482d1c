"""Solutions of the default solver against a second, independent method (Clarabel), as a markdown table.

    python benchmarks/solver_agreement.py                        problems of up to 600 contacts
    python benchmarks/solver_agreement.py --largest 1200 cubes   larger ones, whose names contain `cubes`

Without friction Clarabel solves the quadratic program; with friction, second-order cone programs for frozen shifts mu |u_t|, by
a fixed-point iteration (Cadoux 2009). Both share nothing with the default solver but the problem. The error is that of dv in
the norm of A, relative to Clarabel's best iterate, whose own residual stands beside it: an interior-point method ends where
its linear algebra does. Rigid bodies on several corners with friction have no unique motion: there the two may differ although
both are right.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import clarabel
import numpy as np
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference.clarabel_qp import solve_clarabel
from reference.measures import relative_error
from signorini.contact.mlcp import Floats, Mlcp
from signorini.settings import SolverSettings
from signorini.solvers import measure, solve
from signorini.studies.problems.collection import load_problem, problem_names

TIGHT = SolverSettings(tolerance=1e-8, relative_tolerance=3e-8)
ACCURATE = 1e-8
"""Residual at which Clarabel's fixed-point iteration ends [m/s]."""
PATIENCE = 12
"""Updates of the shifts without a better iterate until it ends."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What Clarabel says."""

    dv: Floats
    residual: float
    """Largest of its natural maps and dynamics residual [m/s]; not a number without friction, where only dv is known."""


def second_opinion(problem: Mlcp, *, updates: int) -> Opinion:
    """The best iterate of Clarabel."""
    if not problem.friction.any():
        return Opinion(solve_clarabel(problem)[0], math.nan)
    A, m, mu = problem.A.to_scipy(), problem.contact_count, problem.friction
    scale = 1.0 / A.diagonal().mean()
    upper, jacobian = sp.triu(A * scale).tocsc(), sp.csr_matrix(problem.jacobian())
    rows = np.ones((m, 3))
    rows[:, 0] = 1.0 / mu
    c = problem.free_velocity.copy()
    c[:, 0] += problem.gap / problem.dt
    shift, best, since = np.zeros(m), Opinion(np.zeros((problem.node_count, 3)), math.inf), 0
    for _ in range(updates):
        b = rows * c
        b[:, 0] += shift / mu
        x, z = _solve_cones(upper, (-sp.diags(rows.ravel()) @ jacobian).tocsc(), b.ravel())
        dv = x.reshape(-1, 3)
        r = measure(problem, dv, z.reshape(m, 3) * rows / scale, "cone")
        residual, since = max(r.normal, r.friction, r.dynamics), since + 1
        if residual < best.residual:
            best, since = Opinion(dv, residual), 0
        if residual <= ACCURATE or since >= PATIENCE:
            break
        shift = mu * np.linalg.norm((jacobian @ x).reshape(m, 3)[:, 1:] + c[:, 1:], axis=1)
    return best


def _solve_cones(upper: sp.csc_matrix, G: sp.csc_matrix, b: Floats) -> tuple[Floats, Floats]:
    """x and z of one second-order cone program, at the tightest tolerance that Clarabel reaches."""
    solution = None
    for tolerance in (1e-12, 1e-11, 1e-10, 1e-9, 1e-8):
        options = clarabel.DefaultSettings()
        options.verbose = False
        options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = tolerance
        cones = [clarabel.SecondOrderConeT(3)] * (len(b) // 3)
        solution = clarabel.DefaultSolver(upper, np.zeros(upper.shape[0]), G, b, cones, options).solve()
        if str(solution.status) == "Solved":
            break
    assert solution is not None
    return np.array(solution.x), np.array(solution.z)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="only problems whose names contain one of these")
    parser.add_argument("--problems", type=Path, default=Path("problems"))
    parser.add_argument("--largest", type=int, default=600, help="contacts of the largest problem")
    parser.add_argument("--updates", type=int, default=60, help="updates of the shifts at most")
    arguments = parser.parse_args()
    columns = (
        "problem",
        "μ",
        "contacts",
        "error (A-norm)",
        "residual: default",
        "Clarabel",
        "CPU s: default",
        "Clarabel",
    )
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    for name in problem_names(arguments.problems):
        if arguments.parts and not any(part in name for part in arguments.parts):
            continue
        stored = load_problem(arguments.problems, name)
        problem = stored.problem
        if not stored.feasible or problem.contact_count > arguments.largest:
            continue
        begin = time.process_time()
        response = solve(problem, TIGHT)
        own = time.process_time() - begin
        begin = time.process_time()
        exact = second_opinion(problem, updates=arguments.updates)
        other = time.process_time() - begin
        residual = max(response.normal_residual, response.friction_residual, response.dynamics_residual)
        error = relative_error(problem, response.dv, exact.dv)
        cells = (name, f"{stored.friction:g}", str(problem.contact_count), f"{error:.1e}", f"{residual:.0e}")
        print(f"| {' | '.join(cells)} | {exact.residual:.0e} | {own:.2f} | {other:.1f} |", flush=True)


if __name__ == "__main__":
    main()

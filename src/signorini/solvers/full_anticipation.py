"""Full constraint anticipation: the dense complementarity problem of the contacts, for small problems and as an oracle.

Implements: Otaduy2009 §5.1 (Eq. 8), friction as in §5.4
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from signorini.contact.mlcp import Floats, Mlcp, Response, WarmStart
from signorini.contact.residuals import measured_response
from signorini.contact.residuals_kernels import B_22, B_NN, INV_NN, LOCAL_COLUMNS, invert_local
from signorini.errors import ProblemTooLargeError
from signorini.linalg.blas_threads import one_blas_thread
from signorini.settings import SolverSettings
from signorini.solvers import full_anticipation_kernels as kernels
from signorini.solvers.iterates import start_values
from signorini.solvers.named_solvers import named_solver

LARGEST = 6000
"""Rows of the dense matrix B (288 MB); three for every contact."""
MAX_SWEEPS = 20_000
"""Projected Gauss-Seidel sweeps; 200-3,000 are usual."""
PRECISION = 1e-11
"""Sweeps end when velocities change by less than this part of the largest free velocity of a contact."""
FAR_BELOW = 1e-6
"""The same as a part of the tolerance: sweeps beyond that cost minutes with 1,500 contacts, and change nothing."""


@named_solver("full-anticipation", reads=("tolerance", "contact_repeats", "max_iterations", "friction_cone"))
def solve_full_anticipation(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None) -> Response:
    """Eliminate dv with a sparse factorisation of A, B = G A^-1 G' (Eq. 8), and solve for the impulses.

    Projected Gauss-Seidel with the normal and friction of each contact interleaved, as in `solve_ica`, but on the exact
    B and to a precision far below `tolerance`; without friction the active set that it finds is then solved directly.
    """
    m = problem.contact_count
    if 3 * m > LARGEST:
        raise ProblemTooLargeError(
            f"full anticipation needs a dense matrix of 3 x {m} contacts = {3 * m} rows, more than {LARGEST}; "
            "use solver 'ica'"
        )
    _, p = start_values(problem, warm_start, settings.friction_cone)
    factor = spla.splu(problem.A.to_scipy().tocsc(), options={"SymmetricMode": True}, permc_spec="MMD_AT_PLUS_A")
    G = problem.jacobian()
    bias = problem.bias()
    frictionless = not problem.friction.any()
    most = MAX_SWEEPS if settings.max_iterations is None else min(MAX_SWEEPS, settings.max_iterations)
    if frictionless:
        B = build_delassus(factor, sp.csr_matrix(G[0::3]))
        p[:, 1:] = 0.0
        p[:, 0], sweeps = _solve_normals(B, bias[:, 0], p[:, 0].copy(), most)
    else:
        B = build_delassus(factor, G)
        sweeps = _solve_contacts(B, bias, problem.friction, p, settings, most)
    dv = factor.solve(G.T @ p.ravel()).reshape(-1, 3) if m else np.zeros((problem.node_count, 3))
    return measured_response(
        problem, dv, p, tolerance=settings.residual, friction_cone=settings.friction_cone, inner_iterations=sweeps
    )


def build_delassus(factor: spla.SuperLU, G: sp.csr_matrix) -> Floats:
    """B = G A^-1 G', dense and symmetric (Otaduy2009 Eq. 8)."""
    rows, unknowns = len(G.indptr) - 1, factor.shape[0]
    with one_blas_thread():  # on a busy machine several take seventy times as long
        few = unknowns <= rows
        B = G @ (G @ factor.solve(np.eye(unknowns))).T if few else G @ factor.solve(G.T.toarray())
    return 0.5 * (B + B.T)


def _solve_contacts(B: Floats, bias: Floats, mu: Floats, p: Floats, settings: SolverSettings, most: int) -> int:
    """Projected Gauss-Seidel on p (m, 3) in place with friction, in so many sweeps at `most`; the sweeps done."""
    m = len(p)
    if m == 0:
        return 0
    cc = B.reshape(m, 3, m, 3)[np.arange(m), :, np.arange(m), :]
    local = np.zeros((m, LOCAL_COLUMNS))
    local[:, B_NN : B_22 + 1] = np.stack(
        [cc[:, 0, 0], cc[:, 0, 1], cc[:, 0, 2], cc[:, 1, 1], cc[:, 1, 2], cc[:, 2, 2]], axis=1
    )
    invert_local(local)
    p[local[:, INV_NN] == 0.0] = 0.0
    u = (B @ p.ravel()).reshape(m, 3) + bias
    least = max(PRECISION * float(np.abs(bias).max()), FAR_BELOW * settings.residual)
    cone = settings.friction_cone == "cone"
    return kernels.sweep_contacts(B, local, mu, cone, settings.contact_repeats, least, most, u, p)


def _solve_normals(B: Floats, c: Floats, lam: Floats, most: int) -> tuple[Floats, int]:
    """0 <= lam _|_ B lam + c >= 0: sweeps, and the linear system of the active set as soon as it is the right one."""
    if len(c) == 0:
        return lam, 0
    scale = float(np.abs(c).max())
    least = 1e-4 * scale
    total = 0
    lam[np.diag(B) <= 0.0] = 0.0
    while total < most:
        u = B @ lam + c
        total += kernels.sweep_normals(B, max(least, PRECISION * scale), most - total, u, lam)
        exact = _solve_active(B, c, lam, scale)
        if exact is not None:
            return exact, total
        if least <= PRECISION * scale:
            break
        least *= 1e-2
    return lam, total


def _solve_active(B: Floats, c: Floats, lam: Floats, scale: float) -> Floats | None:
    """lam with u = 0 on its active contacts, or None if that is not a solution of the complementarity problem."""
    active = np.flatnonzero(lam > 0.0)
    exact = np.zeros_like(lam)
    if len(active):
        # Duplicate contacts make the block singular; the least-squares solution shares their impulse.
        exact[active] = np.linalg.lstsq(B[np.ix_(active, active)], -c[active])[0]
    u = B @ exact + c
    movable = np.diag(B) > 0.0
    floor = 1e-12 * max(float(exact.max(initial=0.0)), 0.0)
    if exact.min(initial=0.0) < -floor or (u[movable] < -1e-10 * scale).any():
        return None
    return np.maximum(exact, 0.0)

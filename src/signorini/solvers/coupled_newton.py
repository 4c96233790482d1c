"""Newton's method for contact problems that can be factorised, with the sliding speed in the friction cone as an unknown.

The augmented Lagrangian method of `augmented_lagrangian` freezes the shift s = mu |u_t| of De Saxcé and Feng (1998) while it
minimises, which converges slowly where friction is large and normals are opposite, such as in slots, bores and grippers. Here s
follows the velocity: the Newton matrix is not symmetric. It is factorised, as a dense matrix where that is faster.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, lu_factor, lu_solve
from scipy.sparse.linalg import splu

from signorini.contact.mlcp import Floats, Mlcp, WarmStart
from signorini.contact.residuals import LocalResponse
from signorini.contact.residuals_kernels import B_11, B_22, B_NN
from signorini.linalg.blas_threads import one_blas_thread

DENSE = 120
"""Unknowns up to which dense factorisations are faster than sparse ones: 40 nodes, such as 20 rigid bodies."""
PENALTY = 3000.0
"""Penalty of a contact times its local compliance, without unit: the multipliers then settle in 3 to 20 updates. With 300 some
problems need more than 60, with 1e5 rounding begins to count."""
MAX_UPDATES, MAX_STEPS, PATIENCE = 60, 8, 12
"""Updates of the multipliers at most, Newton steps for each, and updates without progress after which the iteration ends."""
EVALUATION, SPARSE_EVALUATION = 50, 60
"""Inner iterations of a contact solve that cost as much as an evaluation of the impulses, with its part of a dense or of a sparse
factorisation."""
ACCURACY = 0.01
"""Residual of the dynamics over the tolerance that ends the Newton steps of an update."""
HALVINGS, MAX_EVALUATIONS = 12, 300
"""Halvings of a Newton step at most that does not reduce the residual, and evaluations of it after which the iteration ends."""
DESCENT = 1e-4
"""Least reduction of the residual over that of the linear model, for a step to be taken."""


class CoupledNewton:
    """Iteration on the velocities x (3 n,) and multipliers (m, 3) of a contact problem."""

    def __init__(self, problem: Mlcp, prepared: LocalResponse, start: WarmStart | None) -> None:
        m, local = problem.contact_count, prepared.local
        self.A, self.G = problem.A.to_scipy(), problem.jacobian()
        self.bias, self.mu = prepared.bias, problem.friction
        self.dense = is_dense(problem)
        if self.dense:
            self.A, self.G = self.A.toarray(), self.G.toarray()
        self.scale = 1.0 / np.sqrt(self.A.diagonal())
        """Square root of the inverse masses: forces times it are comparable whatever the masses are."""
        compliance = (local[:, B_NN] + local[:, B_11] + local[:, B_22]) / 3.0
        movable = prepared.movable
        self.rho = np.where(movable, PENALTY / np.where(movable, compliance, 1.0), 0.0)
        self.x, self.impulse = np.zeros(len(self.scale)), np.zeros((m, 3))
        if start is not None:
            self.x, self.impulse = start.dv.ravel().copy(), start.impulse.copy()
        self.evaluations, self.most = 0, MAX_EVALUATIONS
        """Evaluations of the impulses so far, and at most."""

    def update(self, relative_tolerance: float) -> bool:
        """Newton steps for the present multipliers, which become the impulses then; whether it may go on."""
        p, slopes, force = self._impulses(self.x)
        for _ in range(MAX_STEPS):
            error = self._size(force)
            if error <= ACCURACY * relative_tolerance * self._size(self.G.T @ p.ravel()):
                break
            step = self._step(slopes, force)
            if step is None:
                return False
            length = 1.0
            for _ in range(HALVINGS):
                p, slopes, force = self._impulses(self.x + length * step)
                if self._size(force) < (1.0 - DESCENT * length) * error:
                    break
                length *= 0.5
            self.x = self.x + length * step
        self.impulse = p
        return self.evaluations < self.most

    def _step(self, slopes: Floats, force: Floats) -> Floats | None:
        """The Newton step (3 n,) [m/s] that removes a force (3 n,) to first order; None where the matrix is singular."""
        m, n = len(slopes), len(force)
        try:
            if self.dense:
                matrix = self.A + self.G.T @ (slopes @ self.G.reshape(m, 3, n)).reshape(3 * m, n)
                factor = lu_factor(self.scale[:, None] * matrix * self.scale, check_finite=False)
                solution = lu_solve(factor, -self.scale * force, check_finite=False)
            else:
                diagonal = sp.bsr_matrix((slopes, np.arange(m), np.arange(m + 1)), shape=(3 * m, 3 * m))
                matrix, scale = self.A + self.G.T @ (diagonal.tocsr() @ self.G), sp.diags(self.scale)
                solution = splu(sp.csc_matrix(scale @ matrix @ scale)).solve(-self.scale * force)
        except (LinAlgError, RuntimeError):  # SuperLU says by a RuntimeError that a matrix is singular
            return None
        step = self.scale * solution
        return step if np.isfinite(step).all() else None

    def _size(self, force: Floats) -> float:
        """Size of forces (3 n,) in the norm of the inverse masses."""
        return float(np.linalg.norm(self.scale * force))

    def _impulses(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Impulses (m, 3) of velocities x, minus their derivatives by the contact velocities (m, 3, 3), and A x - G' p."""
        self.evaluations += 1
        u = (self.G @ x).reshape(-1, 3) + self.bias
        speed = np.hypot(u[:, 1], u[:, 2])
        direction = u[:, 1:] / np.where(speed > 0.0, speed, 1.0)[:, None]
        q = self.impulse - self.rho[:, None] * u
        q[:, 0] -= self.rho * self.mu * speed
        p, derivative = project_onto_cones(q, self.mu)
        shifted = np.tile(np.eye(3), (len(u), 1, 1))
        shifted[:, 0, 1:] = self.mu[:, None] * direction
        return p, self.rho[:, None, None] * (derivative @ shifted), self.A @ x - self.G.T @ p.ravel()


def project_onto_cones(q: Floats, mu: Floats) -> tuple[Floats, Floats]:
    """The points (m, 3) of the friction cones nearest to q (m, 3), and the derivatives of that (m, 3, 3)."""
    tau = np.hypot(q[:, 1], q[:, 2])
    stick, opens = (tau <= mu * q[:, 0]) & (q[:, 0] >= 0.0), mu * tau <= -q[:, 0]
    slip = ~stick & ~opens
    p, H = np.where(stick[:, None], q, 0.0), np.zeros((len(q), 3, 3))
    H[stick] = np.eye(3)
    mu, tau, q = mu[slip], tau[slip], q[slip]
    normal = (q[:, 0] + mu * tau) / (1.0 + mu**2)
    along = np.column_stack([np.ones_like(mu), mu[:, None] * q[:, 1:] / tau[:, None]])
    across = np.column_stack([np.zeros_like(mu), -q[:, 2] / tau, q[:, 1] / tau])
    p[slip] = normal[:, None] * along
    H[slip] = (
        along[:, :, None] * along[:, None, :] / (1.0 + mu**2)[:, None, None]
        + (mu * normal / tau)[:, None, None] * across[:, :, None] * across[:, None, :]
    )
    return p, H


def solve_coupled(
    problem: Mlcp,
    prepared: LocalResponse,
    *,
    relative_tolerance: float,
    excess: Callable[[Floats, Floats], float],
    start: WarmStart | None = None,
    most: float = np.inf,
) -> int:
    """Iterate from a start, or from zero impulses; returns the inner iterations of a contact solve that cost as much.

    About `most` of them are used.

    `excess(dv, impulse)` is given every iterate, dv (n, 3) [m/s] and impulse (m, 3) [N s], and returns its residuals over their
    tolerances: 1 is a solution.
    """
    newton, least, since = CoupledNewton(problem, prepared, start), np.inf, 0
    cost = EVALUATION if newton.dense else SPARSE_EVALUATION
    newton.most = int(min(MAX_EVALUATIONS, most / cost))
    with one_blas_thread():
        for _ in range(MAX_UPDATES):
            possible = newton.update(relative_tolerance)
            now = excess(newton.x.reshape(-1, 3), newton.impulse)
            since = since + 1 if now > 0.5 * least else 0
            least = min(least, now)
            if not possible or least <= 1.0 or since == PATIENCE:
                break
    return cost * newton.evaluations


def is_dense(problem: Mlcp) -> bool:
    """Whether the matrices of a problem are small enough to be factorised as dense ones."""
    return 3 * problem.node_count <= DENSE

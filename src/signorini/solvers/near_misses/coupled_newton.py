"""Newton's method for contact problems that can be factorised, with the sliding speed in the friction cone as an unknown.

The augmented Lagrangian method of `augmented_lagrangian` freezes the shift s = mu |u_t| of De Saxcé and Feng (1998) while it
minimises, which converges slowly where friction is large and normals are opposite, such as in slots, bores and grippers. Here s
follows the velocity: the Newton matrix is not symmetric. It is factorised, as a dense matrix where that is faster.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, lu_factor, lu_solve
from scipy.sparse.linalg import splu

from signorini.contact.mlcp import Floats, Mlcp, WarmStart
from signorini.contact.residuals import LocalResponse
from signorini.contact.residuals_kernels import B_11, B_22, B_NN

DENSE = 120
"""Unknowns up to which dense factorisations are faster than sparse ones: 40 nodes, such as 20 rigid bodies."""
MAX_EVALUATIONS, HALVINGS = 20, 3
"""Evaluations of the impulses in which Newton's method must find the velocities of given multipliers, and halvings of a step at
most: a smaller penalty is cheaper than many short steps."""
MEMORY = 5
"""Residuals that a step is compared with: it must be smaller than the largest of the last ones. Where contacts change between
open, sticking and sliding, a full step often raises the residual, and the next one ends the iteration."""
DESCENT = 1e-4
"""Least reduction of the residual over that of the linear model, for a step to be taken."""
ACCURACY = 0.01
"""Residual of the dynamics over its relative tolerance that ends the Newton steps."""
VELOCITY_ACCURACY = 0.1
"""The same over the tolerance [m/s]: the relative one may be far larger where impulses are large."""
EVALUATION, STEP = 10.0, 30.0
"""Inner iterations of a contact solve that cost as much as an evaluation of the impulses, and as a Newton step but for its
factorisation."""
ROWS, FILL, FLOPS = 140.0, 2.0, 0.0086
"""Cost of a factorisation, in nodes and contacts of an inner iteration (which costs as much as ROWS more of them): that of an
entry of the factors, and that of the square of their number over the number of unknowns. Measured with 50 to 1,000 nodes, to a
factor 2."""


class CoupledNewton:
    """Iteration on the velocities x (3 n,) and multipliers (m, 3) of a contact problem."""

    def __init__(
        self,
        problem: Mlcp,
        prepared: LocalResponse,
        start: WarmStart | None,
        *,
        tolerance: float,
        relative_tolerance: float,
    ) -> None:
        m, local = problem.contact_count, prepared.local
        self.A, self.G = problem.A.to_scipy(), problem.jacobian()
        self.bias, self.mu, self.D_inv = prepared.bias, problem.friction, prepared.D_inv
        self.dense = is_dense(problem)
        if self.dense:
            self.A, self.G = self.A.toarray(), self.G.toarray()
        self.tolerance = VELOCITY_ACCURACY * tolerance
        self.relative_tolerance = ACCURACY * relative_tolerance
        self.scale = 1.0 / np.sqrt(self.A.diagonal())
        """Square root of the inverse masses: forces times it are comparable whatever the masses are."""
        compliance = (local[:, B_NN] + local[:, B_11] + local[:, B_22]) / 3.0
        self.stiffness = np.where(prepared.movable, 1.0 / np.where(prepared.movable, compliance, 1.0), 0.0)
        """(m,) inverse of the local compliance of each contact that can move [kg]."""
        self.x, self.impulse = np.zeros(len(self.scale)), np.zeros((m, 3))
        if start is not None:
            self.x, self.impulse = start.dv.ravel().copy(), start.impulse.copy()
        self.cost, self.rows = 0.0, problem.node_count + m + ROWS
        """Inner iterations of a contact solve that cost as much as all evaluations and steps so far."""

    def update(self, penalty: float) -> bool:
        """Find the velocities of the present multipliers; their impulses are the next multipliers. Nothing changes if not found.

        penalty: that of every contact times its local compliance, without unit.
        """
        rho = penalty * self.stiffness
        x, evaluations, residuals = self.x, 1, []
        p, slopes, force = self._impulses(x, rho)
        while not self._is_balanced(p, force):
            residuals.append(self._size(force))
            step = self._step(slopes, force) if evaluations < MAX_EVALUATIONS else None
            if step is None:
                return False
            length, largest = 1.0, max(residuals[-MEMORY:])
            for _ in range(1 + HALVINGS):
                p, slopes, force = self._impulses(x + length * step, rho)
                evaluations += 1
                if self._size(force) < (1.0 - DESCENT * length) * largest:
                    break
                length *= 0.5
            else:
                return False
            x = x + length * step
        self.x, self.impulse = x, p
        return True

    def factorisation_cost(self) -> float:
        """Inner iterations of a contact solve that a factorisation costs; known from one that is made."""
        _, slopes, force = self._impulses(self.x, self.stiffness)
        before = self.cost + STEP
        self._step(slopes, force)
        return self.cost - before

    def _is_balanced(self, p: Floats, force: Floats) -> bool:
        """Whether the impulses p (m, 3) move the nodes as the velocities say, but for a small force (3 n,)."""
        velocity = np.einsum("iab,ib->ia", self.D_inv, force.reshape(-1, 3))
        small = self._size(force) <= self.relative_tolerance * self._size(self.G.T @ p.ravel())
        return bool(small and np.abs(velocity).max() <= self.tolerance)

    def _step(self, slopes: Floats, force: Floats) -> Floats | None:
        """The Newton step (3 n,) [m/s] that removes a force (3 n,) to first order; None where the matrix is singular."""
        m, n = len(slopes), len(force)
        self.cost += STEP
        try:
            if self.dense:
                matrix = self.A + self.G.T @ (slopes @ self.G.reshape(m, 3, n)).reshape(3 * m, n)
                factor = lu_factor(self.scale[:, None] * matrix * self.scale, check_finite=False)
                solution = lu_solve(factor, -self.scale * force, check_finite=False)
            else:
                diagonal = sp.bsr_matrix((slopes, np.arange(m), np.arange(m + 1)), shape=(3 * m, 3 * m))
                matrix, scale = self.A + self.G.T @ (diagonal.tocsr() @ self.G), sp.diags(self.scale)
                factors = splu(sp.csc_matrix(scale @ matrix @ scale))
                solution = factors.solve(-self.scale * force)
                self.cost += (FILL + FLOPS * factors.nnz / n) * factors.nnz / self.rows
        except (LinAlgError, RuntimeError):  # SuperLU says by a RuntimeError that a matrix is singular
            return None
        step = self.scale * solution
        return step if np.isfinite(step).all() else None

    def _size(self, force: Floats) -> float:
        """Size of forces (3 n,) in the norm of the inverse masses."""
        return float(np.linalg.norm(self.scale * force))

    def _impulses(self, x: Floats, rho: Floats) -> tuple[Floats, Floats, Floats]:
        """Impulses (m, 3) of velocities x, minus their derivatives by the contact velocities (m, 3, 3), and A x - G' p.

        rho (m,) are the penalties [kg].
        """
        self.cost += EVALUATION
        u = (self.G @ x).reshape(-1, 3) + self.bias
        speed = np.hypot(u[:, 1], u[:, 2])
        direction = u[:, 1:] / np.where(speed > 0.0, speed, 1.0)[:, None]
        q = self.impulse - rho[:, None] * u
        q[:, 0] -= rho * self.mu * speed
        p, derivative = project_onto_cones(q, self.mu)
        shifted = np.tile(np.eye(3), (len(u), 1, 1))
        shifted[:, 0, 1:] = self.mu[:, None] * direction
        return p, rho[:, None, None] * (derivative @ shifted), self.A @ x - self.G.T @ p.ravel()


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


def is_dense(problem: Mlcp) -> bool:
    """Whether the matrices of a problem are small enough to be factorised as dense ones."""
    return 3 * problem.node_count <= DENSE

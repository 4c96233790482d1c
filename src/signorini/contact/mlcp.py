"""Contact problem of one refinement as plain arrays, and the interface of the solvers that see nothing else.

Implements: Otaduy2009 §3.2-3.4, Eqs. 5-7.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from signorini.checks import told_fields
from signorini.contact.saved_problem import FORMAT, read_saved_problem
from signorini.linalg.block_matrix import BlockMatrix
from signorini.settings import SolverSettings

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Mlcp:
    """Contact problem of one time step, a mixed linear complementarity problem (Otaduy2009 Eq. 7).

    Find dv, lam, gam with (u is the contact velocity in its frame)

        A dv = J' lam + H' gam,          u = [J; H] dv + u_free
        0 <= lam  _|_  u_n + gap / dt >= 0
        |gam| <= mu lam, gam opposes u_t

    The Jacobian is a block-sparse matrix of one block row per contact, compressed by rows: contact c acts on the nodes
    `jacobian_nodes[jacobian_indptr[c]:jacobian_indptr[c+1]]`, and the 3x3 block of each maps the node's velocity to the
    contact frame; row 0 is the normal (J), rows 1 and 2 the tangents (H). A contact may have no node at all (both sides
    prescribed).
    """

    A: BlockMatrix
    """System matrix, n x n blocks of 3x3 [kg]; symmetric positive definite."""
    jacobian_indptr: Ints
    """(m+1,)"""
    jacobian_nodes: Ints
    """(k,)"""
    jacobian_blocks: Floats
    """(k, 3, 3)"""
    gap: Floats
    """(m,) distance along the normal at the start of the step minus contact_distance [m]."""
    free_velocity: Floats
    """(m, 3) u_free: contact velocity in its frame for dv = 0, prescribed motion included [m/s]."""
    friction: Floats
    """(m,) coefficient mu of each contact."""
    dt: float
    """Time step [s]."""
    contact_distance: float = 0.0
    """δ that the gaps are relative to [m]. Only the stop rule `paper` reads it: distances must exceed δ/2."""

    def __repr__(self) -> str:
        return f"Mlcp of {self.contact_count} contacts and {self.node_count} nodes, dt = {self.dt:.4g} s"

    @property
    def node_count(self) -> int:
        return self.A.node_count

    @property
    def contact_count(self) -> int:
        return len(self.gap)

    def jacobian(self) -> sp.csr_matrix:
        """G = [J; H] as a sparse matrix (3m, 3n); rows 3c, 3c+1, 3c+2 are the normal and the tangents of contact c."""
        shape = (3 * self.contact_count, 3 * self.node_count)
        blocks = (self.jacobian_blocks, self.jacobian_nodes, self.jacobian_indptr)
        return sp.csr_matrix(sp.bsr_matrix(blocks, shape=shape)) if self.contact_count else sp.csr_matrix(shape)

    def bias(self) -> Floats:
        """(m, 3) u_free with gap/dt added to the normal [m/s]: a contact is satisfied if row 0 of G dv + bias is not negative."""
        bias = self.free_velocity.copy()
        bias[:, 0] += self.gap / self.dt
        return bias

    def save(self, path: str | Path) -> None:
        """Write the problem to one compressed .npz file."""
        points: dict[str, Any] = {} if self.A.points is None else {"A_points": self.A.points}
        np.savez_compressed(
            path,
            format=np.array(FORMAT),
            A_indptr=self.A.indptr,
            A_indices=self.A.indices,
            A_data=self.A.data,
            jacobian_indptr=self.jacobian_indptr,
            jacobian_nodes=self.jacobian_nodes,
            jacobian_blocks=self.jacobian_blocks,
            gap=self.gap,
            free_velocity=self.free_velocity,
            friction=self.friction,
            dt=np.array(self.dt),
            contact_distance=np.array(self.contact_distance),
            **points,
        )

    @classmethod
    def load(cls, path: str | Path) -> Mlcp:
        """Read a problem that `save` wrote; an `InputError` names what does not fit together."""
        arrays = read_saved_problem(path)
        A = BlockMatrix(*(arrays.pop(name, None) for name in ("A_indptr", "A_indices", "A_data", "A_points")))  # type: ignore[arg-type]
        dt, contact_distance = float(arrays.pop("dt")), float(arrays.pop("contact_distance"))
        return cls(A=A, dt=dt, contact_distance=contact_distance, **arrays)


@dataclass(frozen=True, slots=True)
class WarmStart:
    """Where a solver starts: usually the response of the previous refinement or step, in the new contact frames."""

    __repr__ = told_fields

    dv: Floats
    """(n, 3) velocity correction [m/s]."""
    impulse: Floats
    """(m, 3) lam, gam1, gam2 of each contact in its frame [N s]; zero for new contacts."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a contact solver returns."""

    dv: Floats
    """(n, 3) velocity correction [m/s]."""
    impulse: Floats
    """(m, 3) lam, gam1, gam2 of each contact in its frame [N s]."""
    outer_iterations: int
    inner_iterations: int
    converged: bool
    """The residuals are below the tolerance (or the paper's rule holds)."""
    diverged: bool
    """The residual grew without bound or is not finite: the step should be halved (Otaduy2009 §5.6)."""
    normal_residual: float
    """Natural map max |min(B_ii lam_i, u_n + gap/dt)| [m/s]."""
    friction_residual: float
    """Distance of gam to its projection, as a velocity [m/s]."""
    dynamics_residual: float
    """max |D_A^-1 (A dv - G' p)| [m/s]."""
    dynamics_relative: float
    """|A dv - G' p| / |G' p|."""
    penetration_velocity: float
    """Largest violation max(0, -(u_n + gap/dt)) of the solution [m/s]."""
    infeasible: Ints
    """Contacts that contradict one another, as indices; empty unless the solver proved it. They remain violated."""
    certificate: Floats | None = None
    """(m,) the proof (Farkas): impulses y ≥ 0 of the normals, zero where a contact takes no part, that sum up to 1 and cancel one
    another, and y·(u_free + gap/dt) < 0, so that no velocity satisfies all of them. None if nothing was proven."""

    def __repr__(self) -> str:
        state = "converged" if self.converged else "diverged" if self.diverged else "not converged"
        residual = max(self.normal_residual, self.friction_residual, self.dynamics_residual)
        proven = f", {len(self.infeasible)} contacts contradict one another" if len(self.infeasible) else ""
        return f"Response: {state} after {self.outer_iterations} iterations, residual {residual:.3g} m/s{proven}"


class ContactSolver(Protocol):
    """Solver of contact problems: any callable with these arguments, also from outside of this package.

    Returns a `Response`; `measured_response` makes one from dv and impulse alone. One that is not finite counts as diverged, and
    the time step is then halved. A solver with settings of its own is an object that has them as fields, and `__call__`.
    """

    def __call__(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None, /) -> Response:
        """Solve the problem.

        settings: what is asked of every solver, `settings.tolerance` [m/s] above all; the defaults in a simulation, and the
        values of the measurement in `signorini bench solvers`. warm_start: where to start, None for zero; the impulses of the
        previous frames, which may lie outside the friction cones of the new ones by a little.
        """
        ...

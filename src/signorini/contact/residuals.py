"""Residuals of a contact problem: the errors of a velocity correction and its impulses, as velocities [m/s].

Implements: Otaduy2009 Eq. 7, as natural maps
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.contact import residuals_kernels as kernels
from signorini.contact.mlcp import Floats, Ints, Mlcp, Response
from signorini.settings import FrictionCone


@dataclass(frozen=True, slots=True)
class Residuals:
    """The fields of `Response` that say how good it is."""

    normal: float
    """max |min(B_ii lam_i, u_n + gap/dt)| over the contacts that can move something [m/s]; B = G D_A^-1 G'."""
    friction: float
    """Largest distance of gam to its projection after a step against the sliding velocity, times B_ii [m/s]."""
    dynamics: float
    """max |D_A^-1 (A dv - G' p)| [m/s]."""
    dynamics_relative: float
    """|A dv - G' p| / |G' p|; 0 when both are zero."""
    dynamics_impulse: float
    """|A dv - G' p| [N s]"""
    penetration_velocity: float
    """max(0, -(u_n + gap/dt)) over all contacts, also those that nothing can move [m/s]."""


@dataclass(frozen=True, slots=True)
class LocalResponse:
    """Local response of each contact by the block diagonal D_A of A: D_A^-1, D_A^-1 G', the 3x3 blocks of B = G D_A^-1 G'."""

    D_inv: Floats
    """(n, 3, 3)"""
    response: Floats
    """(k, 3, 3) D_A^-1 G_k' of every Jacobian block."""
    local: Floats
    """(m, 10) block of B of each contact and its inverses; the columns are named in `residuals_kernels`."""
    bias: Floats
    """(m, 3) `Mlcp.bias` [m/s]."""

    @property
    def movable(self) -> NDArray[np.bool_]:
        """(m,) whether an impulse along the normal of a contact moves anything."""
        return self.local[:, kernels.INV_NN] > 0.0


def build_local_response(problem: Mlcp) -> LocalResponse:
    """Invert the diagonal blocks of A and anticipate each contact with them (Otaduy2009 Eqs. 10, 13, 14)."""
    D_inv = problem.A.inverse_diagonal_blocks()
    response = np.empty_like(problem.jacobian_blocks)
    local = np.empty((problem.contact_count, kernels.LOCAL_COLUMNS))
    kernels.local_blocks(
        problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks, D_inv, response, local
    )
    return LocalResponse(D_inv, response, local, problem.bias())


def measure(
    problem: Mlcp,
    dv: Floats,
    impulse: Floats,
    friction_cone: FrictionCone = "cone",
    *,
    prepared: LocalResponse | None = None,
) -> Residuals:
    """The residuals of dv (n, 3) and impulse (m, 3), computed from the problem alone.

    `prepared` saves time where `build_local_response(problem)` is at hand.
    """
    prepared = prepared or build_local_response(problem)
    A, jacobian = problem.A, (problem.jacobian_indptr, problem.jacobian_nodes, problem.jacobian_blocks)
    contacts, dynamics = np.empty(4), np.empty(3)
    kernels.dynamics_residuals(A.indptr, A.indices, A.data, *jacobian, prepared.D_inv, dv, impulse, dynamics)
    kernels.contact_residuals(
        *jacobian, prepared.local, prepared.bias, problem.friction, friction_cone == "cone", dv, impulse, contacts
    )
    largest, size, force = dynamics.tolist()
    return Residuals(
        normal=float(contacts[0]),
        friction=float(contacts[1]),
        dynamics=largest,
        dynamics_relative=size / force if force > 0.0 else (0.0 if size == 0.0 else float("inf")),
        dynamics_impulse=size,
        penetration_velocity=float(contacts[2]),
    )


def build_response(
    dv: Floats,
    impulse: Floats,
    residuals: Residuals,
    *,
    outer_iterations: int,
    inner_iterations: int,
    converged: bool,
    diverged: bool = False,
    infeasible: Ints | None = None,
    certificate: Floats | None = None,
) -> Response:
    """A `Response` from its parts."""
    return Response(
        dv=dv,
        impulse=impulse,
        outer_iterations=outer_iterations,
        inner_iterations=inner_iterations,
        converged=converged,
        diverged=diverged,
        normal_residual=residuals.normal,
        friction_residual=residuals.friction,
        dynamics_residual=residuals.dynamics,
        dynamics_relative=residuals.dynamics_relative,
        penetration_velocity=residuals.penetration_velocity,
        infeasible=np.zeros(0, dtype=np.int32) if infeasible is None else infeasible,
        certificate=certificate,
    )


def measured_response(
    problem: Mlcp,
    dv: Floats,
    impulse: Floats,
    *,
    tolerance: float,
    friction_cone: FrictionCone = "cone",
    outer_iterations: int = 1,
    inner_iterations: int = 0,
) -> Response:
    """The `Response` of a solver that found dv (n, 3) [m/s] and impulse (m, 3) [N s], with its residuals measured.

    It is converged if the residuals of normals, friction and dynamics are at most `tolerance` [m/s], and diverged if one of
    them is not finite.
    """
    residuals = measure(problem, dv, impulse, friction_cone)
    worst = max(residuals.normal, residuals.friction, residuals.dynamics)
    finite = bool(np.isfinite(dv).all() and np.isfinite(impulse).all())
    return build_response(
        dv,
        impulse,
        residuals,
        outer_iterations=outer_iterations,
        inner_iterations=inner_iterations,
        converged=finite and worst <= tolerance,
        diverged=not finite,
    )


def empty_response(problem: Mlcp) -> Response:
    """The `Response` to a problem without contacts: nothing is corrected."""
    zeros = np.zeros((problem.node_count, 3)), np.zeros((0, 3))
    return build_response(*zeros, measure(problem, *zeros), outer_iterations=0, inner_iterations=0, converged=True)

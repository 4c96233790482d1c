"""Responses that are not solved, scaled back until they cannot add energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse.linalg import splu

from signorini.contact.mlcp import Floats, Mlcp, Response
from signorini.contact.residuals import measure
from signorini.settings import FrictionCone

EXPLAINED = 1e-3
"""|A dv - G' p| / |G' p| up to which dv counts as the motion that belongs to the impulses p."""


def bounded_response(problem: Mlcp, response: Response, *, friction_cone: FrictionCone = "cone") -> Response:
    """The response with dv and impulses scaled by s = clip(-p·u* / |dv|², 0, 1), |dv| in the norm of A; never `converged`.

    u* is the free contact velocity, all three rows. With A dv = G' p this is the least energy |v* + s dv|² along the ray, so
    that a response with fixed obstacles never leaves more energy than there was: |v* + s dv| ≤ |v*|. A dv that its impulses do
    not explain is replaced by A^-1 G' p first. What is not finite becomes zero.
    """
    dv, impulse = response.dv, response.impulse
    scale = 0.0
    if np.isfinite(dv).all() and np.isfinite(impulse).all():
        if not measure(problem, dv, impulse, friction_cone).dynamics_relative <= EXPLAINED:
            dv = _motion_of(problem, impulse)
        energy = float(np.vdot(dv, problem.A.times(dv)))
        work = float(np.vdot(impulse, problem.free_velocity))
        if energy > 0.0 and np.isfinite(energy) and np.isfinite(work):
            scale = min(max(-work / energy, 0.0), 1.0)
    dv = scale * dv if scale > 0.0 else np.zeros_like(dv)
    impulse = scale * impulse if scale > 0.0 else np.zeros_like(impulse)
    residuals = measure(problem, dv, impulse, friction_cone)
    return replace(
        response,
        dv=dv,
        impulse=impulse,
        converged=False,
        diverged=False,
        normal_residual=residuals.normal,
        friction_residual=residuals.friction,
        dynamics_residual=residuals.dynamics,
        dynamics_relative=residuals.dynamics_relative,
        penetration_velocity=residuals.penetration_velocity,
    )


def _motion_of(problem: Mlcp, impulse: Floats) -> Floats:
    """(n, 3) dv = A^-1 G' p."""
    force = problem.jacobian().T @ impulse.ravel()
    A = problem.A.to_scipy().tocsc()
    factor = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.ascontiguousarray(factor.solve(force).reshape(-1, 3))

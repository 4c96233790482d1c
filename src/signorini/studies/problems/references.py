"""Reference solutions that the bench measures errors against, and warm starts for problems that no simulation made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.settings import FrictionCone, SolverSettings
from signorini.solvers import measure, solve
from signorini.studies.problems.rows import Floats

GOOD = 1e-5
"""Largest residual of a reference solution [m/s]."""
DENSE = 450
"""Contacts of a problem at most for which full anticipation is tried."""
ICA_ITERATIONS = 4000
"""Outer iterations of ICA at most."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The velocity correction of an accurate solution with one model of friction."""

    dv: Floats
    """(n, 3) [m/s]"""
    residual: float
    """Largest of its natural maps and dynamics residual [m/s]."""


def find_reference(problem: Mlcp, cone: FrictionCone) -> Reference | None:
    """The best of several solvers, each started from the one before; None when none came close."""
    best: Reference | None = None
    start: WarmStart | None = None
    for settings in _attempts(problem, cone):
        response = solve(problem, settings, start)
        residual = worst_residual(problem, response, cone)
        if np.isfinite(residual) and (best is None or residual < best.residual):
            best = Reference(response.dv, residual)
            start = WarmStart(response.dv, response.impulse)
        if best is not None and best.residual <= 1e-9:
            break
    return best if best is not None and best.residual <= GOOD else None


def worst_residual(problem: Mlcp, response: Response, cone: FrictionCone) -> float:
    """Largest of the natural maps and the dynamics residual [m/s], measured from the problem alone."""
    r = measure(problem, response.dv, response.impulse, cone)
    return max(r.normal, r.friction, r.dynamics)


def warm_from_neighbour(problem: Mlcp, seed: int = 0) -> WarmStart:
    """The solution of a slightly different problem, as the step before would have left it."""
    rng = np.random.default_rng(seed)
    m = problem.contact_count
    changed = replace(
        problem,
        free_velocity=problem.free_velocity * rng.uniform(0.9, 1.0, size=(m, 1)),
        gap=problem.gap + rng.uniform(0.0, 0.01, size=m) * problem.dt,
    )
    response = solve(changed, SolverSettings(tolerance=1e-4, relative_tolerance=3e-4))
    return WarmStart(response.dv, response.impulse)


def _attempts(problem: Mlcp, cone: FrictionCone) -> list[SolverSettings]:
    found = []
    exact = cone == "cone" or not problem.friction.any()
    if exact:
        for tolerance in (1e-5, 1e-7, 1e-9):
            found.append(SolverSettings(tolerance=tolerance, relative_tolerance=3.0 * tolerance))
    else:
        found.append(_ica(cone))
    if problem.contact_count <= DENSE:
        found.append(SolverSettings(name="full-anticipation", friction_cone=cone, tolerance=1e-9))
    elif exact:
        found.append(_ica(cone))
    return found


def _ica(cone: FrictionCone) -> SolverSettings:
    return SolverSettings(
        name="ica", friction_cone=cone, tolerance=1e-9, relative_tolerance=1e-9, max_outer=ICA_ITERATIONS
    )

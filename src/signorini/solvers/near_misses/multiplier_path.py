"""Path of the multipliers of a contact problem with growing penalties, from near a solution or from zero to the solution.

An update of multipliers with a penalty ρ moves them by ρ times what is violated. Where many impulses balance the same forces, as
in the joints of an arch, a tiny violation remains until they have moved far: thousands of updates with one penalty. Here it grows
tenfold after each update, and is drawn back where contacts open, stick or slide in between and Newton's method loses its way.

Implements: the proximal point method (Rockafellar 1976) for the contact laws of De Saxcé and Feng (1998)
"""

from __future__ import annotations

from collections.abc import Callable

from signorini.contact.mlcp import Floats, Mlcp, WarmStart
from signorini.contact.residuals import LocalResponse
from signorini.linalg.blas_threads import one_blas_thread
from signorini.solvers.near_misses.coupled_newton import CoupledNewton

FIRST, COLD, LEAST, LARGEST = 1e3, 10.0, 0.1, 1e8
"""Penalties times the local compliance, without unit: the first one from a start, and from zero; the least one, at which the path
ends, for with it the augmented Lagrangian method is as good; the largest one, above which rounding of velocities counts."""
GROWTH, SLOWEST = 10.0, 1.2
"""Factor from a penalty to the next at most, and at least after failures."""
CAUTION, RECOVERY = 0.5, 1.7
"""Exponents of that factor after a failure and after a success. Of 99 problems of arches 92 to 97 are solved with exponents,
factors and limits of Newton's method that are changed by half, at about the same cost."""
RETREAT, FAR_RETREAT = 1.5, 3.0
"""Exponent of the new factor by which a penalty that failed is reduced, and the reduction where the factor is the least."""
PATIENCE = 5
"""Updates with the largest penalty that do not halve the residual, after which the path ends: where contacts contradict one
another, multipliers grow without end."""
CHEAP = 50.0
"""Inner iterations of a contact solve that a cheap factorisation costs at most: those of rigid bodies cost 5 to 20, of sheets and
solids 200 to 2,500."""
MAX_COST = 9000.0
"""Inner iterations of a contact solve that a path may cost without halving the residual: about 300 evaluations of the impulses
and 200 Newton steps."""


def solve_coupled(
    problem: Mlcp,
    prepared: LocalResponse,
    *,
    tolerance: float,
    relative_tolerance: float,
    excess: Callable[[Floats, Floats], float],
    start: WarmStart | None = None,
    most: float = float("inf"),
    dear: bool = True,
) -> int:
    """Follow the path from a start, or from zero impulses; returns the inner iterations of a contact solve that cost as much.

    About `most` of them are used, and few if the factorisations cost more than CHEAP and not `dear`. tolerance [m/s] and
    relative_tolerance are those of the dynamics.

    `excess(dv, impulse)` is given every iterate, dv (n, 3) [m/s] and impulse (m, 3) [N s], and returns its residuals over their
    tolerances: 1 is a solution.
    """
    newton = CoupledNewton(problem, prepared, start, tolerance=tolerance, relative_tolerance=relative_tolerance)
    penalty, factor = COLD if start is None else FIRST, GROWTH
    least, since, limit = float("inf"), 0, MAX_COST
    with one_blas_thread():
        if not dear and newton.factorisation_cost() > CHEAP:
            return int(newton.cost)
        while newton.cost < min(most, limit) and penalty >= LEAST and since < PATIENCE:
            if not newton.update(penalty):
                factor = max(factor**CAUTION, SLOWEST)
                penalty /= factor**RETREAT if factor > SLOWEST else FAR_RETREAT
                continue
            now = excess(newton.x.reshape(-1, 3), newton.impulse)
            if now <= 1.0:
                break
            since = since + 1 if penalty == LARGEST else 0
            if now <= 0.5 * least:
                least, since, limit = now, 0, newton.cost + MAX_COST
            penalty, factor = min(penalty * factor, LARGEST), min(factor**RECOVERY, GROWTH)
    return int(newton.cost)

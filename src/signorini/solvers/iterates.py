"""Iterates of a contact solve: where it starts, the present one, and the best one by measured residuals."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from signorini.contact.friction_cone_kernels import limit_impulses
from signorini.contact.mlcp import Floats, Mlcp, WarmStart
from signorini.contact.residuals import Residuals, build_local_response, measure
from signorini.errors import InputError
from signorini.linalg.ordering import Ordering, order_nodes
from signorini.settings import FrictionCone, SolverSettings
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation.arrays import Relaxation, build_relaxation
from signorini.solvers.relaxation_rules import NEGLIGIBLE
from signorini.solvers.room import lease_room


class Iterates:
    """The present iterate of a solve with the friction cone, and the best one that was measured."""

    def __init__(self, problem: Mlcp, settings: SolverSettings, start: WarmStart | None) -> None:
        self.problem, self.settings = problem, settings
        self.prepared, self.room = build_local_response(problem), lease_room()
        self.arrays = problem_arrays(problem, self.prepared)
        self.dv, self.impulse = start_values(problem, start, "cone")
        self.best: tuple[float, Floats, Floats, Residuals] | None = None
        """Residuals over their tolerances, dv, impulse and residuals of the best iterate."""
        self.feasible = False
        """Whether an iterate satisfies all normal rows: no two contacts contradict one another then."""

    @cached_property
    def ordering(self) -> Ordering:
        """The order of nodes in which several threads can work."""
        return order_nodes(self.problem.A, self.problem.jacobian_indptr, self.problem.jacobian_nodes)

    @cached_property
    def relaxation(self) -> Relaxation:
        """The arrays of relaxation."""
        return build_relaxation(self.problem, self.prepared, self.ordering, self.room)

    def offer(self, dv: Floats, impulse: Floats) -> float:
        """Go to an iterate of another method; returns its residuals over their tolerances."""
        self.dv, self.impulse = dv, impulse
        return self.measure()

    def measure(self) -> float:
        """Measure the present iterate and keep it if it is the best; returns its residuals over their tolerances."""
        r = self.residuals()
        excess = self.excess(r)
        self.feasible = self.feasible or r.penetration_velocity <= self.settings.residual
        if self.best is None or excess < self.best[0]:
            self.best = excess, self.dv, self.impulse, r
        return excess

    def leave_best(self) -> None:
        """Continue on copies, so that the best iterate stays as it is."""
        self.dv, self.impulse = self.dv.copy(), self.impulse.copy()

    def residuals(self) -> Residuals:
        """The residuals of the present iterate."""
        return measure(self.problem, self.dv, self.impulse, "cone", prepared=self.prepared)

    def excess(self, r: Residuals) -> float:
        """The largest ratio of a residual to its tolerance; infinite if one is not a number, which comparisons would lose."""
        if not np.isfinite(r.dynamics):
            return np.inf
        # A contact that nothing can move but that is violated makes the problem infeasible: that is no solution either.
        worst = max(r.normal, r.friction, r.dynamics, r.penetration_velocity) / self.settings.residual
        relative = r.dynamics_relative / self.settings.relative_tolerance
        negligible = NEGLIGIBLE * self.settings.residual * self.arrays.mass
        return max(worst, relative) if r.dynamics_impulse > negligible else worst

    @property
    def is_solved(self) -> bool:
        """Whether the best iterate is a solution."""
        return self.best is not None and self.best[0] <= 1.0


def start_values(problem: Mlcp, warm_start: WarmStart | None, friction_cone: FrictionCone) -> tuple[Floats, Floats]:
    """Fresh arrays dv (n, 3) and impulse (m, 3) to start from, the impulses inside their pyramids or cones."""
    if warm_start is None:
        return np.zeros((problem.node_count, 3)), np.zeros((problem.contact_count, 3))
    check_start(problem, warm_start)
    dv, impulse = warm_start.dv.copy(), warm_start.impulse.copy()
    limit_impulses(impulse, problem.friction, friction_cone == "cone")
    impulse[np.diff(problem.jacobian_indptr) == 0] = 0.0
    return dv, impulse


def check_start(problem: Mlcp, warm_start: WarmStart) -> None:
    """Refuse a warm start of another problem."""
    n, m = problem.node_count, problem.contact_count
    if warm_start.dv.shape != (n, 3) or warm_start.impulse.shape != (m, 3):
        raise InputError(
            f"warm start has dv {warm_start.dv.shape} and impulse {warm_start.impulse.shape}, "
            f"but the problem has {n} nodes and {m} contacts"
        )

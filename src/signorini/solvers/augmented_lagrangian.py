"""The default solver: relaxation while it is quick, else an augmented Lagrangian with a semismooth Newton method.

Solves the problem of Otaduy2009 Eq. 7 with the exact Coulomb cone (decision 0004).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from signorini.contact.mlcp import Floats, Mlcp, Response, WarmStart
from signorini.contact.residuals import Residuals, build_local_response, build_response, empty_response, measure
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian_loop_kernels as newton
from signorini.solvers import ica_loop_kernels as relaxation
from signorini.solvers.named_solvers import named_solver
from signorini.solvers.near_contacts import solve_near
from signorini.solvers.newton_matrix import NewtonMatrix, build_newton_matrix
from signorini.solvers.problem_arrays import problem_arrays
from signorini.solvers.relaxation_rules import Rules
from signorini.solvers.start_values import start_values

PENALTY = 3.0
"""σ: penalty of a contact times its local compliance; between 1 and 10 the time hardly changes on cloth."""
TURNS = ((100, 5, 6, 25, 1.0), (1000, 20, 0, 60, 0.3), (4000, 50, 0, 300, 0.05))
"""Relaxation and augmented Lagrangian take turns. For each turn: the iterations that relaxation may take, and may seem to
need, before it gives up; the iterations from which that is judged; those between two extrapolations (later turns come where
friction does not settle, and plain relaxation ends what an extrapolated one keeps stirring up); multiplier updates of the
augmented Lagrangian at most; and the part of the tolerance that it aims at: what one turn did not solve needs more accurate
Newton steps."""
PATIENCE, PER_CG, CG_PER_NEWTON = 20, 0.33, 5
"""Relaxation is not judged before so many iterations; in later turns not before it has cost as much as the augmented Lagrangian
did in the turn before: an iteration costs about as much as three of conjugate gradients, a Newton step as five."""
REFRESH = 8
"""Iterations of relaxation between two looks at all contacts; in between those that stay open are left out."""
IMPROVE, FINEST = 0.1, 1e-4
"""A start that is good already must be improved to this part of its residuals, down to a part of the tolerances: at rest the
errors of one step would be the start of the next, and bodies would creep."""
POLISH = 5
"""Multiplier updates at most of a problem that is solved to the tolerance and to be improved."""
NEGLIGIBLE = 1e-3
"""Part of the tolerance below which an error of the dynamics is none, however small the forces are."""
MAX_CG = 30_000
"""Conjugate-gradient iterations of one turn."""
TIGHTER, TIGHTEST = 0.3, 0.02
"""The method's own measure depends on its penalties: where the measured residuals are larger it aims lower, down to a part
of the tolerance."""


@named_solver(
    "augmented-lagrangian", reads=("tolerance", "relative_tolerance", "improve_start", "max_inner", "contact_repeats")
)
def solve_augmented_lagrangian(
    problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None
) -> Response:
    """Solve the contact problem; the multipliers are impulses [N s] and start from `warm_start`.

    With K the friction cone and u the contact velocity (gap/dt added to its normal), a solution has
    lam = P_K(lam - rho (u + mu |u_t| n)) for any rho > 0 (De Saxcé and Feng 1998). For a frozen shift s = mu |u_t| this is
    a convex problem: the outer loop updates lam and s, the inner loop minimises the smooth augmented Lagrangian
    ½ x'A x + Σ |P_K(lam - rho (u + s n))|² / (2 rho) over x = dv by Newton steps with conjugate gradients.

    Easy problems are cheaper by relaxation (ICA with the cone), which also ends much of what the augmented Lagrangian cannot:
    both take turns, each from where the other stopped, and relaxation stops as soon as it would be slow. The response is the
    best iterate by measured residuals. Contacts that are far from closing are left out until they are needed. Of an
    infeasible problem the response is a compromise: the contacts that contradict each other keep a penalty but no
    multiplier, and are named in `infeasible`.
    """
    if problem.contact_count == 0:
        return empty_response(problem)
    return solve_near(problem, warm_start, lambda part, start: _Turns(part, settings, start).take())


class _Turns:
    """One solve: the present iterate, the best one that was measured, and what they cost."""

    def __init__(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None) -> None:
        self.problem, self.settings = problem, settings
        self.prepared = build_local_response(problem)
        self.arrays = problem_arrays(problem, self.prepared)
        self.dv, self.impulse = start_values(problem, warm_start, "cone")
        self.best: tuple[float, Floats, Floats, Residuals] | None = None
        self.outer = self.inner = 0
        self.finite = True
        self.patience = PATIENCE
        self.gives_way = np.zeros(problem.contact_count, dtype=np.uint8)
        self.part = 1.0
        """Of the tolerances: what this solve tries to reach."""
        if warm_start is not None and settings.improve_start:
            self.part = min(1.0, max(IMPROVE * self._excess(self._residuals()), FINEST))

    def take(self) -> Response:
        """All turns that are needed."""
        for horizon, look_back, period, updates, aim in TURNS:
            if self.relax(horizon, look_back, period) or self.update_multipliers(updates, aim) or self.are_over():
                break
        return self.response()

    def relax(self, horizon: int, look_back: int, period: int) -> bool:
        """ICA with the cone while it promises to end soon; whether the problem is solved."""
        settings, counts = self.settings, np.zeros(2, dtype=np.int64)
        if self.best is not None:
            self._leave_best()
        rules = Rules(
            cone=True,
            paper=False,
            tolerance=self.part * settings.tolerance,
            relative_tolerance=self.part * settings.relative_tolerance,
            allowed_penetration=settings.tolerance,
            max_outer=horizon,
            max_inner=settings.max_inner,
            repeats=settings.contact_repeats,
            horizon=horizon,
            look_back=look_back,
            patience=self.patience,
            refresh=REFRESH,
            period=period,
        )
        status = relaxation.iterate(self.arrays, rules, None, self.dv, self.impulse, counts)
        self._count(counts[0], counts[1])
        self._measure()
        return status == relaxation.CONVERGED and self._is_solved

    def update_multipliers(self, max_outer: int, aim: float) -> bool:
        """The augmented Lagrangian method; whether the problem is solved."""
        matrix, rho = self._newton
        rho, counts = rho.copy(), np.zeros(3, dtype=np.int64)
        tolerance, relative_tolerance = (
            aim * self.part * self.settings.tolerance,
            self.part * self.settings.relative_tolerance,
        )
        least = TIGHTEST * self.part * self.settings.tolerance
        if self._is_solved:
            max_outer = POLISH
        while True:
            self._leave_best()
            status = newton.iterate(
                self.arrays, matrix, rho, self.gives_way, tolerance, relative_tolerance, max_outer, MAX_CG,
                self.dv, self.impulse, counts,
            )  # fmt: skip
            self.finite = status != newton.NOT_FINITE
            self._measure()
            if self._is_reached or status != newton.CONVERGED or tolerance <= least:
                break
            tolerance *= TIGHTER
        self._count(counts[0], counts[2])
        self.patience = int(PER_CG * (counts[2] + CG_PER_NEWTON * counts[1]))
        return self._is_solved

    def are_over(self) -> bool:
        """Whether a further turn is of no use."""
        return self._is_solved or not self.finite or bool(self.gives_way.any())

    def response(self) -> Response:
        """The best iterate; of an infeasible problem the last one."""
        assert self.best is not None
        _, dv, impulse, residuals = self.best
        infeasible = None
        if not self._is_solved:
            stuck = (self.prepared.local[:, 6] == 0.0) & (self.prepared.bias[:, 0] < -self.settings.tolerance)
            infeasible = np.flatnonzero(stuck | (self.gives_way > 0)).astype(np.int32)
        return build_response(
            dv,
            impulse,
            residuals,
            outer_iterations=self.outer,
            inner_iterations=self.inner,
            converged=self._is_solved,
            diverged=not self.finite,
            infeasible=infeasible,
        )

    @cached_property
    def _newton(self) -> tuple[NewtonMatrix, Floats]:
        local = self.prepared.local
        compliance = (local[:, 0] + local[:, 3] + local[:, 5]) / 3.0
        movable = local[:, 6] > 0.0
        rho = np.where(movable, PENALTY / np.where(movable, compliance, 1.0), 0.0)
        return build_newton_matrix(self.problem), rho

    def _count(self, outer: int, inner: int) -> None:
        self.outer += int(outer)
        self.inner += int(inner)

    def _leave_best(self) -> None:
        """Work on copies from now on: the best iterate stays as it is."""
        self.dv, self.impulse = self.dv.copy(), self.impulse.copy()

    def _measure(self) -> None:
        """Keep the present iterate if it is the best (or a compromise)."""
        r = self._residuals()
        excess = self._excess(r)
        if self.best is None or excess < self.best[0] or self.gives_way.any():
            self.best = excess, self.dv, self.impulse, r

    def _residuals(self) -> Residuals:
        return measure(self.problem, self.dv, self.impulse, "cone", prepared=self.prepared)

    def _excess(self, r: Residuals) -> float:
        """Residuals over tolerances, the largest."""
        # A contact that nothing can move but that is violated makes the problem infeasible: that is no solution either.
        worst = max(r.normal, r.friction, r.dynamics, r.penetration_velocity) / self.settings.tolerance
        relative = r.dynamics_relative / self.settings.relative_tolerance
        return max(worst, relative) if r.dynamics > NEGLIGIBLE * self.settings.tolerance else worst

    @property
    def _is_reached(self) -> bool:
        return self.best is not None and self.best[0] <= self.part

    @property
    def _is_solved(self) -> bool:
        return self.best is not None and self.best[0] <= 1.0

"""Augmented Lagrangian solver, the default: relaxation while it converges fast, else multipliers with a semismooth Newton method.

Solves the problem of Otaduy2009 Eq. 7 with the exact Coulomb cone (decision 0004).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from signorini.contact.feasibility import Feasibility, examine, relaxed_problem
from signorini.contact.mlcp import Floats, Mlcp, Response, WarmStart
from signorini.contact.residuals import build_response, empty_response, measure
from signorini.contact.residuals_kernels import B_11, B_22, B_NN
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian_loop_kernels as newton
from signorini.solvers import ica_loop_kernels as relaxation
from signorini.solvers.coupled_newton import EVALUATION, LARGEST, solve_coupled
from signorini.solvers.iterates import Iterates, start_values
from signorini.solvers.named_solvers import named_solver
from signorini.solvers.near_contacts import solve_near
from signorini.solvers.newton_matrix import NewtonMatrix, build_newton_matrix
from signorini.solvers.relaxation_rules import (
    CG_PER_NEWTON,
    EXAMINATION,
    FAR_OFF,
    FEW_NODES,
    ITERATIONS_PER_CG,
    MAX_CG,
    PATIENCE,
    PENALTY,
    POLISHING_UPDATES,
    REFRESH,
    RETRY_ROUNDS,
    ROUNDS,
    SMALLEST_AIM,
    SMALLEST_GOAL,
    START_IMPROVEMENT,
    TIGHTENING,
    Round,
    Rules,
)


@named_solver(
    "augmented-lagrangian",
    reads=(
        "tolerance", "relative_tolerance", "improve_start", "max_inner", "contact_repeats", "max_iterations", "compromise",
    ),
)  # fmt: skip
def solve_augmented_lagrangian(
    problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None = None
) -> Response:
    """Solve the contact problem; the multipliers are impulses [N s] and start from `warm_start`.

    With K the friction cone and u the contact velocity (gap/dt added to its normal), a solution has
    lam = P_K(lam - rho (u + mu |u_t| n)) for any rho > 0 (De Saxcé and Feng 1998). For a frozen shift s = mu |u_t| this is
    a convex problem: the outer loop updates lam and s, the inner loop minimises the smooth augmented Lagrangian
    ½ x'A x + Σ |P_K(lam - rho (u + s n))|² / (2 rho) over x = dv by Newton steps with conjugate gradients.

    Easy problems are cheaper by relaxation (ICA with the cone), which also solves many that the augmented Lagrangian does not:
    both take turns in ROUNDS, each from where the other stopped, and relaxation stops as soon as it would be slow. The response
    is the best iterate by measured residuals. Contacts that are far from closing are left out until they are needed. What is not
    solved is examined for contradictions and, if there are none, solved again from a cold start and from the solution
    without friction. The response to a problem that is proven to be infeasible is a compromise: contacts that contradict one
    another yield as little as possible and are named in `infeasible`; all others are satisfied.
    """
    if problem.contact_count == 0:
        return empty_response(problem)
    return solve_near(problem, warm_start, lambda part, start: _Solve(part, settings, start).run())


class _Solve(Iterates):
    """One solve: its iterates, the iterations so far, and which method has its turn."""

    def __init__(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None) -> None:
        super().__init__(problem, settings, warm_start)
        self.warm_start = warm_start
        self.outer = self.inner = 0
        self.most = np.inf if settings.max_iterations is None else settings.max_iterations
        """Inner iterations at most."""
        self.finite = True
        self.patience = PATIENCE
        self.suspect = self.trusted = False
        """Whether it seems to be infeasible, and whether that was looked for already."""
        self.goal = 1.0
        """Part of the tolerances that this solve tries to reach."""
        if warm_start is not None and settings.improve_start:
            self.goal = min(1.0, max(START_IMPROVEMENT * self.excess(self.residuals()), SMALLEST_GOAL))

    def run(self) -> Response:
        """The given start; if that does not solve it, a proof that nothing does, or other starts."""
        stuck = ~self.prepared.movable & (self.prepared.bias[:, 0] < -self.settings.residual)
        if not stuck.any():
            self.take_turns()
            broken_off = self._is_far_off
            if not self.is_solved and not self.suspect and (broken_off or self._is_small):
                self.let_slide()
            if not self.is_solved and not self.suspect and (broken_off or self.warm_start is not None):
                self.trusted = self.feasible
                self.restart(None)
                self.take_turns()
            if self.is_solved or not np.isfinite(self.prepared.bias).all():
                return self.response()
        found = None if self.feasible else self.examined(compromise=self.settings.compromise)
        if found is not None and len(found.infeasible):
            return self.compromise(found) if self.settings.compromise else self.response(found)
        return self.start_again(found)

    def let_slide(self, limits: Round = ROUNDS[1]) -> None:
        """From zero impulses and the sliding speeds of the free motion, without relaxation.

        A body in a narrow slot can be wedged as long as its contacts stick: relaxation and small shifts mu |u_t| stay there, many
        shifts away from the solution in which it slides. From that side it takes ten to sixty updates; small problems are solved
        by a Newton method that follows the shifts.
        """
        self.restart(None)
        if self._is_small:
            count = solve_coupled(
                self.problem, self.prepared, relative_tolerance=self.settings.relative_tolerance, excess=self.offer
            )
            self._count(0, EVALUATION * count)
        else:
            self.update_multipliers(limits)

    def examined(self, *, compromise: bool) -> Feasibility | None:
        """What an examination for contradictions finds; it counts as iterations."""
        self.inner += EXAMINATION
        return examine(self.problem, self.prepared, tolerance=self.settings.residual, compromise=compromise)

    def start_again(self, found: Feasibility | None) -> Response:
        """From the solution without friction and, if the first attempt was broken off, from zero."""
        self.trusted = True
        broken_off = self.suspect
        if broken_off or self._is_far_off:
            self.let_slide(ROUNDS[-1])
        if found is not None and not self.is_solved:
            normal = np.zeros_like(self.impulse)
            normal[:, 0] = found.impulse
            self.restart(WarmStart(found.dv, normal))
            self.take_turns(RETRY_ROUNDS)
        if broken_off and not self.is_solved:
            self.restart(None)
            self.take_turns()
        if not self.is_solved:
            for start in (None, self.warm_start):  # what is not solved must not be worse than its start either
                self.restart(start)
        return self.response()

    def restart(self, start: WarmStart | None) -> None:
        """Go to another start; it counts as an iterate."""
        self.dv, self.impulse = start_values(self.problem, start, "cone")
        self.patience, self.goal, self.finite, self.suspect = PATIENCE, 1.0, True, False
        self.measure()

    def compromise(self, found: Feasibility) -> Response:
        """The solution of the problem in which the contacts that contradict one another yield."""
        relaxed = _Solve(relaxed_problem(self.problem, found, tolerance=self.settings.residual), self.settings, None)
        relaxed.trusted, relaxed.most = True, self.left
        relaxed.take_turns(RETRY_ROUNDS)
        if not relaxed.is_solved:
            relaxed.start_again(relaxed.examined(compromise=False))
        assert relaxed.best is not None
        _, dv, impulse, _ = relaxed.best
        return build_response(
            dv,
            impulse,
            measure(self.problem, dv, impulse, "cone", prepared=self.prepared),
            outer_iterations=self.outer + relaxed.outer,
            inner_iterations=self.inner + relaxed.inner,
            converged=False,
            diverged=not relaxed.finite,
            infeasible=found.infeasible,
            certificate=found.certificate,
        )

    def take_turns(self, count: int = len(ROUNDS)) -> None:
        """As many rounds as the problem needs, `count` at most."""
        for limits in ROUNDS[: count if self.left > 0 else 0]:
            if self.relax(limits) or self.update_multipliers(limits) or self.is_over():
                break

    def relax(self, limits: Round) -> bool:
        """ICA with the cone until it solves the problem or seems to be slow; whether the problem is solved."""
        settings, counts = self.settings, np.zeros(2, dtype=np.int64)
        if self.best is not None:
            self.leave_best()
        rules = Rules(
            cone=True,
            paper=False,
            tolerance=self.goal * settings.residual,
            relative_tolerance=self.goal * settings.relative_tolerance,
            allowed_penetration=settings.residual,
            max_outer=int(min(limits.horizon, 1 + self.left // settings.max_inner)),
            max_inner=settings.max_inner,
            repeats=settings.contact_repeats,
            horizon=limits.horizon,
            look_back=limits.look_back,
            patience=self.patience,
            refresh=REFRESH,
            period=limits.period,
        )
        status = relaxation.iterate(self.arrays, rules, None, self.dv, self.impulse, counts)
        self._count(counts[0], counts[1])
        self.measure()
        return status == relaxation.CONVERGED and self.is_solved

    def update_multipliers(self, limits: Round) -> bool:
        """The augmented Lagrangian method; whether the problem is solved."""
        matrix, rho = self._newton
        rho, counts = rho.copy(), np.zeros(3, dtype=np.int64)
        tolerance = limits.aim * self.goal * self.settings.residual
        relative_tolerance = self.goal * self.settings.relative_tolerance
        least = SMALLEST_AIM * self.goal * self.settings.residual
        max_updates = POLISHING_UPDATES if self.is_solved else limits.max_updates
        max_cg = int(min(MAX_CG, 1 + self.left))
        while True:
            self.leave_best()
            status = newton.iterate(
                self.arrays, matrix, rho, self.trusted or self.is_solved, tolerance, relative_tolerance, max_updates, max_cg,
                self.dv, self.impulse, counts,
            )  # fmt: skip
            self.finite, self.suspect = status != newton.NOT_FINITE, status == newton.SUSPECT
            self.measure()
            if self._is_reached or status != newton.CONVERGED or tolerance <= least:
                break
            tolerance *= TIGHTENING
        self._count(counts[0], counts[2])
        self.patience = int(ITERATIONS_PER_CG * (counts[2] + CG_PER_NEWTON * counts[1]))
        return self.is_solved

    def is_over(self) -> bool:
        """Whether a further round is of no use, or an examination costs less and gives a better start."""
        far_off = self._is_far_off and self.problem.node_count <= FEW_NODES and not self.trusted
        self.suspect = (self.suspect or far_off) and not self.feasible
        return self.is_solved or not self.finite or self.suspect or far_off or self.left <= 0

    @property
    def left(self) -> float:
        """Inner iterations that may still be done."""
        return max(self.most - self.inner, 0)

    def response(self, found: Feasibility | None = None) -> Response:
        """The best iterate, with the proof that there is no solution if one was found."""
        assert self.best is not None
        _, dv, impulse, residuals = self.best
        return build_response(
            dv,
            impulse,
            residuals,
            outer_iterations=self.outer,
            inner_iterations=self.inner,
            converged=self.is_solved,
            diverged=found is None and not (self.finite or self.is_solved),
            infeasible=None if found is None else found.infeasible,
            certificate=None if found is None else found.certificate,
        )

    @cached_property
    def _newton(self) -> tuple[NewtonMatrix, Floats]:
        local = self.prepared.local
        compliance = (local[:, B_NN] + local[:, B_11] + local[:, B_22]) / 3.0
        movable = self.prepared.movable
        rho = np.where(movable, PENALTY / np.where(movable, compliance, 1.0), 0.0)
        return build_newton_matrix(self.problem), rho

    def _count(self, outer: int, inner: int) -> None:
        self.outer += int(outer)
        self.inner += int(inner)

    @property
    def _is_reached(self) -> bool:
        return self.best is not None and self.best[0] <= self.goal

    @property
    def _is_far_off(self) -> bool:
        return self.best is not None and self.best[0] > FAR_OFF

    @property
    def _is_small(self) -> bool:
        return 3 * self.problem.node_count <= LARGEST

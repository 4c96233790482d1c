"""Augmented Lagrangian solver, the default: relaxation while it converges fast, else multipliers with a semismooth Newton method.

Solves the problem of Otaduy2009 Eq. 7 with the exact Coulomb cone (decision 0004).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signorini.contact.feasibility import Effort, Feasibility, examine, relaxed_problem
from signorini.contact.mlcp import Mlcp, Response, WarmStart
from signorini.contact.residuals import build_response, empty_response, measure
from signorini.settings import SolverSettings
from signorini.solvers.iterates import check_start
from signorini.solvers.local_start import mend_start
from signorini.solvers.named_solvers import named_solver
from signorini.solvers.near_contacts import solve_near
from signorini.solvers.near_misses.coupled_newton import ROWS
from signorini.solvers.relaxation_rules import (
    FEW_NODES,
    RETRY_ROUNDS,
    ROUNDS,
    WARM_ROUNDS,
    Round,
)
from signorini.solvers.room import give_back
from signorini.solvers.rounds import Rounds

MOST_OF_PART = 1000
"""Inner iterations after which a part of a problem is given up: in a pile it takes 100 to 600, or thousands."""


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
    both take turns in ROUNDS, each from where the other stopped, and relaxation stops as soon as it would be slow. What is near
    a solution is completed by Newton's method with s as an unknown, if it can be factorised (`coupled_newton`). The response
    is the best iterate by measured residuals. Contacts that are far from closing are left out until they are needed. What is not
    solved is examined for contradictions and, if there are none, solved again from a cold start and from the solution
    without friction. The response to a problem that is proven to be infeasible is a compromise: contacts that contradict one
    another yield as little as possible and are named in `infeasible`; all others are satisfied.
    """
    if problem.contact_count == 0:
        return empty_response(problem)
    work = 0
    if warm_start is not None and problem.node_count > FEW_NODES:
        check_start(problem, warm_start)
        mended, work = mend_start(
            problem, warm_start, settings.residual, lambda part, start: _mend(part, settings, start)
        )
        if mended is not None:  # from a start that was far off, the tolerance is enough
            warm_start, settings = mended, replace(settings, improve_start=False)
    spent = work

    def solve_part(part: Mlcp, start: WarmStart | None) -> Response:
        nonlocal spent
        response = _solve_part(part, _limited(settings, spent), start)
        spent += response.inner_iterations
        return response

    response = solve_near(problem, warm_start, solve_part)
    return replace(response, inner_iterations=response.inner_iterations + work)


def _limited(settings: SolverSettings, spent: int) -> SolverSettings:
    """The settings with what is left of their inner iterations after so many, at least one."""
    most = settings.max_iterations
    return settings if most is None or not spent else replace(settings, max_iterations=max(1, most - spent))


def _mend(part: Mlcp, settings: SolverSettings, start: WarmStart) -> tuple[WarmStart | None, int]:
    """The solution of a part of a problem if a single round finds it, and its inner iterations."""
    most = MOST_OF_PART if settings.max_iterations is None else min(MOST_OF_PART, settings.max_iterations)
    rounds = Rounds(part, replace(settings, improve_start=False, max_iterations=most), start)
    try:
        solved = rounds.relax(ROUNDS[0]) or rounds.update_multipliers(ROUNDS[0])
        assert rounds.best is not None
        _, dv, impulse, _ = rounds.best
        return WarmStart(dv, impulse) if solved else None, rounds.inner
    finally:
        give_back(rounds.room)


def _solve_part(problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None) -> Response:
    """Solve the problem in a room that the next solve can have afterwards."""
    solve = _Solve(problem, settings, warm_start)
    try:
        return solve.run()
    finally:
        give_back(solve.room)


class _Solve(Rounds):
    """One solve: rounds from several starts, and what is said of a problem that none of them solves."""

    def run(self) -> Response:
        """The given start; if that does not solve it, a proof that nothing does, or other starts."""
        stuck = ~self.prepared.movable & (self.prepared.bias[:, 0] < -self.settings.residual)
        if stuck.any():
            self.measure()
        else:
            few = self.warm_start is not None and self.problem.node_count <= FEW_NODES and not self.is_small
            self.take_turns(WARM_ROUNDS if few else len(ROUNDS))
            broken_off = self.is_far_off
            if not self.is_solved and not self.suspect and (broken_off or self.is_small):
                self.let_slide()
            if not self.is_solved and not self.suspect and (broken_off or self.warm_start is not None):
                self.trusted = self.feasible
                self.restart(None)
                self.take_turns()
            if self.is_solved or not np.isfinite(self.prepared.bias).all():
                return self.response()
        examine_it = not self.feasible and (self.left > 0 or stuck.any())
        found = self.examined(compromise=self.settings.compromise) if examine_it else None
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
        if self.is_small:
            self.couple(None)
        else:
            _ = self.update_multipliers(limits) or self.polish()

    def examined(self, *, compromise: bool) -> Feasibility | None:
        """What an examination for contradictions finds; it counts as iterations."""
        rows = self.problem.node_count + self.problem.contact_count + ROWS
        effort = Effort(most=rows * self.left)
        found = examine(
            self.problem, self.prepared, tolerance=self.settings.residual, compromise=compromise, effort=effort
        )
        self.inner += 1 + int(effort.spent / rows)
        return found

    def start_again(self, found: Feasibility | None) -> Response:
        """From the solution without friction and, if the first attempt was broken off, from zero."""
        self.trusted = True
        broken_off = self.suspect
        if broken_off or self.is_far_off:
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

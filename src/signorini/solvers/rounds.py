"""Rounds of the default contact solver: relaxation, the augmented Lagrangian method, and Newton's method take turns.

Implements: Otaduy2009 §5 (relaxation), De Saxcé and Feng 1998 (the augmented Lagrangian of a cone with a shift).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from signorini.contact.mlcp import Floats, Mlcp, WarmStart
from signorini.contact.residuals_kernels import B_11, B_22, B_NN
from signorini.linalg.coarse_space import build_coarse_space
from signorini.parallel.team import run_together
from signorini.settings import SolverSettings
from signorini.solvers import augmented_lagrangian_loop_kernels as newton
from signorini.solvers.iterates import Iterates, start_values
from signorini.solvers.near_misses.coupled_newton import is_dense
from signorini.solvers.near_misses.multiplier_path import solve_coupled
from signorini.solvers.newton.matrix import NewtonMatrix, build_newton_matrix
from signorini.solvers.relaxation import loop_kernels as relaxation
from signorini.solvers.relaxation_rules import (
    CG_PER_NEWTON,
    FAR_OFF,
    FEW_NODES,
    ITERATIONS_PER_CG,
    LEAST_COMPLIANCE,
    MAX_CG,
    MOST_SWEEPS,
    NEAR,
    NEARLY,
    PATIENCE,
    PENALTY,
    POLISHED_AGAIN,
    POLISHING_UPDATES,
    REFRESH,
    ROUNDS,
    SMALLEST_AIM,
    SMALLEST_GOAL,
    START_IMPROVEMENT,
    TIGHTENING,
    Round,
    Rules,
)


class Rounds(Iterates):
    """Rounds on one contact problem: its iterates, the iterations so far, and which method has its turn."""

    def __init__(self, problem: Mlcp, settings: SolverSettings, warm_start: WarmStart | None) -> None:
        super().__init__(problem, settings, warm_start)
        self.warm_start = warm_start
        self.outer: int = 0
        self.inner: int = 0
        self.most = np.inf if settings.max_iterations is None else settings.max_iterations
        """Inner iterations at most."""
        self.finite = True
        self.polished = NEARLY
        """Residuals over their tolerances below which it is worth while to polish a solution again."""
        self.patience = PATIENCE
        self.suspect = self.trusted = False
        """Whether it seems to be infeasible, and whether that was looked for already."""
        self.goal = 1.0
        """Part of the tolerances that this solve tries to reach."""
        if warm_start is not None and settings.improve_start:
            self.goal = min(1.0, max(START_IMPROVEMENT * self.excess(self.residuals()), SMALLEST_GOAL))

    def take_turns(self, count: int = len(ROUNDS)) -> None:
        """As many rounds as the problem needs, `count` at most.

        In small problems, whose Newton steps are cheap, a later round continues with multipliers: of the problems of seven
        leaning boxes that the first round leaves, most are solved by that, at a third of the cost of relaxation.
        """
        for limits in ROUNDS[: count if self.left > 0 else 0]:
            if limits is not ROUNDS[0] and self.is_small and self.update_multipliers(limits):
                break
            if self.relax(limits) or self.update_multipliers(limits) or self.polish() or self.is_over():
                break

    def relax(self, limits: Round) -> bool:
        """ICA with the cone until it solves the problem or seems to be slow; whether the problem is solved."""
        settings, counts = self.settings, np.zeros(2, dtype=np.int64)
        few = limits is ROUNDS[0] and self.problem.node_count > FEW_NODES
        if self.best is not None:
            self.leave_best()
        rules = Rules(
            cone=True,
            paper=False,
            tolerance=self.goal * settings.residual,
            relative_tolerance=self.goal * settings.relative_tolerance,
            allowed_penetration=settings.residual,
            max_outer=int(min(limits.most, 1 + self.left // settings.max_inner)),
            max_inner=min(settings.max_inner, MOST_SWEEPS) if few else settings.max_inner,
            repeats=settings.contact_repeats,
            horizon=limits.horizon,
            growth=limits.growth,
            strikes=limits.strikes,
            look_back=limits.look_back,
            patience=self.patience,
            refresh=REFRESH,
            period=limits.period,
        )
        status = run_together(
            len(self.ordering.starts) - 1, relaxation.iterate, self.arrays, self.relaxation, rules, self.dv, self.impulse, counts
        )  # fmt: skip
        self._count(counts[0], counts[1])
        self.measure()
        return status == relaxation.CONVERGED and self.is_solved

    def update_multipliers(self, limits: Round) -> bool:
        """The augmented Lagrangian method; whether the problem is solved."""
        rho, counts = self._penalties.copy(), np.zeros(3, dtype=np.int64)
        tolerance = limits.aim * self.goal * self.settings.residual
        relative_tolerance = self.goal * self.settings.relative_tolerance
        least = SMALLEST_AIM * self.goal * self.settings.residual
        max_updates = POLISHING_UPDATES if self.is_solved else limits.max_updates
        max_cg = int(min(MAX_CG, 1 + self.left))
        while True:
            self.leave_best()
            rules = (self.trusted or self.is_solved, tolerance, relative_tolerance, max_updates, max_cg)
            status = self._iterate(rho, rules, counts)
            self.finite, self.suspect = status != newton.NOT_FINITE, status == newton.SUSPECT
            self.measure()
            if self._is_reached or status != newton.CONVERGED or tolerance <= least:
                break
            tolerance *= TIGHTENING
        self._count(counts[0], counts[2])
        self.patience = int(ITERATIONS_PER_CG * (counts[2] + CG_PER_NEWTON * counts[1]))
        return self.is_solved

    def couple(self, start: WarmStart | None, *, dear: bool = True) -> None:
        """Newton's method with the sliding speeds as unknowns, from a start; `dear`: also where its factorisations are dear."""
        cost = solve_coupled(
            self.problem,
            self.prepared,
            tolerance=self.settings.residual,
            relative_tolerance=self.settings.relative_tolerance,
            excess=self.offer,
            start=start,
            most=self.left,
            dear=dear,
        )
        self._count(0, cost)

    def polish(self) -> bool:
        """Newton's method with the sliding speeds as unknowns, from an iterate that is near; whether it is solved then."""
        if self.suspect or not (self.problem.node_count <= FEW_NODES and self.finite and self.left):
            return False
        excess = self.excess(self.residuals())
        if excess > self.polished:
            return False
        self.polished = POLISHED_AGAIN * excess
        before = self.dv, self.impulse, self.best
        self.couple(WarmStart(self.dv, self.impulse), dear=excess <= NEAR)
        if self.best is before[2]:  # it may be an iterate from another start
            self.dv, self.impulse, _ = before
        elif self.best is not None:
            _, self.dv, self.impulse, _ = self.best
        return self.is_solved

    def is_over(self) -> bool:
        """Whether a further round is of no use, or an examination costs less and gives a better start."""
        far_off = self.is_far_off and self.problem.node_count <= FEW_NODES and not self.trusted
        self.suspect = (self.suspect or far_off) and not self.feasible
        return self.is_solved or not self.finite or self.suspect or far_off or self.left <= 0

    def restart(self, start: WarmStart | None) -> None:
        """Go to another start; it counts as an iterate."""
        self.dv, self.impulse = start_values(self.problem, start, "cone")
        self.patience, self.goal, self.polished, self.finite, self.suspect = PATIENCE, 1.0, NEARLY, True, False
        self.measure()

    @property
    def left(self) -> float:
        """Inner iterations that may still be done."""
        return max(self.most - self.inner, 0)

    @property
    def is_small(self) -> bool:
        """Whether the matrices of the problem are factorised as dense ones."""
        return is_dense(self.problem)

    def _iterate(self, rho: Floats, rules: tuple[bool, float, float, int, int], counts: NDArray[np.int64]) -> int:
        """Updates of the multipliers; from the first slow Newton step on with a coarse space, if the nodes have places."""
        while True:
            matrix = self._newton
            status = run_together(
                len(matrix.split.starts) - 1, newton.iterate, self.arrays, matrix, rho, *rules, self.dv, self.impulse, counts
            )  # fmt: skip
            if status != newton.SLOW:
                return status
            p = self.problem
            coarse = build_coarse_space(p.A, matrix.ordering, p.jacobian_indptr, p.jacobian_nodes)
            self._newton = matrix._replace(coarse=coarse)

    @cached_property
    def _newton(self) -> NewtonMatrix:
        return build_newton_matrix(self.problem, self.relaxation, self.room)

    @cached_property
    def _penalties(self) -> Floats:
        compliances, movable = self.prepared.local[:, (B_NN, B_11, B_22)], self.prepared.movable
        compliances = np.where(movable[:, None], compliances, 1.0)
        compliances = np.maximum(compliances, LEAST_COMPLIANCE * compliances.max(axis=1, keepdims=True))
        return np.where(movable, PENALTY / np.cbrt(compliances.prod(axis=1)), 0.0)

    def _count(self, outer: int, inner: int) -> None:
        self.outer += int(outer)
        self.inner += int(inner)

    @property
    def _is_reached(self) -> bool:
        return self.best is not None and self.best[0] <= self.goal

    @property
    def is_far_off(self) -> bool:
        """Whether the best iterate is far from a solution."""
        return self.best is not None and self.best[0] > FAR_OFF

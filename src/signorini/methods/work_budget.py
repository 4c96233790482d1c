"""Budget of work of a step: the CPU time of what it does, estimated from counts so that runs stay deterministic.

The costs are nominal microseconds. Those of attempts and checks are fitted to 1,500 steps of random scenes
(docs/random-scenes.md), those of contact solves to the collection of problems: most take 0.5 to 2 times their estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from signorini.contact.barrier_method import Effort

if TYPE_CHECKING:
    from signorini.contact.mlcp import Mlcp, Response

ATTEMPT, NODE = 3000.0, 30.0
"""Cost of an attempt at a sub-step, and of each node in it: assembly, free motion, energy balance [µs]."""
CHECK, CANDIDATE = 1200.0, 0.05
"""Cost of a continuous detection, and of each candidate pair in it [µs]."""
OUTER, INNER, ROW = 60.0, 2.5, 0.012
"""Cost of an outer iteration of a contact solve, of an inner one, and of each node and contact in an inner one [µs]: a fit to 250
solves, idle Zen 5, and a row of large problems, which do not stay in the caches."""
SWEEP, FORMED, SOLVED = 0.0003, 0.02, 0.1
"""Cost of a sweep of a solver with a dense matrix for each of its entries, of forming an entry, and of an unknown of each linear
system that is solved for that, one for each row of the matrix or for each unknown, whatever is less [µs]."""
DENSE_ITERATIONS = 30
"""Sweeps of its largest contact problem that a typical step with such a solver may need: its budget is then a thousand."""
DENSE_BUDGET = 1e7
"""Work that a step may spend on such contact solves at most [µs]. Their matrices are for small problems: with 1,600 contacts a
typical step takes seconds, and 30 times as much would be minutes."""
PROJECTED, ROUND = 20.0, 5e-6
"""Cost of an impact in a round of inelastic projection, and of each triple of impacts, which their matrix fills in [µs]."""
ZONE_NODE = 30.0
"""Cost of a node in a round of rigid impact zones [µs]."""
NOMINAL_ITERATIONS, FIRST_ITERATIONS = 400, 1000
"""Inner iterations of its largest contact problem that a typical step may need, whatever the steps before needed: a body that
falls freely needs none until it lands. The second in the first step, whose contact problem has no start to begin from."""
OUTER_LENGTH = 20.0
"""Inner iterations of a contact solve in an outer one, in the estimate of how many of them the budget leaves."""
LEAST_BUDGET = 1.25e6
"""Work that every step may do [µs]: that is no hang, and a small scene that is hit has problems a hundred times as hard as those
of its quiet steps."""
ATTEMPTS, REPEATS, FAILSAFES = 0.8, 0.87, 0.92
"""Parts of the budget of a step: up to the first it makes attempts, up to the second it takes sub-steps again whose energy grew
absurdly, and up to the third its fail-safes work in rounds. The rest is for the few sub-steps that scale motions back."""
SOLVE_PART = 0.5
"""Part of the budget of a step that one contact solve may use up."""
EXTENSION, MOST_EXTENSIONS = 0.1, 40
"""Part of its budget that a step may use in addition where not even standing still is safe, and how often."""


@dataclass(slots=True)
class WorkBudget:
    """Work of a step so far, and the most that it may do before a fail-safe ends it."""

    factor: float = float("inf")
    """The most work over that of a typical step (`Settings.step_budget`)."""
    typical: float = 0.0
    """Work of a typical step [µs]: the median of the steps before, and at least an attempt with some iterations."""
    iterations: int = NOMINAL_ITERATIONS
    """Inner iterations of the largest contact problem that a typical step may need."""
    dense: bool = False
    """Whether the contact solver forms a dense matrix of all contacts."""
    done: float = 0.0
    """Work so far [µs]."""
    attempt: float = 0.0
    """Work of an attempt without its contact solves [µs]."""
    energy_grew: bool = False
    """Whether sub-steps are taken again because their energy grew."""
    extensions: int = 0
    extended: float = 0.0
    """Work beyond the budget that extensions and the sub-steps of an adaptive step allow [µs]."""
    added: int = 0
    """Sub-steps of an adaptive step that were allowed in addition."""

    @property
    def budget(self) -> float:
        """Work that the step may do without extensions [µs]; 0 before anything is known."""
        if self.typical == 0.0:
            return 0.0
        budget = max(self.factor * self.typical, LEAST_BUDGET)
        solves = DENSE_BUDGET if self.dense else float("inf")
        return min(budget, solves + (self.factor * self.attempt if self.attempt > 0.0 else 0.0))

    @property
    def used(self) -> float:
        """Work of the step over its budget, with what it was extended by; 0 without a budget."""
        budget = self.budget + self.extended
        return self.done / budget if budget > 0.0 else 0.0

    @property
    def is_spent(self) -> bool:
        """Whether the step has used up the work for attempts."""
        return self.done > self._most

    @property
    def may_go_on_in_failsafe(self) -> bool:
        """Whether a fail-safe that works in rounds may begin one more; else motions are scaled back. Always without a budget."""
        return self.budget == 0.0 or self.done <= FAILSAFES * self.budget + self.extended

    @property
    def per_substep(self) -> float:
        """Work of the step for each sub-step that its error asked for [µs]; of all of it if it is not adaptive."""
        return self.done / max(self.added, 1)

    def may_repeat_for_energy(self) -> bool:
        """Whether there is work left to repeat a sub-step whose energy grew."""
        self.energy_grew = True
        return not self.is_spent

    def extend(self) -> bool:
        """Allow a little more where a script moves into a body that stands still: only a contact response can move it away.

        Returns whether that is possible once more.
        """
        self.extensions += 1
        self.extended += max(0.0, self.done + EXTENSION * self.budget - self._most)
        return self.extensions <= MOST_EXTENSIONS

    def add_substep(self) -> None:
        """Allow the work of a typical sub-step in addition, for the next one of an adaptive step.

        It takes as many as the error asks for; what is harder than typical draws on the one budget that they share, and so do
        all contact solves with dense matrices.
        """
        self.added += 1
        self.extended += self.attempt if self.dense else self.typical

    def count_attempt(self, nodes: int, candidates: int) -> None:
        """Add an attempt at a sub-step of so many nodes, with pairs to check, without its solves and checks."""
        self.done += ATTEMPT + NODE * nodes
        self.attempt = ATTEMPT + NODE * nodes + CHECK + CANDIDATE * candidates
        self.typical = max(self.typical, self.attempt)

    def count_free_motion(self, nodes: int) -> None:
        """Add a motion without contact of so many nodes, for a sub-step that a fail-safe makes."""
        self.done += ATTEMPT + NODE * nodes

    def count_check(self, candidates: int) -> None:
        """Add a continuous detection of so many pairs."""
        self.done += CHECK + CANDIDATE * candidates

    def count_solve(self, response: Response) -> None:
        """Add a contact solve."""
        nodes, contacts = len(response.dv), len(response.impulse)
        self.done += OUTER * response.outer_iterations + (1 + response.inner_iterations) * self._iteration(
            nodes, contacts
        )
        self.done += self._forming(nodes, contacts)

    def count_sharing(self, effort: Effort) -> None:
        """Add a search for the room that the contacts of a squeeze must give up."""
        self.done += ROW * effort.spent

    def count_projection(self, impacts: int) -> None:
        """Add a round of inelastic projection of so many impacts."""
        self.done += PROJECTED * impacts + ROUND * impacts**3

    def count_zones(self, nodes: int) -> None:
        """Add a round of rigid impact zones."""
        self.done += ZONE_NODE * nodes

    def affords(self, problem: Mlcp) -> bool:
        """Whether the step may form the matrix of a contact problem; only dense ones cost so much."""
        forming = self._forming(problem.node_count, problem.contact_count)
        return forming == 0.0 or self.budget == 0.0 or forming <= self._left

    def effort_left(self) -> Effort:
        """What sharing room may cost."""
        return Effort() if self.budget == 0.0 else Effort(most=max(0.0, self._left) / ROW)

    def iterations_left(self, problem: Mlcp) -> int | None:
        """Inner iterations that the budget leaves for a contact problem, at least one; None without a budget."""
        nodes, contacts = problem.node_count, problem.contact_count
        cost, forming = self._iteration(nodes, contacts), self._forming(nodes, contacts)
        iterations = min(self.iterations, DENSE_ITERATIONS) if self.dense else self.iterations
        self.typical = max(self.typical, self.attempt + forming + iterations * cost)
        left = (min(self._left, SOLVE_PART * self.budget) - forming) / (cost + OUTER / OUTER_LENGTH)
        return None if left == float("inf") else max(1, int(left))

    @property
    def _most(self) -> float:
        """Work that the step may do in attempts [µs]."""
        return (REPEATS if self.energy_grew else ATTEMPTS) * self.budget + self.extended

    @property
    def _left(self) -> float:
        """What is left of it [µs]."""
        return self._most - self.done

    def _iteration(self, nodes: int, contacts: int) -> float:
        """Cost of an inner iteration of a contact solve [µs]."""
        return _sparse_iteration(nodes, contacts) + (SWEEP * (3 * contacts) ** 2 if self.dense else 0.0)

    def _forming(self, nodes: int, contacts: int) -> float:
        """Cost of the dense matrix of all contacts, if the solver forms one [µs]."""
        if not self.dense:
            return 0.0
        rows, unknowns = 3 * contacts, 3 * nodes
        return FORMED * rows**2 + SOLVED * unknowns * min(rows, unknowns)


def _sparse_iteration(nodes: int, contacts: int) -> float:
    """The same of a solver without dense matrices."""
    return INNER + ROW * (nodes + contacts)

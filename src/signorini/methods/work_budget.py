"""Budget of work of a step: the CPU time of what it does, estimated from counts so that runs stay deterministic.

The costs are nominal microseconds, fitted to the CPU time of 1,500 steps of random scenes (docs/random-scenes.md): nine steps of
ten take 0.5 to 2 times their estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signorini.contact.mlcp import Mlcp, Response

ATTEMPT, NODE = 3000.0, 30.0
"""Cost of an attempt at a sub-step, and of each node in it: assembly, free motion, energy balance [µs]."""
CHECK, CANDIDATE = 1200.0, 0.05
"""Cost of a continuous detection, and of each candidate pair in it [µs]."""
OUTER, INNER, ROW = 14.0, 5.0, 0.035
"""Cost of an outer iteration of a contact solve, of an inner one, and of each node and contact in an inner one [µs]."""
SWEEP, FORMED, SOLVED_ROW = 0.0005, 0.02, 0.05
"""Cost of a sweep of a solver with a dense matrix for each of its entries, of forming an entry, and of the linear system of a
row for each node [µs]."""
DENSE_ITERATIONS = 30
"""Sweeps of its largest contact problem that a typical step with such a solver may need: its budget is then a thousand."""
PROJECTED, ROUND = 20.0, 5e-6
"""Cost of an impact in a round of inelastic projection, and of each triple of impacts, which their matrix fills in [µs]."""
ZONE_NODE = 30.0
"""Cost of a node in a round of rigid impact zones [µs]."""
SHARING = 2000
"""Inner iterations of a contact solve that cost as much as sharing room once."""
NOMINAL_ITERATIONS, FIRST_ITERATIONS = 400, 1000
"""Inner iterations of its largest contact problem that a typical step may need, whatever the steps before needed: a body that
falls freely needs none until it lands. The second in the first step, whose contact problem has no start to begin from."""
LEAST_BUDGET = 5e5
"""Work that every step may do [µs]: half a second is no hang, and a small scene that is hit has problems a hundred times as hard
as those of its quiet steps."""
SOLVE_PART = 0.6
"""Part of the budget of a step that one contact solve may use up."""
ENERGY_RESERVE = 0.25
"""Part of its budget that a step may use in addition to take sub-steps again whose energy grew absurdly."""
FAILSAFE_RESERVE = 0.25
"""Part of its budget that the rounds of fail-safes may use in addition; after that, motions are scaled back."""
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
    """Whether the reserve for sub-steps whose energy grew may be used."""
    extensions: int = 0
    limit: float = 0.0
    """Work up to which extensions and the sub-steps of an adaptive step go [µs]."""

    @property
    def budget(self) -> float:
        """Work that the step may do without reserve and extensions [µs]; 0 before anything is known."""
        return max(self.factor * self.typical, LEAST_BUDGET) if self.typical > 0.0 else 0.0

    @property
    def used(self) -> float:
        """Work of the step over its budget, with what it was extended by; 0 without a budget."""
        budget = max(self.budget, self.limit)
        return self.done / budget if budget > 0.0 else 0.0

    @property
    def is_spent(self) -> bool:
        """Whether the step has used up its work."""
        return self.done > self._most

    @property
    def may_go_on_in_failsafe(self) -> bool:
        """Whether a fail-safe that works in rounds may begin one more; else motions are scaled back. Always without a budget."""
        return self.budget == 0.0 or self.done <= self._most + FAILSAFE_RESERVE * self.budget

    def may_repeat_for_energy(self) -> bool:
        """Whether there is work left to repeat a sub-step whose energy grew."""
        self.energy_grew = True
        return not self.is_spent

    def extend(self) -> bool:
        """Allow a little more where a script moves into a body that stands still: only a contact response can move it away.

        Returns whether that is possible once more.
        """
        self.extensions += 1
        self.limit = self.done + EXTENSION * self.budget
        return self.extensions <= MOST_EXTENSIONS

    def add_substep(self) -> None:
        """Allow the work of a typical step in addition, for the next sub-step of an adaptive step.

        It takes as many as the error asks for; what is harder than typical draws on the one budget that they share.
        """
        self.limit = max(self.limit, self.budget) + self.typical

    def count_attempt(self, nodes: int, candidates: int) -> None:
        """Add an attempt at a sub-step of so many nodes, with pairs to check, without its solves and checks."""
        self.done += ATTEMPT + NODE * nodes
        self.attempt = ATTEMPT + NODE * nodes + CHECK + CANDIDATE * candidates
        self.typical = max(self.typical, self.attempt)

    def count_check(self, candidates: int) -> None:
        """Add a continuous detection of so many pairs."""
        self.done += CHECK + CANDIDATE * candidates

    def count_solve(self, response: Response) -> None:
        """Add a contact solve."""
        nodes, contacts = len(response.dv), len(response.impulse)
        self.done += OUTER * response.outer_iterations + (1 + response.inner_iterations) * self._iteration(
            nodes, contacts
        )
        if self.dense:
            self.done += 3 * contacts * (FORMED * 3 * contacts + SOLVED_ROW * nodes)

    def count_sharing(self, problem: Mlcp) -> None:
        """Add a search for the room that the contacts of a squeeze must give up."""
        self.done += SHARING * _sparse_iteration(problem.node_count, problem.contact_count)

    def count_projection(self, impacts: int) -> None:
        """Add a round of inelastic projection of so many impacts."""
        self.done += PROJECTED * impacts + ROUND * impacts**3

    def count_zones(self, nodes: int) -> None:
        """Add a round of rigid impact zones."""
        self.done += ZONE_NODE * nodes

    def iterations_left(self, problem: Mlcp) -> int | None:
        """Inner iterations that the budget leaves for a contact problem, at least one; None without a budget."""
        cost = self._iteration(problem.node_count, problem.contact_count)
        iterations = min(self.iterations, DENSE_ITERATIONS) if self.dense else self.iterations
        self.typical = max(self.typical, self.attempt + iterations * cost)
        budget = self.budget
        left = min(max(budget, self.limit) - self.done, SOLVE_PART * budget) / cost
        return None if left == float("inf") else max(1, int(left))

    @property
    def _most(self) -> float:
        """Work that the step may do [µs]."""
        part = 1.0 + ENERGY_RESERVE if self.energy_grew else 1.0
        return max(part * self.budget, self.limit)

    def _iteration(self, nodes: int, contacts: int) -> float:
        """Cost of an inner iteration of a contact solve [µs]."""
        return _sparse_iteration(nodes, contacts) + (SWEEP * (3 * contacts) ** 2 if self.dense else 0.0)


def _sparse_iteration(nodes: int, contacts: int) -> float:
    """The same of a solver without dense matrices."""
    return INNER + ROW * (nodes + contacts)

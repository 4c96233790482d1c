"""Order of the steps of each body: first order for a while where second-order steps gain energy again and again.

A parabola through the last moments does not know that contacts open, close, stick and slip: where many do in every step, as
between layers that lie on each other, second-order steps gain energy that no work explains. Where that happens once, as in an
impact, the step is halved. Where it happens again soon after, the bodies of the island take that step again, and the next ones,
by backward Euler, while all others keep second order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import BodyParts
from signorini.methods.energy_balance import IslandBalances

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
FIRST_WATCH, LONGEST_WATCH = 8, 256
"""Sub-steps for which a body is watched after growth, at first and at most; twice as long after each growth in that time."""
WATCH_PART = 4
"""Length of the watch over the sub-steps of first order that follow when energy grows during it: 2, 4, 8, ... of them."""


@dataclass(frozen=True, slots=True)
class StepOrders:
    """Which bodies take sub-steps of first order, and how long they still do."""

    left: Ints
    """(bodies,) sub-steps of first order that are still to come."""
    watch: Ints
    """(bodies,) sub-steps of second order for which the body is still watched: what grows then has grown again."""

    @classmethod
    def none(cls, bodies: int) -> StepOrders:
        """All bodies at second order."""
        return cls(np.zeros(bodies, np.int64), np.zeros(bodies, np.int64))

    @property
    def plain(self) -> bool:
        """Whether nothing is remembered."""
        return not (self.left.any() or self.watch.any())

    def first_order(self, parts: BodyParts) -> Flags | None:
        """(n,) the nodes that step at first order; None: none does."""
        return (self.left > 0)[parts.node_body] if self.left.any() else None

    def grown(self, balances: IslandBalances, beyond: Flags) -> tuple[StepOrders, bool]:
        """The orders after a sub-step in which islands (k,) grew, and whether it is enough to take it again with them.

        It is not where an island has not grown lately, or all its bodies are of first order already.
        """
        islands = balances.islands
        grew = np.zeros(len(self.left), dtype=bool)
        own = islands.of_body >= 0
        grew[own] = beyond[islands.of_body[own]]
        grew &= self.left == 0
        again = np.zeros(islands.count, dtype=bool)
        again[islands.of_body[grew & (self.watch > 0)]] = True
        restarted = np.zeros_like(grew)
        restarted[grew] = again[islands.of_body[grew]]
        left, watch = self.left.copy(), self.watch.copy()
        watch[grew] = np.maximum(watch[grew], FIRST_WATCH)
        left[restarted] = np.maximum(watch[restarted] // WATCH_PART, 1)
        watch[restarted] = np.minimum(2 * watch[restarted], LONGEST_WATCH)
        return StepOrders(left, watch), not (beyond & ~again).any()

    def after(self) -> StepOrders:
        """The orders of the next sub-step."""
        watch = np.where(self.left > 0, self.watch, np.maximum(self.watch - 1, 0))
        return StepOrders(np.maximum(self.left - 1, 0), watch)

"""Rule of one time step: how velocities and positions at its end follow from forces there and from the steps before.

Backward Euler is the rule of first order. BDF2, the rule of second order, replaces every time derivative by that of the parabola
through the last three moments. Steps may have different lengths. With u the displacement of a step over its length dt, r the
length of the step over that of the step before, and ε = r / (1 + r):

    v1 = (1 + ε) u − ε u0                                       where the forces act, and what the state has
    (1 + ε) M v1 = M [(1 + ε) v0 + ε r (v0 − v00)] + dt F(q0 + dt u, v1)

u0 and v00 are the `History`. ε = 0 is backward Euler.

BDF2 damps what a step resolves, too: a vibration with y rad a step loses y⁴/4 of its amplitude in each. After steps of equal
lengths the rule has half of the third difference that BDF3 adds to BDF2, with κ = 1/6:

    v1 = (1 + ε + κ) u − (ε + 2κ) u0 + κ u00                    and the same for M v1 and dt F

The error is less than half of that of BDF2 and the damping is of order y⁶. That is as much of the difference as leaves the rule
stable for all steps (with κ > 1/6 it is not), and what is far too fast for the step is damped at once, as by BDF2.

All that contact and detection know is u, and constraints hold at the end of the step, whatever the rule is. A parabola through
an impact would bounce: what contact changes beyond what forces do is a jump of the velocity, which the whole parabola takes part
in (`methods/impact_jumps`, decision 0019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Weights
from signorini.model.state import History, State

Floats = NDArray[np.float64]
LARGEST_RATIO = 2.1
"""Length of a step over that of the step before, above which it is of first order: BDF2 is unstable from 1 + √2 on. Lengths of
adaptive steps are powers of two with rounding."""
THIRD_DIFFERENCE = 1.0 / 6.0
"""κ: weight of the third difference of positions and velocities after steps of equal length; in BDF3 it is 1/3."""
EQUAL = 1e-6
"""Relative difference of lengths, by rounding, up to which steps are equally long."""


@dataclass(frozen=True, slots=True)
class StepRule:
    """The rule of one step of dt; its history is that of the state which the step begins with."""

    dt: float
    """Length of the step [s]."""
    extrapolation: float = 0.0
    """ε: 0 for backward Euler, 1/2 for BDF2 with equal steps."""
    ratio: float = 0.0
    """r: length of the step over that of the step before; 0 for backward Euler."""
    third: float = 0.0
    """κ: weight of the third difference, 0 unless the last three steps are equally long."""
    remembers: bool = False
    """Whether the state at the end has a history."""
    first_order: NDArray[np.bool_] | None = None
    """(n,) nodes that take the step by backward Euler all the same; None: no node does."""

    @property
    def mass(self) -> float:
        """Weight of M in A, of nodes that take the step as the rule is."""
        return 1.0 + self.extrapolation + self.third

    def masses(self, count: int) -> Floats:
        """(n, 1) weight of M in A of each node."""
        return self._by_node(np.full((count, 1), self.mass), 1.0)

    @property
    def weights(self) -> Weights:
        """Weights of forces, damping and stiffness in A v1 = b."""
        return Weights(self.dt, self.dt, self.dt * self.dt / self.mass)

    @property
    def first_order_weights(self) -> Weights:
        """The same for nodes that take the step by backward Euler."""
        return Weights(self.dt, self.dt, self.dt * self.dt)

    def _by_node(self, values: Floats, otherwise: Floats | float) -> Floats:
        """Values (n, k) of nodes as the rule is, and others by backward Euler."""
        return values if self.first_order is None else np.where(self.first_order[:, None], otherwise, values)

    def start_velocity(self, now: Floats, history: History) -> Floats:
        """What M is multiplied with in b, over its weight: v0 (n, 3) extrapolated from a history; of angular nodes momenta."""
        slope, before = now - history.velocity, history.before
        start = now + (self.extrapolation * self.ratio / self.mass) * slope
        if self.third and before is not None:
            start += (self.third / self.mass) * (2.0 * slope - (history.velocity - before.velocity))
        return self._by_node(start, now)

    def carried(self, history: History) -> Floats:
        """What v1 has less than its weight times u (n, 3): displacements of the steps before [m/s], for angular nodes momenta."""
        carried = (self.extrapolation + 2.0 * self.third) * history.displacement
        if self.third and history.before is not None:
            carried -= self.third * history.before.displacement
        return self._by_node(carried, 0.0)

    def continues(self, history: History | None) -> bool:
        """Whether the step goes on from a history with the same length."""
        return history is not None and self.second_order and abs(self.ratio - 1.0) < EQUAL

    @property
    def second_order(self) -> bool:
        """Whether the step extrapolates from a history."""
        return self.extrapolation > 0.0

    def end_velocity(self, u: Floats, carried: Floats, jumps: Floats | float) -> Floats:
        """v1 (k, 3) of displacements u over dt, after what is `carried` from those before, with `jumps` on the way.

        The same for momenta.
        """
        mass = self.mass if self.first_order is None else self.masses(len(u))
        return mass * u - carried - (mass - 1.0) * jumps


def second_order_rule(
    state: State, dt: float, *, restart: bool = False, first_order: NDArray[np.bool_] | None = None
) -> StepRule:
    """Second order after a step that is not much shorter; otherwise, to `restart`, or if all nodes (n,) ask so, first."""
    restart = restart or (first_order is not None and bool(first_order.all()))
    if restart or state.history is None or dt > LARGEST_RATIO * state.history.length:
        return StepRule(dt, remembers=True)
    ratio = dt / state.history.length
    third = THIRD_DIFFERENCE if state.history.before is not None and abs(ratio - 1.0) < EQUAL else 0.0
    return StepRule(dt, ratio / (1.0 + ratio), ratio, third, True, first_order)

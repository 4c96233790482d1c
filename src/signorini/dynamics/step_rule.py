"""Rule of one time step: how velocities and positions at its end follow from forces there and from the steps before.

Backward Euler is the rule of first order. BDF2, the rule of second order, replaces every time derivative by that of the parabola
through the last three moments. Steps may have different lengths. With u the displacement of a step over its length dt, r the
length of the step over that of the step before, and ε = r / (1 + r):

    v1 = (1 + ε) u − ε u0                                       where the forces act, and what the state has
    (1 + ε) M v1 = M [(1 + ε) v0 + ε r (v0 − v00)] + dt F(q0 + dt u, v1)

u0 and v00 are the `History`. ε = 0 is backward Euler. All that contact and detection know is u, and constraints hold at the end
of the step, whatever the rule is. A parabola through an impact would bounce: what contact changes beyond what forces do is a jump
of the velocity, which the whole parabola takes part in (`methods/impact_jumps`, decision 0019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Weights
from signorini.model.state import State

Floats = NDArray[np.float64]
LARGEST_RATIO = 2.1
"""Length of a step over that of the step before, above which it is of first order: BDF2 is unstable from 1 + √2 on. Lengths of
adaptive steps are powers of two with rounding."""


@dataclass(frozen=True, slots=True)
class StepRule:
    """The rule of one step of dt; its history is that of the state which the step begins with."""

    dt: float
    """Length of the step [s]."""
    extrapolation: float = 0.0
    """ε: 0 for backward Euler, 1/2 for BDF2 with equal steps."""
    ratio: float = 0.0
    """r: length of the step over that of the step before; 0 for backward Euler."""
    remembers: bool = False
    """Whether the state at the end has a history."""

    @property
    def mass(self) -> float:
        """Weight of M in A."""
        return 1.0 + self.extrapolation

    @property
    def weights(self) -> Weights:
        """Weights of forces, damping and stiffness in A v1 = b."""
        return Weights(self.dt, self.dt, self.dt * self.dt / self.mass)

    def start_velocity(self, now: Floats, before: Floats) -> Floats:
        """What M is multiplied with in b, over its weight: extrapolated from v0 (n, 3) and v00 (n, 3), or from momenta."""
        return now + (self.extrapolation * self.ratio / self.mass) * (now - before)

    @property
    def second_order(self) -> bool:
        """Whether the step extrapolates from a history."""
        return self.extrapolation > 0.0

    def end_velocity(self, u: Floats, last: Floats, jumps: Floats | float) -> Floats:
        """v1 (k, 3) of displacements u over dt, after `last` ones over theirs, with `jumps` on the way; also of momenta."""
        return self.mass * u - self.extrapolation * (last + jumps)


def second_order_rule(state: State, dt: float, *, restart: bool = False) -> StepRule:
    """BDF2 after a step that is not much shorter; otherwise, or to `restart`, backward Euler."""
    if restart or state.history is None or dt > LARGEST_RATIO * state.history.length:
        return StepRule(dt, remembers=True)
    ratio = dt / state.history.length
    return StepRule(dt, ratio / (1.0 + ratio), ratio, remembers=True)

"""Error of one second-order step: how far its motion is from what the steps before let expect, body by body.

The parabola that goes on with the velocity and the acceleration of the last step, and the solution of BDF2, differ by a multiple
of dt³ q‴, of which the error of the step is a known part. What impacts changed is no part of the parabola: an impact is treated
at the end of its step, and displaces a body by the jump of its velocity times half the step at most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import BodyParts, sums_by_body
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]


class StepErrors(NamedTuple):
    """Errors (bodies,) of a step: root of the mean square over the mass of each body."""

    rate: Floats
    """Of positions in smooth motion, over the length of the step [m/s]."""
    impact: Floats
    """Of positions by impacts [m]."""


def step_errors(model: Model, parts: BodyParts, before: State, after: State) -> StepErrors | None:
    """The errors of a step between two states; None without the history that it takes to know."""
    if before.history is None or after.history is None:
        return None
    spins, dt = model.rigids.spins, after.history.length
    ratio = dt / before.history.length
    start = before.v.copy()
    start[spins] = model.rigids.momentum(before.rotations, before.v[spins])
    jumps = after.history.velocity - start
    expected = start + 0.5 * ratio * (start - before.history.velocity)
    beyond = after.history.displacement - jumps - expected
    beyond[model.pinned(after.time)[0]] = 0.0
    rate, impact = (_means(model, parts, before, x) for x in (error_part(ratio) * beyond, 0.5 * dt * jumps))
    return StepErrors(rate, impact)


def error_part(ratio: float) -> float:
    """Error of BDF2 over the difference to the parabola that goes on, with steps of this ratio of lengths: 8/23 for equal ones.

    With q = t³/6: the step of BDF2 is too long by `own`, and the parabola too short by 1/6 + 1/(4 r), times dt².
    """
    extrapolation = ratio / (1.0 + ratio)
    own = (0.5 - (1.0 + extrapolation - extrapolation / ratio**2) / 6.0) / (1.0 + extrapolation)
    return own / (own + 1.0 / 6.0 + 0.25 / ratio)


def _means(model: Model, parts: BodyParts, state: State, change: Floats) -> Floats:
    """(bodies,) root of the mean square of changes (n, 3), momenta in the rows of angular nodes, over the mass of each body."""
    spins = model.rigids.spins
    mass = model.mass.copy()
    mass[spins] = 0.0
    square = mass * np.einsum("ni,ni->n", change, change)
    if len(spins):
        w = model.rigids.angular_velocity(state.rotations, change[spins])
        square[spins] = np.einsum("bi,bi->b", change[spins], w)
    total, weight = (sums_by_body(parts.node_body, x, parts.body_count) for x in (square, mass))
    return np.sqrt(np.maximum(total, 0.0) / np.maximum(weight, np.finfo(np.float64).tiny))

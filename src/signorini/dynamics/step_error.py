"""Error of one second-order step: how far its motion is from what the steps before let expect, body by body.

The parabola that goes on with the velocity and the acceleration of the last step, and the solution of BDF2, differ by a multiple
of dt³ q‴, of which the error of the step is a known part. What impacts changed is no part of the parabola: an impact is treated
at the end of its step, and displaces a body by the jump of its velocity times half the step at most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.assembly import LinearSystem
from signorini.dynamics.body_energies import BodyParts, sums_by_body
from signorini.dynamics.step_rule import second_order_rule
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.model.model import Model
from signorini.model.state import State
from signorini.settings import Settings

Floats = NDArray[np.float64]
FILTER_TOLERANCE = 0.05
"""Relative residual of the solve that separates slow motion from fast vibrations: an error is known to a few per cent at best."""


class StepErrors(NamedTuple):
    """Errors (bodies,) of a step: root of the mean square over the mass of each body."""

    rate: Floats
    """Of positions in smooth motion, over the length of the step [m/s]."""
    impact: Floats
    """Of positions by impacts [m]."""


def step_errors(
    model: Model, parts: BodyParts, before: State, after: State, system: LinearSystem, settings: Settings
) -> StepErrors | None:
    """The errors of a step between two states, which solved a system; None without the history that it takes to know.

    Vibrations that are faster than the step are damped by it and do not matter: what differs from the parabola passes the system
    once more, as a change of momenta, which leaves slow motion as it is.
    """
    if before.history is None or after.history is None:
        return None
    rigids, spins, dt = model.rigids, model.rigids.spins, after.history.length
    rule = second_order_rule(before, dt)
    ratio = dt / before.history.length
    start, mass = before.v.copy(), model.mass.copy()
    start[spins] = rigids.momentum(before.rotations, before.v[spins])
    mass[spins] = 1.0
    jumps = after.history.velocity - start
    expected = start + 0.5 * ratio * (start - before.history.velocity)
    beyond = error_part(ratio, rule.third) * (after.history.displacement - jumps - expected)
    beyond[model.pinned(after.time)[0]] = 0.0
    beyond[model.attachments.nodes] = 0.0
    momentum = rule.mass**2 * mass[:, None] * beyond
    slow = solve_unconstrained(
        system.A,
        momentum,
        np.zeros_like(momentum),
        tolerance=FILTER_TOLERANCE,
        direct_below=0,
    )
    jumps[spins] = rigids.angular_velocity(before.rotations, jumps[spins])
    return StepErrors(*(mean_changes(model, parts, before, x) for x in (slow, 0.5 * dt * jumps)))


def error_part(ratio: float, third: float) -> float:
    """Error of a step over the difference to the parabola that goes on, with steps of this ratio of lengths: 6/35 for equal ones.

    With q = t³/6, a step is too long by `own` dt². The parabola is too short by (1/6 + 1/(4 r)) dt², and by 1/3 − κ of the
    square of the last step, because that is what velocities lack that such steps made. κ is the weight of the third difference.
    """
    extrapolation = ratio / (1.0 + ratio)
    mass = 1.0 + extrapolation + third
    own = (0.5 - (1.0 + extrapolation - extrapolation / ratio**2) / 6.0 - third) / mass
    return own / (1.0 / 6.0 + 0.25 / ratio + (1.0 / 3.0 - third) / ratio**2)


def mean_changes(model: Model, parts: BodyParts, state: State, change: Floats) -> Floats:
    """(bodies,) root of the mean square of changes (n, 3) of velocities or positions, over the mass of each body."""
    spins, mass = model.rigids.spins, model.mass.copy()
    mass[spins] = 0.0
    square = mass * np.einsum("ni,ni->n", change, change)
    if len(spins):
        square[spins] = np.einsum("bi,bi->b", change[spins], model.rigids.momentum(state.rotations, change[spins]))
    total, weight = (sums_by_body(parts.node_body, x, parts.body_count) for x in (square, mass))
    return np.sqrt(np.maximum(total, 0.0) / np.maximum(weight, np.finfo(np.float64).tiny))

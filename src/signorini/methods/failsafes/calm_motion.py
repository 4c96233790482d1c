"""Calm motions: sub-steps of islands whose energy grew absurdly whatever was tried, so that it does not.

A part of the response to contact is tried first, as a line search does: along it the energy of the linearised step falls, and
so does that of the bodies if the part is small enough. If that does not help, the velocity is the one without contact, which
backward Euler damps, and only so much of the motion is taken that the elastic energy does not grow by more than the velocities
can pay for. No motion at all leaves the elastic energy as it is.

A deformable body that cannot move at all loses its vibration: with it, the next sub-step would begin as this one did and end as
it did, for ever, at a speed with which nothing moves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.methods.energy_balance import IslandBalances, measure_balances
from signorini.methods.energy_removal import without_surplus, without_vibration
from signorini.methods.failsafes.scale_back import scale_back
from signorini.methods.free_motion import free_motion, starting_motion
from signorini.methods.islands import NOBODY
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally

Floats = NDArray[np.float64]
PARTS = (1.0, 0.5, 0.25, 0.0625, 2.0**-8, 0.0)
"""Parts of the motion without contact that are tried."""
SHORTER = (1.0, 0.5, 0.25, 0.0625, 2.0**-8)
"""Parts of the response to contact that are tried before."""


def free_velocity(world: World, start: Moment, end_time: float, tally: Tally) -> Floats:
    """Velocities (n, 3) [m/s] at `end_time` [s] without any contact; those of the start if there are none."""
    state = start.state
    rule, reference = starting_motion(world, state, end_time - state.time, careful=True, rotating_frames=True)
    tally.work.count_free_motion(world.model.node_count)
    v = free_motion(world, state, None, tally, rule, reference, careful=False).velocity
    return v if np.isfinite(v).all() else state.v


def calm_step(
    world: World,
    start: Moment,
    end_time: float,
    velocity: Floats,
    grown: NDArray[np.bool_],
    tally: Tally,
    pushing: NDArray[np.integer] = NOBODY,
    *,
    part: float,
    response: Floats | None = None,
) -> tuple[Moment | None, Impacts, IslandBalances | None]:
    """Advance to `end_time` [s] with calm motions of the bodies that have `grown` (bodies,), and `velocity` (n, 3) of all others.

    In `velocity`, pairs of bodies `pushing` (m, 2) gave momentum to each other: either both are calm, or none. `response` (n, 3)
    [m/s] are velocities that answer to contact, with forces linearised about the start; None if there are none.

    Unexplained growth up to a `part` of the energy that takes part is left to the velocities, or left alone. Returns the end,
    before that growth is removed, the impacts and the balances; None as the end if not even no motion is safe.
    """
    parts, grown = world.parts, grown.copy()
    for shorter in SHORTER:
        if response is None or not tally.work.may_go_on_in_failsafe:
            break
        end, impacts, balances = _part_of(shorter, response, velocity, world, start, end_time, grown, tally, pushing)
        if end is None or balances is None or len(impacts.contacts):
            break  # scripts come in the way
        if not _unpaid(world, end, balances, part).any():
            return end, impacts, balances
    calm, rest = free_velocity(world, start, end_time, tally), 0
    while True:
        end, impacts, balances = _part_of(PARTS[rest], calm, velocity, world, start, end_time, grown, tally, pushing)
        if end is None or balances is None:
            return None, impacts, None
        unpaid = _unpaid(world, end, balances, part)
        if not unpaid.any() or rest + 1 == len(PARTS):
            return _without_stuck_vibration(world, start, end, grown), impacts, balances
        more = parts.movable & unpaid[balances.islands.of_body]
        rest += not (more & ~grown).any()
        if not tally.work.may_go_on_in_failsafe:
            rest = len(PARTS) - 1
        grown |= more


def _part_of(
    part: float,
    calm: Floats,
    velocity: Floats,
    world: World,
    start: Moment,
    end_time: float,
    grown: NDArray[np.bool_],
    tally: Tally,
    pushing: NDArray[np.integer],
) -> tuple[Moment | None, Impacts, IslandBalances | None]:
    """The end of a sub-step with a part of the motion `calm` (n, 3) [m/s] of what has `grown`, its impacts and its balances.

    Forces change the velocity of what moves a part of the way by that part: all of it would be energy from nothing. Angular
    velocities of rigid bodies are whole: a body that turns has another one at the end than at the start.
    """
    change = calm - start.state.v
    change[world.model.pinned(end_time)[0]] = 0.0
    change[world.model.mass == 0.0] = 0.0  # angular velocities
    chosen = grown[world.parts.node_body, None]
    motion, ends = np.where(chosen, calm, velocity), np.where(chosen, calm - (1.0 - part) * change, velocity)
    parts = np.where(grown, part, 1.0)
    end, impacts = scale_back(world, start, end_time, motion, tally, pushing, parts=parts, ends=ends)
    if end is None:
        return None, impacts, None
    return end, impacts, measure_balances(world, start, end, None, np.concatenate([pushing, impacts.contacts.bodies]))


def _unpaid(world: World, end: Moment, balances: IslandBalances, part: float) -> NDArray[np.bool_]:
    """(k,) the islands whose velocities cannot pay for what grew beyond a `part` of the energy that takes part."""
    _, removed = without_surplus(world, balances.islands, end.state, balances.surplus)
    return balances.surplus - removed > part * balances.scale + balances.noise


def _without_stuck_vibration(world: World, start: Moment, end: Moment, calm: NDArray[np.bool_]) -> Moment:
    """The end without the vibration of those `calm` bodies (bodies,) of which no node has moved."""
    moved = (end.state.q != start.state.q).any(axis=1)
    stuck = calm & (np.bincount(world.parts.node_body[moved], minlength=len(calm)) == 0)
    return replace(end, state=without_vibration(world, end.state, stuck)) if stuck.any() else end

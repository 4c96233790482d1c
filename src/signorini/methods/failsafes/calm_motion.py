"""Calm motions: sub-steps of islands whose energy grew absurdly whatever was tried, so that it does not.

The velocity is the one without contact, which backward Euler damps, and only so much of the motion is taken that the elastic
energy does not grow by more than the velocities can pay for. No motion at all leaves the elastic energy as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.detect import Impacts
from signorini.dynamics.assembly import assemble
from signorini.dynamics.reference_frames import reference_motion
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.methods.energy_balance import IslandBalances, measure_balances
from signorini.methods.energy_removal import without_surplus
from signorini.methods.failsafes.scale_back import scale_back
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally

Floats = NDArray[np.float64]
PARTS = (1.0, 0.5, 0.25, 0.0625, 2.0**-8, 0.0)
"""Parts of the motion that are tried."""


def free_velocity(world: World, start: Moment, end_time: float, tally: Tally) -> Floats:
    """Velocities (n, 3) [m/s] at `end_time` [s] without any contact; those of the start if there are none."""
    model, settings, state, dt = world.model, world.settings, start.state, end_time - start.state.time
    with tally.phase("unconstrained"):
        reference = reference_motion(model, state, dt)
        system = assemble(model, state, dt, reference=reference)
        v = solve_unconstrained(
            system.A,
            system.b,
            reference.start_velocity,
            tolerance=settings.linear_tolerance,
            direct_below=settings.direct_solve_below,
            velocity=reference.start_velocity,
        )
    return v if np.isfinite(v).all() else state.v


def calm_step(
    world: World,
    start: Moment,
    end_time: float,
    velocity: Floats,
    grown: NDArray[np.bool_],
    tally: Tally,
    *,
    part: float,
) -> tuple[Moment | None, Impacts, IslandBalances | None]:
    """Advance to `end_time` [s] with calm motions of the bodies that have `grown` (bodies,), and `velocity` (n, 3) of all others.

    Unexplained growth up to a `part` of the energy that takes part is left to the velocities, or left alone. Returns the end,
    before energy is removed, the impacts and the balances; None as the end if not even no motion is safe.
    """
    parts, grown = world.parts, grown.copy()
    calm, dt = free_velocity(world, start, end_time, tally), end_time - start.state.time
    falls = world.model.mass > 0.0
    falls[world.model.pinned(end_time)[0]] = False
    falling = dt * falls[:, None] * world.model.node_gravity
    rest = 0
    while True:
        # What moves only a part of the way falls only that part: its velocity would otherwise be energy from nothing.
        slower = calm - (1.0 - PARTS[rest]) * falling
        v = np.where(grown[parts.node_body, None], slower, velocity)
        end, impacts = scale_back(world, start, end_time, v, tally, parts=np.where(grown, PARTS[rest], 1.0))
        if end is None:
            return None, impacts, None
        balances = measure_balances(world, start, end, None, impacts)
        _, removed = without_surplus(world, balances.islands, end.state, balances.surplus)
        unpaid = balances.surplus - removed > part * balances.scale + balances.noise
        if not unpaid.any() or rest + 1 == len(PARTS):
            return end, impacts, balances
        more = parts.movable & unpaid[balances.islands.of_body]
        rest += not (more & ~grown).any()
        if not tally.work.may_go_on_in_failsafe:
            rest = len(PARTS) - 1
        grown |= more

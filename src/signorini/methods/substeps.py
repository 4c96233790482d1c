"""Constraint manifold refinement over a whole step: as few sub-steps as possible, by halving, and a fail-safe where that fails.

Implements: Otaduy2009 §4 (halving at most twice) and §5.6 (halving when the relaxation diverges).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory
from signorini.errors import SimulationStoppedError
from signorini.methods.cmr import FARTHEST_TURN, attempt_step
from signorini.methods.failsafes.failsafe import failsafe_step
from signorini.methods.method import CoveredStep, Method
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.report import Tally
from signorini.methods.stop_messages import pinch_message

PINCH_LEVEL = 10
"""Halvings of dt down to which a fail-safe tries to follow scripted bodies; what fails even then is pinched."""
TURN_LEVEL = 7
"""Halvings of dt at most that serve to respond to what a spinning body hits: enough for 96 rad in a step."""
GRID = 2**PINCH_LEVEL
"""Cells of the grid in time on which sub-steps begin and end, in one step."""


class ConstraintManifoldRefinement(Method):
    """The method `cmr` (Otaduy2009 §4)."""

    name = "cmr"

    def cover(self, start: Moment, end_time: float) -> CoveredStep:
        """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""
        dt, tally = end_time - start.state.time, Tally()
        moment, solved = cover_by_substeps(self.world, start, end_time, tally)
        return CoveredStep(moment, solved, tally.report(moment, dt=dt, names=self.world.model.body_names))

    def memory_arrays(self, memory: object) -> dict[str, NDArray]:
        """The contact impulses that the next step starts from."""
        if not isinstance(memory, ContactMemory):
            return {}
        return {
            "memory_key": memory.key,
            "memory_impulse": memory.impulse,
            "memory_dv": memory.dv,
            "memory_dt": np.array(memory.dt),
        }

    def recalled(self, arrays: Mapping[str, NDArray]) -> ContactMemory | None:
        """The contact impulses in a checkpoint; None when its last step had none, or was by another method."""
        if "memory_key" not in arrays:
            return None
        key = arrays["memory_key"].astype(np.int64)
        return ContactMemory(key, arrays["memory_impulse"], arrays["memory_dv"], float(arrays["memory_dt"]))


def cover_by_substeps(
    world: World, start: Moment, end_time: float, tally: Tally
) -> tuple[Moment, SolvedContacts | None]:
    """The end of the step and the last contact problem; None if a fail-safe ended the step."""
    dt, max_halvings = end_time - start.state.time, min(world.settings.max_halvings, PINCH_LEVEL)
    moment, solved = start, None
    level, done = 0, 0  # a sub-step is dt / 2^level; cells of the grid that are covered
    while done < GRID:
        cells = GRID >> level
        t1 = end_time if done + cells == GRID else start.state.time + dt * ((done + cells) / GRID)
        attempt = attempt_step(world, moment, t1, tally)
        if attempt.moment is not None and np.isfinite(attempt.moment.state.v).all():
            after, solved = attempt.moment, attempt.solved
        elif level < max_halvings or level < turn_level(level, attempt.turn):
            level = max(level + 1, turn_level(level, attempt.turn))
            tally.halvings += 1
            continue
        else:
            velocity = attempt.tentative_velocity
            if not np.isfinite(velocity).all():
                velocity = moment.state.v
            after, impacts = failsafe_step(world, moment, t1, velocity, tally)
            tally.failsafe_substeps += 1
            if after is None:
                level += 1
                if level > PINCH_LEVEL:
                    raise SimulationStoppedError(pinch_message(world, impacts, moment.state.time))
                continue
            solved = None
        tally.accept_substep(t1 - moment.state.time)
        moment, done = after, done + cells
        # A coarser sub-step may do again once the hard part is behind, if the grid allows it.
        if level > max_halvings and done % (GRID >> (level - 1)) == 0:
            level -= 1
    return moment, solved


def turn_level(level: int, turn: float) -> int:
    """The halvings of dt after which a turn [rad] that was tried with `level` of them is small enough; 0 if that is too many."""
    needed = level + math.ceil(math.log2(max(turn / FARTHEST_TURN, 1.0)))
    return needed if needed <= TURN_LEVEL else 0

"""Jumps of velocities by impacts, which a second-order step must not take for acceleration.

A parabola through the moments before and after an impact bounces. So the response to contact of an island in which something hits
something is a jump, which the history of its bodies gets too: they go on as if they had always moved like that. In an island
where all contacts last, contact forces are forces like others. The choice is one for the whole island, so that what contacts
give to one body they take from another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import sums_by_body
from signorini.dynamics.step_rule import StepRule
from signorini.methods.islands import find_islands
from signorini.methods.moment import World
from signorini.model.rigid_bodies import FreeSpin
from signorini.model.state import State

Floats = NDArray[np.float64]
SMOOTH = 2.0
"""Change of the velocity of a body by contact, over that by all other forces, above which it is an impact. At rest it is 1."""


def impact_jumps(
    world: World,
    state: State,
    rule: StepRule,
    spin: FreeSpin,
    touching: NDArray[np.integer],
    v_free: Floats,
    response: Floats,
) -> Floats:
    """The part (n, 3) of a response (n, 3) to contact between pairs of bodies (m, 2) that is impact [m/s].

    v_free (n, 3) are the displacements over dt without contact.
    """
    if not len(touching):
        return np.zeros_like(response)
    parts, spins = world.parts, world.model.rigids.spins
    changed = v_free - state.v
    if rule.second_order and state.history is not None:
        changed = v_free - state.history.displacement
        changed[spins] = (
            v_free[spins] - np.linalg.solve(spin.inertia, state.history.displacement[spins, :, None])[..., 0]
        )
        if rule.first_order is not None:
            changed[rule.first_order] = (v_free - state.v)[rule.first_order]
    contact, other = (_sizes(world, spin, x) for x in (response, changed))
    hit = contact > SMOOTH**2 * other
    islands = find_islands(parts, touching, parts.node_body[world.model.pinned(state.time + rule.dt)[0]])
    island_hit = np.zeros(islands.count, dtype=bool)
    island_hit[islands.of_body[hit & parts.movable]] = True
    jumps = parts.movable & island_hit[islands.of_body]
    return np.where(jumps[parts.node_body, None], response, 0.0)


def _sizes(world: World, spin: FreeSpin, change: Floats) -> Floats:
    """(bodies,) twice the kinetic energies of changes of velocity (n, 3) [J]."""
    parts, spins = world.parts, world.model.rigids.spins
    energy = world.model.mass * np.einsum("ni,ni->n", change, change)
    if len(spins):
        energy[spins] = np.einsum("bi,bij,bj->b", change[spins], spin.inertia, change[spins])
    return sums_by_body(parts.node_body, energy, parts.body_count)

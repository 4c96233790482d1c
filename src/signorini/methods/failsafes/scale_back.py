"""The last resort: a step that keeps the state free of intersection whatever the solver did.

The motion is scaled back to before the first impact, and the velocity with which pairs approach is removed. A motion
scaled to zero is always safe unless scripted bodies move into a body; then only smaller steps can help, and when those
do not either, the body is pinched and the simulation stops with the names of the bodies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import Impacts, detect_continuous, detect_proximity
from signorini.contact.frames import contact_jacobian
from signorini.dynamics.advance import advance, state_after
from signorini.methods.failsafes.node_masses import mass_blocks
from signorini.methods.moment import Moment, Tally, World
from signorini.model.model import Model
from signorini.model.rigid_bodies import predict_spin
from signorini.model.state import State

SMALLEST_SCALE = 2.0**-12
"""Below this fraction the motion is set to zero."""
SWEEPS = 20
"""Passes over the impacts that remove approaching velocity."""


def emergency_step(
    world: World, start: Moment, dt: float, velocity: NDArray[np.float64], tally: Tally
) -> tuple[Moment | None, Impacts]:
    """Advance by dt with as much of the motion `velocity` (n, 3) as is safe; None if even standing still is not.

    Also returns the impacts of the full motion (of standing still, when that is not safe).
    """
    model, state = world.model, start.state
    x0, t1 = start.surface_positions, state.time + dt
    kinematic = model.kinematic_positions(t1)
    pinned, targets = model.pinned(t1)
    spin = predict_spin(model.rigids, state.rotations, state.v[model.rigids.spins], dt)
    scale, impacts = 1.0, None
    with tally.phase("check"):
        while True:
            # Prescribed nodes must arrive whatever happens to the others.
            scaled = scale * velocity
            scaled[pinned] = (targets - state.q[pinned]) / dt
            placed = advance(model, state, scaled, replace(spin, drift=scale * spin.drift), kinematic, dt)
            x1 = placed.surface_positions
            candidates = world.tree.find_candidates(x0, x1, distance=world.detection_distance, margin=0.0)
            found = detect_continuous(model.surface, candidates, x0, x1, separation=world.separation)
            impacts = impacts or found
            if not len(found.contacts):
                v1 = remove_approach(model, state, impacts.contacts, velocity, (x1 - x0) / dt, pinned, spin.inertia)
                near = detect_proximity(model.surface, candidates, x1, distance=world.detection_distance)
                after = state_after(model, state, placed, v1, spin, t1)
                return Moment(after, x1, near, candidates, None), impacts
            if scale == 0.0:
                return None, found
            # The first retry stops just before the first impact, later ones shrink further, the last is no motion.
            scale = min(0.5 * scale, 0.9 * scale * found.first_time)
            scale = scale if scale > SMALLEST_SCALE else 0.0


def remove_approach(
    model: Model,
    state: State,
    contacts: ContactSet,
    velocity: NDArray[np.float64],
    surface_velocity: NDArray[np.float64],
    pinned: NDArray[np.int32],
    inertia: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Inelastic impulses, contact by contact: afterwards the pairs no longer approach (momentum is conserved).

    `velocity` (n, 3) is that of the nodes; of `surface_velocity` (v, 3) only the kinematic vertices count; `inertia`
    (b, 3, 3) is that of the rigid bodies in the world.
    """
    movable = np.ones(model.node_count, dtype=np.uint8)
    movable[pinned] = 0
    surface_map = model.surface_map.turned(state.rotations)
    moving = surface_map.velocities(velocity)
    moving[model.kinematic_first :] = surface_velocity[model.kinematic_first :]
    J = contact_jacobian(contacts, moving, surface_map, movable)
    inverse_mass = np.linalg.inv(mass_blocks(model, state, inertia))
    v = velocity.copy()
    for _ in range(SWEEPS):
        for c in range(len(contacts)):
            members = slice(J.indptr[c], J.indptr[c + 1])
            nodes, rows = J.nodes[members], J.blocks[members, 0]
            approach = float(J.free_velocity[c, 0] + (rows * (v[nodes] - velocity[nodes])).sum())
            response = np.einsum("kij,kj->ki", inverse_mass[nodes], rows)
            mobility = float((rows * response).sum())
            if approach < 0.0 and mobility > 0.0:
                v[nodes] -= (approach / mobility) * response
    return v

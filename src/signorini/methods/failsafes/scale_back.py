"""Scaling back, the last resort: a step that keeps the state free of intersection whatever the solver did.

The motion of what collides, and of what hangs together with it, is scaled back to before the first impact, and the velocity
with which pairs approach is removed. A motion scaled to zero is always safe unless scripted bodies move into a body; then only
smaller steps can help, and when those do not either, the body is pinched and the simulation stops with the names of the bodies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import Impacts
from signorini.contact.frames import contact_jacobian
from signorini.dynamics.body_energies import BodyParts
from signorini.methods.failsafes.node_masses import mass_blocks
from signorini.methods.failsafes.scale_back_kernels import stop_approach
from signorini.methods.islands import distinct_pairs, find_islands
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion

Floats = NDArray[np.float64]
SMALLEST_SCALE = 2.0**-12
"""Below this fraction the motion is set to zero."""
LEAST_REDUCTION = 0.5
"""Factor by which each retry shortens the motion at least, so that about twelve end in no motion."""
IMPACT_MARGIN = 0.9
"""Part of the time of the first impact that a retry goes to."""
SWEEPS = 20
"""Passes over the impacts that remove approaching velocity."""


def scale_back(
    world: World, start: Moment, end_time: float, velocity: Floats, tally: Tally, *, parts: Floats | None = None
) -> tuple[Moment | None, Impacts]:
    """Advance to `end_time` [s] with as much of the motion `velocity` (n, 3) [m/s] as is safe; None if not even no motion is.

    Bodies are scaled back together with those that they would hit; all others move on. `parts` (bodies,) are the parts of the
    motions to begin with, instead of the whole. Also returns the impacts of the full motion (of standing still, when that is
    not safe).
    """
    motion = TrialMotion(world, start, end_time, track_pairs=False)
    scale = np.ones(world.parts.body_count) if parts is None else parts.copy()
    impacts, hit = None, np.zeros((0, 2), np.int32)
    with tally.phase("check"):
        while True:
            # Prescribed nodes must arrive whatever happens to the others.
            scaled = motion.prescribed(scale[world.parts.node_body, None] * velocity)
            placed = motion.place(scaled, spin_part=scale[world.parts.rigid_body, None])
            found = motion.find_impacts(placed)
            tally.work.count_check(len(motion.candidates))
            impacts = impacts or found
            if not len(found.contacts):
                v1 = remove_approach(
                    motion, impacts.contacts, velocity, motion.surface_velocity(placed.surface_positions)
                )
                return motion.finish(placed, v1), impacts
            hit = np.concatenate([hit, distinct_pairs(found.contacts.bodies, world.parts.body_count)])
            shorter = shortened(world.parts, scale, hit, found)
            if (shorter == scale).all():
                return None, found
            scale = shorter


def shortened(parts: BodyParts, scale: Floats, hit: NDArray[np.integer], found: Impacts) -> Floats:
    """Smaller parts (bodies,) of the motions of the islands with an impact: just before the first one, then less, then none.

    `hit` (m, 2) are all pairs of bodies with an impact so far.
    """
    islands = find_islands(parts, hit, np.zeros(0, np.int32))
    impact = np.zeros(islands.count, dtype=bool)
    bodies = found.contacts.bodies.ravel()
    impact[islands.of_body[bodies[parts.movable[bodies]]]] = True
    least = np.ones(islands.count)
    np.minimum.at(least, islands.of_body[parts.movable], scale[parts.movable])
    least *= min(LEAST_REDUCTION, IMPACT_MARGIN * found.first_time)
    least[least <= SMALLEST_SCALE] = 0.0
    change = parts.movable & impact[islands.of_body]
    return np.where(change, least[islands.of_body], scale)


def remove_approach(
    motion: TrialMotion, contacts: ContactSet, velocity: Floats, surface_velocity: Floats
) -> NDArray[np.float64]:
    """Inelastic impulses, contact by contact: afterwards the pairs no longer approach (momentum is conserved).

    `velocity` (n, 3) [m/s] is that of the nodes; of `surface_velocity` (v, 3) [m/s] only the kinematic vertices count.
    """
    model, state, movable = motion.world.model, motion.start.state, motion.movable
    surface_map = model.surface_map.turned(state.rotations)
    moving = surface_map.velocities(velocity)
    moving[model.kinematic_first :] = surface_velocity[model.kinematic_first :]
    J = contact_jacobian(contacts, moving, surface_map, movable)
    inverse_mass = np.ascontiguousarray(np.linalg.inv(mass_blocks(model, state, motion.spin.inertia)))
    v, normals = velocity.copy(), np.ascontiguousarray(J.blocks[:, 0])
    stop_approach(J.indptr, J.nodes, normals, inverse_mass, J.free_velocity[:, 0].copy(), SWEEPS, v, np.zeros_like(v))
    return v

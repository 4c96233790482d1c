"""Scaling back, the last resort: a step that keeps the state free of intersection whatever the solver did.

The motion of what collides, and of what hangs together with it, is scaled back to before the first impact, and the velocity
with which pairs approach is removed. A motion scaled to zero is always safe unless scripted bodies move into a body; then only
smaller steps can help, and when those do not either, the body is pinched and the simulation stops with the names of the bodies.

What moves a part of the way releases a part of its strain, but elastic forces have done the work of the whole step on its
velocity. Where that is energy from nothing, as much of the change of velocity is kept as is none. Weight is not held back:
what does not come down would never begin to fall.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import Impacts
from signorini.contact.frames import contact_jacobian
from signorini.dynamics.advance import Placement
from signorini.dynamics.body_energies import BodyParts, sums_by_body
from signorini.methods.energy_balance import measure_balances
from signorini.methods.failsafes.node_masses import mass_blocks
from signorini.methods.failsafes.scale_back_kernels import stop_approach
from signorini.methods.islands import NOBODY, distinct_pairs, find_islands
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
    world: World,
    start: Moment,
    end_time: float,
    velocity: Floats,
    tally: Tally,
    pushing: NDArray[np.integer] = NOBODY,
    *,
    parts: Floats | None = None,
    ends: Floats | None = None,
) -> tuple[Moment | None, Impacts]:
    """Advance to `end_time` [s] with as much of the motion `velocity` (n, 3) [m/s] as is safe; None if not even no motion is.

    Bodies are scaled back together with those that they would hit; all others move on. In `velocity`, pairs of bodies `pushing`
    (m, 2) gave momentum to each other. `parts` (bodies,) are the parts of the motions to begin with, instead of the whole;
    `ends` (n, 3) [m/s] are the velocities afterwards, if they are not those of the motion. Also returns the impacts of the full
    motion (of standing still, when that is not safe).
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
                return end_without_gain(
                    motion, placed, velocity if ends is None else ends, impacts, pushing, shortened=scale < 1.0
                ), impacts
            hit = np.concatenate([hit, distinct_pairs(found.contacts.bodies, world.parts.body_count)])
            shorter = shortened(world.parts, scale, hit, found, at_once=not tally.work.may_go_on_in_failsafe)
            if (shorter == scale).all():
                return None, found
            scale = shorter


def shortened(
    parts: BodyParts, scale: Floats, hit: NDArray[np.integer], found: Impacts, *, at_once: bool = False
) -> Floats:
    """Smaller parts (bodies,) of the motions of the islands with an impact: just before the first one, then less, then none.

    `hit` (m, 2) are all pairs of bodies with an impact so far. None `at_once` where there is no work left for retries.
    """
    islands = find_islands(parts, hit, np.zeros(0, np.int32))
    impact = np.zeros(islands.count, dtype=bool)
    bodies = found.contacts.bodies.ravel()
    impact[islands.of_body[bodies[parts.movable[bodies]]]] = True
    least = np.ones(islands.count)
    np.minimum.at(least, islands.of_body[parts.movable], scale[parts.movable])
    least *= 0.0 if at_once else min(LEAST_REDUCTION, IMPACT_MARGIN * found.first_time)
    least[least <= SMALLEST_SCALE] = 0.0
    change = parts.movable & impact[islands.of_body]
    return np.where(change, least[islands.of_body], scale)


def end_without_gain(
    motion: TrialMotion,
    placed: Placement,
    velocity: Floats,
    impacts: Impacts,
    pushing: NDArray[np.integer],
    *,
    shortened: NDArray[np.bool_],
) -> Moment:
    """The end of a step at a placement with velocities (n, 3) [m/s] that no longer approach the impacts.

    Islands with bodies whose way was `shortened` (bodies,) gain no more by that than the height that is left: all their bodies
    keep the same part of what has changed their velocities since the start, so that what they gave to each other has no momentum.
    """
    world, surface_velocity = motion.world, motion.surface_velocity(placed.surface_positions)
    v = remove_approach(motion, impacts.contacts, velocity, surface_velocity)
    end = motion.finish(placed, v)
    if not shortened.any():
        return end
    balances = measure_balances(world, motion.start, end, None, np.concatenate([pushing, impacts.contacts.bodies]))
    islands, short = balances.islands, np.zeros(balances.islands.count, dtype=bool)
    short[islands.of_body[shortened & world.parts.movable]] = True
    model, q0 = world.model, motion.start.state.q
    left = model.mass * (model.node_gravity * (motion.dt * velocity - (placed.q - q0))).sum(axis=1)
    height = np.maximum(0.0, islands.sums(sums_by_body(world.parts.node_body, left, world.parts.body_count)))
    gained = balances.net - height
    gained = np.where(short & (gained > balances.noise), gained, 0.0)
    if not gained.any():
        return end
    before = velocity_before(motion, v)
    change = v - before
    squared = islands.sums(kinetic_products(motion, placed, change, change))
    mixed = 2.0 * islands.sums(kinetic_products(motion, placed, before, change))
    kept = np.where(gained > 0.0, kept_part(squared, mixed, gained), 1.0)
    v = before + kept[islands.of_body[world.parts.node_body], None] * change
    return motion.finish(placed, remove_approach(motion, impacts.contacts, v, surface_velocity))


def kept_part(squared: Floats, mixed: Floats, gained: Floats) -> Floats:
    """The largest x in [0, 1] with squared x² + mixed x <= squared + mixed - gained, or that of the least energy if none has it.

    All are (k,) [J], of islands: the energy of the change of velocity, its product with the velocity before, and what was gained.
    """
    a = np.maximum(squared, np.finfo(float).tiny)
    root = np.sqrt(np.maximum(0.0, mixed**2 + 4.0 * a * (squared + mixed - gained)))
    return np.clip((root - mixed) / (2.0 * a), 0.0, 1.0)


def velocity_before(motion: TrialMotion, v: Floats) -> Floats:
    """Velocities (n, 3) [m/s] at the start; v itself for pinned nodes, and angular velocities as if there were no torque."""
    before, pinned, spin = motion.start.state.v.copy(), motion.pins[0], motion.spin
    before[motion.world.model.rigids.spins] = np.linalg.solve(spin.inertia, spin.momentum[:, :, None])[:, :, 0]
    before[pinned] = v[pinned]
    return before


def kinetic_products(motion: TrialMotion, placed: Placement, v: Floats, w: Floats) -> Floats:
    """½ v' M w (bodies,) [J] for velocities (n, 3) [m/s] at a placement; of one motion it is the kinetic energy."""
    model, parts, bodies = motion.world.model, motion.world.parts, motion.world.parts.body_count
    product = sums_by_body(parts.node_body, 0.5 * model.mass * (v * w).sum(axis=1), bodies)
    if len(model.rigids):
        spins, inertia = model.rigids.spins, motion.spin.inertia
        Lv, Lw = (np.einsum("bij,bj->bi", inertia, u[spins]) for u in (v, w))
        turning = (Lv * model.rigids.angular_velocity(placed.rotations, Lw)).sum(axis=1)
        product += sums_by_body(parts.rigid_body, 0.5 * turning, bodies)
    return product


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

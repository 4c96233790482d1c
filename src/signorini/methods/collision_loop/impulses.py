"""Geometric collisions one after the other: inelastic impulses along the normals of the pairs on a collision course.

Implements: Bridson2002 §7.4, step 3b of Sifakis2008 §3 in its older form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactSet
from signorini.contact.frames import contact_jacobian
from signorini.dynamics.advance import Placement
from signorini.methods.collision_loop import impulses_kernels as kernels
from signorini.methods.collision_loop.effective_motion import EffectiveMotion
from signorini.methods.report import Tally

Floats = NDArray[np.float64]


def resolve_by_impulses(motion: EffectiveMotion, v: Floats, tally: Tally) -> tuple[Floats, int]:
    """The effective velocity (n, 3) after at most `sweeps` passes of impulses, and the pairs found in the first one.

    Every pass finds the colliding pairs anew; one without any ends it. Each impulse ends the approach of its pair and lowers the
    kinetic energy.
    """
    found = 0
    for k in range(motion.world.settings.collision_loop.sweeps):
        placed = motion.place(v)
        with tally.phase("check"):
            contacts = find_contacts(motion, placed)
        if not len(contacts):
            break
        found = found or len(contacts)
        tally.refinements = max(tally.refinements, k + 1)
        tally.outer_iterations += 1
        none = np.zeros(len(contacts))
        with tally.phase("contact"):
            v, _ = apply_impulses(motion, contacts, v, placed.surface_positions, target=none, friction=none)
    return v, found


def find_contacts(motion: EffectiveMotion, placed: Placement) -> ContactSet:
    """The pairs on a collision course to a placement, with the points and normals that the settings ask for.

    `start`: the shortest connection at the start, as Sifakis2008 §7 says of Bridson2002. `impact`: those at the time of impact.
    """
    if motion.world.settings.collision_loop.normals == "impact":
        return motion.find_impacts(placed).contacts
    pairs, surface, x0 = motion.find_pairs(placed), motion.world.model.surface, motion.start.surface_positions
    m, columns = len(pairs.vertices), len(pairs.vertex_plane)
    vertex, plane = pairs.vertex_plane.T
    vertices = np.full((m + columns, 4), -1, np.int32)
    weights, normal, distance = np.zeros((m + columns, 4)), np.empty((m + columns, 3)), np.empty(m + columns)
    vertices[:m], vertices[m:, 0], weights[m:, 0] = pairs.vertices, vertex, 1.0
    normal[m:] = surface.plane_normal[plane]
    distance[m:] = (normal[m:] * x0[vertex]).sum(axis=1) - surface.plane_height[plane]
    edges_meet = np.arange(m) >= pairs.edge_first
    kernels.connect(pairs.vertices, edges_meet, x0, weights[:m], normal[:m], distance[:m])
    bodies = np.zeros((m + columns, 2), np.int32)
    return ContactSet(np.zeros(m + columns, np.int64), vertices, weights, normal, distance, bodies)


def apply_impulses(
    motion: EffectiveMotion, contacts: ContactSet, v: Floats, x1: Floats, *, target: Floats, friction: Floats
) -> tuple[Floats, int]:
    """One pass over the contacts, in their order, from the velocity v (n, 3) that leads to x1 (v, 3).

    Each contact that separates slower than target (m,) [m/s] gets the impulse that makes it do so, and friction (m,) up to that
    coefficient times it. Returns the new velocity and how many had an impulse.
    """
    J = contact_jacobian(contacts, motion.surface_velocity(x1), motion.surface_map, motion.movable)
    after = v.copy()
    count = kernels.sweep(
        J.indptr, J.nodes, J.blocks, J.free_velocity, friction, target, motion.inverse_mass, v, after
    )  # fmt: skip
    return after, int(count)

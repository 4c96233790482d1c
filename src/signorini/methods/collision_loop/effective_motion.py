"""The effective motion of a collision step (Sifakis2008 §3): constant velocities, and the masses for impulses.

Impulses act on surface vertices; what they do to the nodes goes through the surface map (decision 0007), so that cloth, solids,
rigid bodies, pins and kinematic vertices need no cases: what cannot be moved has no inverse mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from signorini.collision.separation import Separation
from signorini.dynamics.advance import Placement
from signorini.geometry.triangles import vertex_areas
from signorini.methods.collision_loop import effective_motion_kernels as kernels
from signorini.methods.failsafes.node_masses import mass_blocks
from signorini.methods.moment import Moment, World
from signorini.methods.trial_motion import TrialMotion
from signorini.model import rigid_bodies_kernels as rigid_kernels
from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, with_whole_turns
from signorini.model.state import State

Floats = NDArray[np.float64]
SEPARATION = 0.01
"""What a motion must leave between two primitives over δ (half of what there was, if that is less). Far less than η of the other
methods: the paper's test is exact. This one never misses a pair, and must stop before the distance is zero."""


@dataclass(frozen=True, slots=True)
class CollidingPairs:
    """Pairs on a collision course: vertex and triangle, then two edges; and vertices that reach a plane."""

    vertices: NDArray[np.int32]
    """(m, 4) surface vertices."""
    edge_first: int
    """The pairs from here on are two edges."""
    vertex_plane: NDArray[np.int32]
    """(c, 2) surface vertex and plane."""

    def __len__(self) -> int:
        return len(self.vertices) + len(self.vertex_plane)


class EffectiveMotion(TrialMotion):
    """The trial motions of a collision step, with what impulses need.

    The effective velocity of a rigid body's rotation is the whole turn over dt: no free rotation is added to it.
    """

    def __init__(self, world: World, start: Moment, end_time: float) -> None:
        spin = _no_spin(world.model, world.model.rigids.inertia)
        self.least_gap = SEPARATION * world.contact_distance
        separation = Separation.uniform(world.model.surface, self.least_gap)
        super().__init__(world, start, end_time, spin=spin, separation=separation)
        self.surface_map = world.model.surface_map.turned(start.state.rotations)

    @cached_property
    def inverse_mass(self) -> Floats:
        """(n, 3, 3) [1/kg, 1/(kg m²)]; pinned nodes are not `movable`, whatever is here."""
        model, state = self.world.model, self.start.state
        inverse = np.linalg.inv(mass_blocks(model, state, model.rigids.world_inertia(state.rotations)))
        return np.ascontiguousarray(inverse, dtype=np.float64)

    @cached_property
    def vertex_area(self) -> Floats:
        """(v,) a third of the area of the triangles at each surface vertex at the start [m²]."""
        return vertex_areas(self.start.surface_positions, self.world.model.surface.triangles)

    def velocity_to(self, candidate: State) -> Floats:
        """The effective velocity (n, 3) that leads to a candidate: (x* − x)/dt, and the turn over dt for rigid bodies."""
        model, state = self.world.model, self.start.state
        v = (candidate.q - state.q) / self.dt
        if len(model.rigids):
            turn = np.empty((len(model.rigids), 3))
            rigid_kernels.turns_between(state.rotations, candidate.rotations, turn)
            mean = 0.5 * (state.v + candidate.v)[model.rigids.spins]
            v[model.rigids.spins] = with_whole_turns(turn, self.dt * mean) / self.dt
        return v

    def find_pairs(self, placed: Placement) -> CollidingPairs:
        """The pairs of `find_impacts`, each with all its vertices, without the smaller features that several share."""
        paths, x0, x1 = self.paths(placed), self.start.surface_positions, placed.surface_positions
        self.find_candidates(placed, paths)
        surface, near = self.world.model.surface, self.candidates
        triangles, edges = near.bounds.approaching(x0, x1, self.least_gap, paths)
        capacity = 1024
        while True:
            vertices = np.empty((capacity, 4), np.int32)
            first, count = kernels.colliding_pairs(
                triangles.pairs,
                edges.pairs,
                surface.triangles,
                surface.edges,
                x0,
                x1,
                paths.arrays,
                self.least_gap,
                triangles.distance,
                edges.distance,
                vertices,
            )
            if count <= capacity:
                break
            capacity = count
        triangles.learn()
        edges.learn()
        rows = np.empty(len(near.vertex_plane), np.int64)
        below = kernels.colliding_planes(
            near.vertex_plane, surface.plane_normal, surface.plane_height, x0, x1, paths.arrays, self.least_gap, rows
        )
        return CollidingPairs(vertices[:count].copy(), int(first), near.vertex_plane[rows[:below]])

    def finish_from(self, candidate: State, placed: Placement, v1: Floats) -> Moment:
        """The moment at a placement without impacts, with velocities v1 (n, 3) [m/s]; the integrator had reached `candidate`."""
        spin = _no_spin(self.world.model, self.world.model.rigids.world_inertia(placed.rotations))
        return self.finish(placed, v1, spin=spin, integrated=candidate)


def _no_spin(model: Model, inertia: Floats) -> FreeSpin:
    """No free rotation, for rigid bodies with inertia (b, 3, 3) [kg m²]."""
    return FreeSpin(np.zeros((0, 3)), inertia, np.zeros((len(model.rigids), 3)))

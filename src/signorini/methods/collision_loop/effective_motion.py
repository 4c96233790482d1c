"""One collision step as Sifakis2008 §3 sees it: the positions at its start, a constant effective velocity, and the masses.

Impulses act on surface vertices; what they do to the nodes goes through the surface map (decision 0007), so that cloth, solids,
rigid bodies, pins and kinematic vertices need no cases: what cannot be moved has no inverse mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import Candidates
from signorini.collision.detect import Impacts, detect_continuous, detect_proximity
from signorini.dynamics.advance import Placement, advance, state_after
from signorini.methods.collision_loop import effective_motion_kernels as kernels
from signorini.methods.failsafes.node_masses import mass_blocks
from signorini.methods.moment import Moment, World
from signorini.model import rigid_bodies_kernels as rigid_kernels
from signorini.model.rigid_bodies import FreeSpin
from signorini.model.state import State

Floats = NDArray[np.float64]
SEPARATION = 0.01
"""What a motion must leave between two primitives, as a part of δ (half of what there was, when that is less). The paper's test
is exact; this one never misses, and must stop before the distance is zero."""


@dataclass(frozen=True, slots=True)
class CollidingPairs:
    """What is on a collision course: pairs of vertex and triangle, then pairs of edges, and vertices that reach a plane."""

    vertices: NDArray[np.int32]
    """(m, 4) surface vertices."""
    edge_first: int
    """The pairs from here on are two edges."""
    vertex_plane: NDArray[np.int32]
    """(c, 2) surface vertex and plane."""

    def __len__(self) -> int:
        return len(self.vertices) + len(self.vertex_plane)


class EffectiveMotion:
    """All straight motions from one moment for dt [s]; a velocity (n, 3) [m/s] of the nodes names one of them."""

    def __init__(self, world: World, start: Moment, end_time: float) -> None:
        self.world, self.start, self.end_time = world, start, end_time
        model, state = world.model, start.state
        self.dt = end_time - state.time
        self.kinematic = model.kinematic_positions(end_time)
        self.surface_map = model.surface_map.turned(state.rotations)
        self.movable = np.ones(model.node_count, dtype=np.uint8)
        self.movable[model.pinned(end_time)[0]] = 0
        self.candidates: Candidates = start.candidates

    @cached_property
    def inverse_mass(self) -> Floats:
        """(n, 3, 3) [1/kg, 1/(kg m²)]; pinned nodes are not `movable`, whatever is here."""
        model, state = self.world.model, self.start.state
        inverse = np.linalg.inv(mass_blocks(model, state, model.rigids.world_inertia(state.rotations)))
        return np.ascontiguousarray(inverse, dtype=np.float64)

    @cached_property
    def vertex_area(self) -> Floats:
        """(v,) a third of the area of the triangles at each surface vertex at the start [m²]."""
        triangles, x = self.world.model.surface.triangles, self.start.surface_positions
        a, b, c = x[triangles.T]
        third = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
        return np.bincount(triangles.ravel(), weights=np.repeat(third, 3), minlength=len(x)).astype(np.float64)

    def velocity_to(self, candidate: State) -> Floats:
        """The effective velocity (n, 3) that leads to a candidate: (x* − x)/dt, and the turn over dt for rigid bodies."""
        model, state = self.world.model, self.start.state
        v = (candidate.q - state.q) / self.dt
        if len(model.rigids):
            turn = np.empty((len(model.rigids), 3))
            rigid_kernels.turns_between(state.rotations, candidate.rotations, turn)
            v[model.rigids.spins] = turn / self.dt
        return v

    def place(self, v: Floats) -> Placement:
        """Where an effective velocity takes everything."""
        model = self.world.model
        spin = FreeSpin(np.zeros((0, 3)), model.rigids.inertia, np.zeros((len(model.rigids), 3)))
        return advance(model, self.start.state, v, spin, self.kinematic, self.dt)

    def surface_velocity(self, x1: Floats) -> Floats:
        """Velocities (v, 3) of all surface vertices that arrive at x1 (v, 3), kinematic ones included."""
        return (x1 - self.start.surface_positions) / self.dt

    def cover(self, x1: Floats) -> None:
        """Make sure that the candidate pairs are complete for the straight motion to x1 (v, 3)."""
        self.candidates = self.world.pairs_for(self.start.surface_positions, x1, self.candidates)

    @property
    def separation(self) -> float:
        """What pairs must keep between them on the way [m]."""
        return SEPARATION * self.world.contact_distance

    def find_impacts(self, x1: Floats) -> Impacts:
        """The pairs on a collision course on the straight way to x1 (v, 3)."""
        self.cover(x1)
        return detect_continuous(
            self.world.model.surface, self.candidates, self.start.surface_positions, x1, separation=self.separation
        )

    def find_pairs(self, x1: Floats) -> CollidingPairs:
        """The same pairs as they are, each with all its vertices, without the smaller features that several share."""
        self.cover(x1)
        surface, near, x0 = self.world.model.surface, self.candidates, self.start.surface_positions
        capacity = 1024
        while True:
            vertices = np.empty((capacity, 4), np.int32)
            first, count = kernels.colliding_pairs(
                near.vertex_triangle,
                near.edge_edge,
                surface.triangles,
                surface.edges,
                x0,
                x1,
                self.separation,
                vertices,
            )
            if count <= capacity:
                break
            capacity = count
        rows = np.empty(len(near.vertex_plane), np.int64)
        below = kernels.colliding_planes(
            near.vertex_plane, surface.plane_normal, surface.plane_height, x0, x1, self.separation, rows
        )
        return CollidingPairs(vertices[:count].copy(), int(first), near.vertex_plane[rows[:below]])

    def finish(self, candidate: State, placed: Placement, v1: Floats) -> Moment:
        """The moment at a placement that was found free, with velocities v1 (n, 3) at its end."""
        world, model, x1 = self.world, self.world.model, placed.surface_positions
        near = detect_proximity(model.surface, self.candidates, x1, distance=world.detection_distance)
        inertia = model.rigids.world_inertia(placed.rotations)
        spin = FreeSpin(np.zeros((0, 3)), inertia, np.zeros((len(model.rigids), 3)))
        state = state_after(model, candidate, placed, v1, spin, self.end_time)
        return Moment(state, x1, near, self.candidates, None)

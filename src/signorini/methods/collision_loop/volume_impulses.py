"""Geometric collisions all at once: impulses that keep the volumes of the tetrahedra between colliding pairs.

Implements: Sifakis2008 §5 and its Table 1, step 3b of its §3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.methods.collision_loop import volume_impulses_kernels as kernels
from signorini.methods.collision_loop.effective_motion import CollidingPairs, EffectiveMotion
from signorini.methods.report import Tally

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
LEAST_GAP = 0.1
"""Pairs that start closer than this part of δ are given as much room."""
MAX_ITERATIONS = 200
"""Of MINRES; 10 are usual at the default tolerance."""


@dataclass(frozen=True, slots=True)
class CollisionVolumes:
    """t collision tetrahedra and, after them, the columns between c vertices and planes; m = t + c.

    A half-space has no vertices: the fluid below a vertex is a column of the constant area that the vertex has at the start.
    """

    vertices: Ints
    """(m, 4) surface vertices; a column has its vertex first, then -1."""
    sign: Floats
    """(t,) orientation that makes the volume at the start positive."""
    column: Floats
    """(c, 3) area times the normal of the plane [m²]."""
    column_floor: Floats
    """(c,) area times the height of the plane [m³]."""

    def __len__(self) -> int:
        return len(self.vertices)

    def volumes(self, x: Floats) -> Floats:
        """V (m,) [m³] at positions x (v, 3)."""
        V, t = np.empty(len(self)), len(self.sign)
        kernels.volumes(self.vertices, self.sign, x, V)
        V[t:] = (self.column * x[self.vertices[t:, 0]]).sum(axis=1) - self.column_floor
        return V

    def gradients(self, x: Floats) -> Floats:
        """F = (∂V/∂x)' as (m, 4, 3) [m²] at positions x (v, 3)."""
        F, t = np.zeros((len(self), 4, 3)), len(self.sign)
        kernels.gradients(self.vertices, self.sign, x, F)
        F[t:, 0] = self.column
        return F


def resolve_by_volumes(motion: EffectiveMotion, v: Floats, tally: Tally) -> tuple[Floats, int]:
    """The effective velocity (n, 3) after Sifakis2008 Table 1, and the pairs found in its first outer iteration."""
    settings, found, lost = motion.world.settings.collision_loop, 0, 0.0
    for k in range(settings.outer):
        placed = motion.place(v)
        with tally.phase("check"):
            colliding = motion.find_pairs(placed)
        if not len(colliding):
            break
        found = found or len(colliding)
        tally.refinements = max(tally.refinements, k + 1)
        with tally.phase("contact"):
            pairs = collision_volumes(motion, colliding)
            goal = goal_volumes(motion, colliding, pairs)
            for _ in range(settings.inner):
                v, lost = newton_step(motion, pairs, goal, v, lost, tally)
    return v, found


def collision_volumes(motion: EffectiveMotion, pairs: CollidingPairs) -> CollisionVolumes:
    """The tetrahedra and columns of colliding pairs, oriented by their volumes at the start."""
    surface, x0 = motion.world.model.surface, motion.start.surface_positions
    V = np.empty(len(pairs.vertices))
    kernels.volumes(pairs.vertices, np.ones_like(V), x0, V)
    vertex, plane = pairs.vertex_plane.T
    area = motion.vertex_area[vertex]
    column = np.full((len(vertex), 4), -1, np.int32)
    column[:, 0] = vertex
    return CollisionVolumes(
        np.concatenate([pairs.vertices, column]),
        np.where(V < 0.0, -1.0, 1.0),
        area[:, None] * surface.plane_normal[plane],
        area * surface.plane_height[plane],
    )


def goal_volumes(motion: EffectiveMotion, colliding: CollidingPairs, pairs: CollisionVolumes) -> Floats:
    """V_goal (m,) [m³]: the volumes at the start, or those of a gap of a tenth of δ where that is more.

    Deviates from Sifakis2008 §5: what γ leaves of a large approach is more than the whole volume of a pair that nearly touches,
    which could then never be resolved again. V is a sixth of the gap times the cross product of two edges.
    """
    x0, goal = motion.start.surface_positions, pairs.volumes(motion.start.surface_positions)
    corners, first = x0[colliding.vertices], colliding.edge_first
    a, b, c, d = corners.transpose(1, 0, 2)
    cross = np.cross(b - a, d - c)
    cross[:first] = np.cross(c[:first] - b[:first], d[:first] - b[:first])
    gap = LEAST_GAP * motion.world.contact_distance
    tets = len(pairs.sign)
    goal[:tets] = np.maximum(goal[:tets], gap / 6.0 * np.linalg.norm(cross, axis=1))
    goal[tets:] = np.maximum(goal[tets:], gap * np.linalg.norm(pairs.column, axis=1))
    return goal


def newton_step(
    motion: EffectiveMotion, pairs: CollisionVolumes, goal: Floats, v: Floats, lost: float, tally: Tally
) -> tuple[Floats, float]:
    """v + γ M⁻¹ F p with F' M⁻¹ F (p dt) = V_goal − V(x*)   (Sifakis2008 Eq. 4), F and V at the end of the motion v (n, 3).

    `lost` is the energy [J] that the impulses have taken from what collides so far; it is returned with v and never falls below
    zero.
    """
    settings, x1 = motion.world.settings.collision_loop, motion.place(v).surface_positions
    F, S = pairs.gradients(x1), motion.surface_map
    indptr = np.zeros(len(pairs) + 1, np.int32)
    kernels.count_entries(pairs.vertices, S.indptr, S.nodes, motion.movable, indptr)
    nodes, G, WG = np.empty(indptr[-1], np.int32), np.empty((indptr[-1], 3)), np.empty((indptr[-1], 3))
    kernels.fill_rows(
        pairs.vertices, F, S.indptr, S.nodes, S.weights, S.arms, motion.movable, motion.inverse_mass, nodes, G, WG
    )
    p, dv = np.empty(len(pairs)), np.zeros_like(v)
    defect = (goal - pairs.volumes(x1)) / motion.dt
    iterations = kernels.minres(indptr, nodes, G, WG, defect, settings.solve_tolerance, MAX_ITERATIONS, dv, p)
    kernels.spread(indptr, nodes, WG, p, dv)
    tally.solves += 1
    tally.solves_converged += iterations < MAX_ITERATIONS
    tally.outer_iterations += iterations
    # The impulses γ F p change the kinetic energy by γ p·F'v + γ²/2 p·F'M⁻¹F p, v being that of the surface.
    moving = motion.surface_velocity(x1)[np.maximum(pairs.vertices, 0)]
    slope = float(p @ np.einsum("mki,mki->m", F, moving))
    gained = np.empty(len(pairs))
    kernels.gather(indptr, nodes, G, dv, gained)
    curvature = float(p @ gained)
    part = min(settings.damping, _largest_part(slope, curvature, lost))
    return v + part * dv, lost - part * slope - 0.5 * part**2 * curvature


def _largest_part(slope: float, curvature: float, lost: float) -> float:
    """The largest γ ≥ 0 with γ slope + γ²/2 curvature ≤ lost: no more energy comes back than was lost before.

    Eq. 4 is inelastic to first order in dt; in a long step it would otherwise sometimes gain energy.
    """
    if not curvature > 0.0:
        return 0.0
    return (math.sqrt(slope * slope + 2.0 * curvature * max(lost, 0.0)) - slope) / curvature

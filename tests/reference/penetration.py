"""How deep vertices are inside other bodies, measured without the code of any method: a point-in-tetrahedron test.

Naive NumPy: every vertex of one body against every tetrahedron and every surface triangle of another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import signorini as sg
from signorini.geometry.inside import InsideTest
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.half_space import HalfSpace
from signorini.scene.soft_solid import SoftSolid

Floats = NDArray[np.float64]


def in_tetrahedra(points: Floats, nodes: Floats, tetrahedra: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which points (p, 3) lie strictly inside one of the tetrahedra (t, 4): all barycentric coordinates are positive."""
    corners = nodes[tetrahedra]
    inverse = np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
    inside = np.zeros(len(points), dtype=bool)
    for k, point in enumerate(points):
        weights = np.einsum("tij,tj->ti", inverse, point - corners[:, 0])
        inside[k] = ((weights > 0.0).all(axis=1) & (weights.sum(axis=1) < 1.0)).any()
    return inside


def distance_to_triangles(point: Floats, triangles: Floats) -> float:
    """The distance [m] of a point from triangles (t, 3, 3): from their planes inside, from their edges elsewhere."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    best = np.inf
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        t = np.clip(((point - start) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
        best = min(best, float(np.linalg.norm(start + t[:, None] * along - point, axis=1).min()))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    height = ((point - a) * normal).sum(axis=1)
    foot = point - height[:, None] * normal
    within = np.ones(len(a), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        within &= (np.cross(end - start, foot - start) * normal).sum(axis=1) >= 0.0
    return min(best, float(np.abs(height[within]).min(initial=np.inf)))


def penetration_depths(sim: sg.Simulation) -> list[float]:
    """The depth [m] of every surface vertex that is inside another body or below a half-space, at the present state."""
    scene, depths = sim.scene, []
    for name, view in sim.bodies.items():
        for other, body in scene.bodies.items():
            if other == name:
                continue
            if isinstance(body, HalfSpace):
                if view.kind != "kinematic":
                    height = view.positions @ body.normal - body.height
                    depths += list(-height[height < 0.0])
                continue
            target = sim.bodies[other]
            if view.kind == target.kind == "kinematic":
                continue
            low, high = target.positions.min(axis=0), target.positions.max(axis=0)
            points = view.positions[((view.positions >= low) & (view.positions <= high)).all(axis=1)]
            if not len(points):
                continue
            if isinstance(body, SoftSolid) and body.skin.nodes is not None:
                inside = in_tetrahedra(points, target.node_positions, body.tets.tetrahedra)
            else:
                inside = InsideTest(TriangleMesh(target.positions, body.mesh.triangles)).contains(points)
            triangles = target.positions[body.mesh.triangles]
            depths += [distance_to_triangles(point, triangles) for point in points[inside]]
    return depths

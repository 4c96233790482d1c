"""Penetration depth of bodies, measured on the surfaces alone: the same for every method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.inside import InsideTest
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import distance_to_triangles, find_edges

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]


def deepest_penetration(sim: Simulation) -> float:
    """The depth [m] of the deepest vertex inside another body or below a half-space, at the present state; 0 if there is none.

    Bodies have an inside when they are solid or closed, and not hollow; a cloth has none, and what passes through it is counted
    by `Simulation.intersections` only.
    """
    model, x = sim._world.model, sim._moment.surface_positions
    movable = {slot.name: x[slot.vertices] for slot in model.bodies.values() if not slot.scripted}
    deepest = 0.0
    for normal, height in zip(model.surface.plane_normal, model.surface.plane_height, strict=True):
        deepest = max([deepest, *(-float((points @ normal - height).min()) for points in movable.values())])
    for slot in model.bodies.values():
        if slot.thick and not slot.hollow and find_edges(slot.triangles).closed:
            others = {name: points for name, points in movable.items() if name != slot.name}
            deepest = max(deepest, _deepest_inside(x[slot.vertices], slot.triangles, others))
    return deepest


def _deepest_inside(x: Floats, triangles: NDArray[np.int32], others: dict[str, Floats]) -> float:
    """Of the vertices of others inside a closed surface, the distance of the deepest from it."""
    low, high = x.min(axis=0), x.max(axis=0)
    boxed = [p[((p >= low) & (p <= high)).all(axis=1)] for p in others.values()]
    points = np.concatenate([*boxed, np.zeros((0, 3))])
    if not len(points):
        return 0.0
    inside = points[InsideTest(TriangleMesh(x, triangles)).contains(points)]
    return max((distance_to_triangles(point, x[triangles]) for point in inside), default=0.0)

"""How deep bodies are in each other, measured on the surfaces alone: the same for every method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.inside import InsideTest
from signorini.geometry.triangle_mesh import TriangleMesh

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]


def deepest_penetration(sim: Simulation) -> float:
    """The depth [m] of the deepest vertex inside another body or below a half-space, at the present state; 0 if there is none.

    Bodies have an inside when they are solid or closed; a cloth has none, and what passes through it is counted by
    `Simulation.intersections` only.
    """
    model, x = sim._world.model, sim._moment.surface_positions
    movable = {slot.name: x[slot.vertices] for slot in model.bodies.values() if not slot.scripted}
    deepest = 0.0
    for normal, height in zip(model.surface.plane_normal, model.surface.plane_height, strict=True):
        deepest = max([deepest, *(-float((points @ normal - height).min()) for points in movable.values())])
    for slot in model.bodies.values():
        if slot.thick and _is_closed(slot.triangles):
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
    return max((_distance(point, x[triangles]) for point in inside), default=0.0)


def _distance(point: Floats, triangles: Floats) -> float:
    """The distance [m] of a point from triangles (t, 3, 3): the projections that fall on them, else their edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    square = np.maximum((normal**2).sum(axis=1), 1e-300)
    height = ((point - a) * normal).sum(axis=1)
    over = np.ones(len(a), dtype=bool)
    nearest = np.inf
    for start, end in ((a, b), (b, c), (c, a)):
        along, away = end - start, point - start
        over &= (np.cross(along, away) * normal).sum(axis=1) >= 0.0
        t = np.clip((away * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300), 0.0, 1.0)
        nearest = min(nearest, float(np.linalg.norm(away - t[:, None] * along, axis=1).min()))
    return min(nearest, float((np.abs(height[over]) / np.sqrt(square[over])).min(initial=np.inf)))


def _is_closed(triangles: NDArray[np.int32]) -> bool:
    """Whether every edge has a second triangle that runs along it the other way."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    size = int(triangles.max()) + 1
    there, back = np.sort(ends[:, 0] * size + ends[:, 1]), np.sort(ends[:, 1] * size + ends[:, 0])
    return np.array_equal(there, back)

"""Small surfaces for collision tests: random triangles, sheets and several bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.surface import FREE, PRESCRIBED, Surface, build_surface

Array = NDArray[np.float64]
Plane = tuple[tuple[float, float, float], float]


def random_soup(
    seed: int,
    *,
    bodies: int = 3,
    triangles: int = 6,
    kinematic: int = 0,
    rigid: int = 0,
    spread: float = 1.0,
    size: float = 0.3,
    planes: tuple[Plane, ...] = (),
) -> tuple[Surface, Array]:
    """Bodies of random triangles in a cube of edge `spread`; some triangles of a body share vertices.

    The first `rigid` bodies are rigid, the last `kinematic` ones kinematic; planes have the body numbers after all of them.
    """
    rng = np.random.default_rng(seed)
    meshes, x, first = [], [], 0
    for body in range(bodies):
        points, faces = [], []
        for _ in range(triangles):
            shared = rng.integers(0, 3) if points else 0  # corners taken from an earlier triangle
            old = rng.choice(len(points), shared, replace=False).tolist() if shared else []
            centre = points[old[0]] if old else spread * rng.uniform(-0.5, 0.5, 3)
            new = list(range(len(points), len(points) + 3 - shared))
            points += [centre + size * rng.uniform(-1.0, 1.0, 3) for _ in new]
            faces.append(rng.permutation(old + new))
        meshes.append((np.array(faces, dtype=np.int32), first, len(points), body))
        x += points
        first += len(points)
    groups = [(count, body) for _, _, count, body in meshes]
    placed = [(np.array(normal), height, bodies + k) for k, (normal, height) in enumerate(planes)]
    return build_surface(meshes, _vertex_group(groups, bodies, kinematic, rigid), placed), np.ascontiguousarray(x)


def single_bodies(
    parts: list[tuple[Array, NDArray[np.integer]]],
    *,
    kinematic: int = 0,
    rigid: int = 0,
    planes: tuple[Plane, ...] = (),
) -> tuple[Surface, Array]:
    """One body for each pair of vertices and triangles; the first ones are rigid, the last ones kinematic."""
    meshes, first = [], 0
    for body, (vertices, faces) in enumerate(parts):
        meshes.append((np.asarray(faces, dtype=np.int32), first, len(vertices), body))
        first += len(vertices)
    groups = [(len(v), body) for body, (v, _) in enumerate(parts)]
    placed = [(np.array(normal), height, len(parts) + k) for k, (normal, height) in enumerate(planes)]
    x = np.concatenate([np.asarray(v, dtype=np.float64) for v, _ in parts])
    return build_surface(meshes, _vertex_group(groups, len(parts), kinematic, rigid), placed), np.ascontiguousarray(x)


def _vertex_group(counts: list[tuple[int, int]], bodies: int, kinematic: int, rigid: int) -> NDArray[np.int32]:
    """Groups of all vertices, given (vertex count, body) of each body."""
    of_body = [FREE if body >= rigid else body + 1 for body in range(bodies - kinematic)] + [PRESCRIBED] * kinematic
    return np.concatenate([np.full(count, of_body[body], np.int32) for count, body in counts])

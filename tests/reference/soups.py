"""Small surfaces for collision tests: random triangles and chains of edges, sheets and several bodies."""

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
    whiskers: int = 0,
) -> tuple[Surface, Array]:
    """Bodies of random triangles in a cube of edge `spread`; some triangles of a body share vertices.

    Each body has `whiskers` chains of two lone edges that start at one of its vertices or at a new one. The first `rigid`
    bodies are rigid, the last `kinematic` ones kinematic; planes have the body numbers after all of them.
    """
    rng = np.random.default_rng(seed)
    meshes, chains, x, first = [], [], [], 0
    for body in range(bodies):
        points, faces, edges = [], [], []
        for _ in range(triangles):
            shared = rng.integers(0, 3) if points else 0  # corners taken from an earlier triangle
            old = rng.choice(len(points), shared, replace=False).tolist() if shared else []
            centre = points[old[0]] if old else spread * rng.uniform(-0.5, 0.5, 3)
            new = list(range(len(points), len(points) + 3 - shared))
            points += [centre + size * rng.uniform(-1.0, 1.0, 3) for _ in new]
            faces.append(rng.permutation(old + new))
        for _ in range(whiskers):
            if not points or rng.uniform() < 0.3:
                points.append(spread * rng.uniform(-0.5, 0.5, 3))
            root, n = int(rng.integers(0, len(points))), len(points)
            points += [points[root] + size * rng.uniform(-1.0, 1.0, 3) for _ in range(2)]
            edges += [[root, n], [n + 1, n]]
        meshes.append((np.array(faces, dtype=np.int32).reshape(-1, 3), first, len(points), body))
        chains.append((np.array(edges, dtype=np.int32).reshape(-1, 2), first))
        x += points
        first += len(points)
    groups = [(count, body) for _, _, count, body in meshes]
    placed = [(np.array(normal), height, bodies + k) for k, (normal, height) in enumerate(planes)]
    group = _vertex_group(groups, bodies, kinematic, rigid)
    return build_surface(meshes, group, placed, edges=chains), np.ascontiguousarray(x)


def single_bodies(
    parts: list[tuple[Array, NDArray[np.integer]]],
    *,
    kinematic: int = 0,
    rigid: int = 0,
    planes: tuple[Plane, ...] = (),
) -> tuple[Surface, Array]:
    """One body for each pair of vertices and triangles (t, 3), or of vertices and lone edges (k, 2).

    The first ones are rigid, the last ones kinematic.
    """
    meshes, chains, first = [], [], 0
    for body, (vertices, faces) in enumerate(parts):
        is_chain = np.shape(faces)[1] == 2
        triangles = np.zeros((0, 3), dtype=np.int32) if is_chain else np.asarray(faces, dtype=np.int32)
        meshes.append((triangles, first, len(vertices), body))
        if is_chain:
            chains.append((np.asarray(faces), first))
        first += len(vertices)
    groups = [(len(v), body) for body, (v, _) in enumerate(parts)]
    placed = [(np.array(normal), height, len(parts) + k) for k, (normal, height) in enumerate(planes)]
    x = np.concatenate([np.asarray(v, dtype=np.float64) for v, _ in parts])
    group = _vertex_group(groups, len(parts), kinematic, rigid)
    return build_surface(meshes, group, placed, edges=chains), np.ascontiguousarray(x)


def _vertex_group(counts: list[tuple[int, int]], bodies: int, kinematic: int, rigid: int) -> NDArray[np.int32]:
    """Groups of all vertices, given (vertex count, body) of each body."""
    of_body = [FREE if body >= rigid else body + 1 for body in range(bodies - kinematic)] + [PRESCRIBED] * kinematic
    return np.concatenate([np.full(count, of_body[body], np.int32) for count, body in counts])

"""Connections of triangles: fans at vertices, border loops, closed parts. Nothing here needs a valid mesh."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.geometry.triangles import find_edges, shared_edges

Ints = NDArray[np.int64]


def vertices_of_several_fans(triangles: Ints, vertex_count: int) -> Ints:
    """Vertices at which triangles meet that hang together only by the vertex."""
    pairs, _ = shared_edges(triangles)
    corners = triangles.ravel()
    rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for i in range(3):
        for j in range(3):
            same = triangles[pairs[:, 0], i] == triangles[pairs[:, 1], j]
            rows.append(3 * pairs[same, 0] + i)
            columns.append(3 * pairs[same, 1] + j)
    links = (np.concatenate(rows), np.concatenate(columns))
    graph = coo_array((np.ones(len(links[0]), np.int8), links), shape=(len(corners), len(corners)))
    _, fan = connected_components(graph, directed=False)
    fans = np.unique(np.column_stack([corners, fan]), axis=0)[:, 0]
    return np.flatnonzero(np.bincount(fans, minlength=vertex_count) > 1)


def border_loops(triangles: Ints) -> list[list[int]]:
    """The loops of edges with one triangle, each in the direction in which a triangle beyond it would run along it."""
    directed = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges = find_edges(triangles.astype(np.int32))
    lone = edges.valence[edges.of_triangle.ravel()] == 1
    after: dict[int, list[int]] = {}
    for a, b in directed[lone].tolist():
        after.setdefault(b, []).append(a)
    loops = []
    while after:
        start = next(iter(after))
        loop, at = [], start
        while at in after:
            loop.append(at)
            following = after[at].pop()
            if not after[at]:
                del after[at]
            at = following
        if at == start:
            loops.append(loop)
    return loops


def parts_by_vertices(triangles: Ints) -> list[Ints]:
    """The triangles of each part that hangs together by vertices."""
    label = _part_labels(triangles)
    return [np.flatnonzero(label == k) for k in np.unique(label)]


def closed_parts(triangles: Ints) -> list[Ints]:
    """The triangles of each part, by vertices, whose edges all have two triangles in opposite directions."""
    label = _part_labels(triangles)
    edges = find_edges(triangles.astype(np.int32))
    good = ((edges.valence == 2) & (edges.forward == 1))[edges.of_triangle].all(axis=1)
    broken = np.unique(label[~good])
    return [np.flatnonzero(label == k) for k in np.unique(label) if k not in broken]


def _part_labels(triangles: Ints) -> Ints:
    graph = coo_array(
        (np.ones(2 * len(triangles), np.int8), (triangles[:, [0, 1]].ravel(), triangles[:, [1, 2]].ravel())),
        shape=(int(triangles.max(initial=-1)) + 1,) * 2,
    )
    return connected_components(graph, directed=False)[1][triangles[:, 0]]

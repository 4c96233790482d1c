"""Repair of a surface: merge, drop, flip, orient, fill small holes, smooth small self-intersections away; nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.diagnosis.crossings import find_crossings
from signorini.diagnosis.mesh_faults import FEW_EDGES, double_vertices
from signorini.diagnosis.specimen import Specimen
from signorini.diagnosis.topology import border_loops, closed_parts
from signorini.geometry.faces import Faces
from signorini.geometry.triangles import find_edges, side_lengths, signed_volume, winding

Ints = NDArray[np.int64]
LARGEST_HOLE = 12
"""Edges of the largest hole that is filled: sleeves and necks have more."""
MOST_CROSSING = 0.05
"""Part of the triangles that may cross others for smoothing to be tried: more are two parts in one another, not a small fold."""
SMOOTHINGS = 40
"""Rounds of smoothing; each moves a vertex half of the way to the mean of its neighbours."""
FARTHEST = 2.0
"""Displacement of a vertex by smoothing over the mean length of its edges beyond which it is given up."""


def repaired_surface(specimen: Specimen) -> tuple[Specimen, list[str]]:
    """The surface after every repair that is safe, and what was done. Vertices and triangles that stay keep their order."""
    steps: list[str] = []
    for repair in (_merge, _drop, _flip_slivers, _orient, _fill, _orient, _smooth, _drop_unreferenced):
        specimen, step = repair(specimen)
        steps += [step] if step else []
    return specimen, steps


def _changed(s: Specimen, triangles: Ints, vertices: NDArray[np.float64] | None = None) -> Specimen:
    return replace(s, triangles=triangles, vertices=s.vertices if vertices is None else vertices)


def _merge(s: Specimen) -> tuple[Specimen, str]:
    """Vertices at the same place become one, the first of them."""
    pairs = double_vertices(s)
    if not len(pairs):
        return s, ""
    count = len(s.vertices)
    graph = coo_array((np.ones(len(pairs), np.int8), pairs.T), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    triangles = s.triangles.copy()
    good = np.setdiff1d(np.arange(len(triangles)), s.missing)
    triangles[good] = first[label[triangles[good]]]
    return _changed(s, triangles), f"merged {count - len(first):,} double vertices"


def _drop(s: Specimen) -> tuple[Specimen, str]:
    """Triangles with a corner twice, and those that repeat another; two that face each other go together."""
    t = s.triangles
    kept = (t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])
    _, kind = np.unique(np.sort(t, axis=1), axis=0, return_inverse=True)
    even = np.array([_is_even(row) for row in t.tolist()]) if len(np.unique(kind)) < len(t) else np.ones(len(t), bool)
    seen: dict[int, int] = {}
    for k in np.flatnonzero(kept).tolist():
        other = seen.get(int(kind.ravel()[k]))
        if other is None:
            seen[int(kind.ravel()[k])] = k
        else:
            kept[k] = False
            if even[k] != even[other]:  # a flat pocket
                kept[other] = False
    lost = int((~kept).sum())
    return (_changed(s, t[kept]), f"dropped {lost:,} degenerate and duplicate triangles") if lost else (s, "")


def _is_even(row: list[int]) -> bool:
    """Whether the corners rise when they are read round from the smallest."""
    at = row.index(min(row))
    return row[(at + 1) % 3] < row[(at + 2) % 3]


def _flip_slivers(s: Specimen) -> tuple[Specimen, str]:
    """A triangle of three corners on a line gives its longest side to the triangle beyond, which is divided in two."""
    done = 0
    for _ in range(10):
        bad = s.degenerate
        flipped = 0
        triangles = s.triangles.copy()
        touched: set[int] = set()
        for k in bad.tolist():
            longest = int(np.argmax(side_lengths(s.vertices, triangles[k : k + 1].astype(np.int32))[0]))
            a, b, c = (int(triangles[k, (longest + i) % 3]) for i in range(3))
            beyond = np.flatnonzero((triangles == a).any(axis=1) & (triangles == b).any(axis=1))
            beyond = beyond[beyond != k]
            if len(beyond) != 1 or k in touched or int(beyond[0]) in touched:
                continue
            other = int(beyond[0])
            (d,) = (int(v) for v in triangles[other] if v not in (a, b))
            if d == c:
                continue
            triangles[k], triangles[other] = (a, d, c), (d, b, c)
            touched |= {k, other}
            flipped += 1
        if not flipped:
            break
        s, done = _changed(s, triangles), done + flipped
    return s, f"flipped the longest side of {done:,} slivers" if done else ""


def _orient(s: Specimen) -> tuple[Specimen, str]:
    """Neighbours face the same way, and closed surfaces outward."""
    triangles = s.triangles.copy()
    unique = s.unique
    if not len(unique):
        return s, ""
    found = winding(triangles[unique])
    turned = unique[found.flip]
    triangles[turned] = triangles[turned][:, ::-1]
    parts = closed_parts(triangles[unique])
    inward = [unique[part] for part in parts if signed_volume(s.vertices, triangles[unique[part]]) < 0.0]
    if inward and len(inward) == len(parts) and not s.hollow:
        for part in inward:
            triangles[part] = triangles[part][:, ::-1]
        turned = np.setxor1d(turned, np.concatenate(inward))
    return (_changed(s, triangles), f"turned {len(turned):,} triangles round") if len(turned) else (s, "")


def _fill(s: Specimen) -> tuple[Specimen, str]:
    """Holes of few edges in a surface that is closed otherwise."""
    if len(s.readable) < len(s.triangles):  # the hole has triangles, they are only not known
        return s, ""
    triangles = s.triangles[s.unique]
    edges = find_edges(triangles.astype(np.int32))
    open_edges = int((edges.valence == 1).sum())
    if not open_edges or (open_edges >= FEW_EDGES * len(edges.ends) and not s.is_thick):
        return s, ""
    new, holes = [], 0
    for loop in border_loops(triangles):
        if not 3 <= len(loop) <= LARGEST_HOLE or len(set(loop)) < len(loop):
            continue
        hole = Faces(np.array([len(loop)], np.int32), np.array(loop, np.int32)).triangulated(s.vertices)
        extended = np.concatenate([triangles, *new, hole.astype(np.int64)])
        if find_edges(extended.astype(np.int32)).valence.max() <= max(2, int(edges.valence.max())):
            new.append(hole.astype(np.int64))
            holes += 1
    if not new:
        return s, ""
    return _changed(
        s, np.concatenate([s.triangles, *new])
    ), f"filled {holes:,} holes with {sum(map(len, new)):,} triangles"


def _smooth(s: Specimen) -> tuple[Specimen, str]:
    """Vertices of triangles that cross are moved towards their neighbours until nothing crosses; all or nothing."""
    triangles = s.triangles[s.unique]
    first = find_crossings(s.vertices, triangles)
    if not len(first.places) or len(first.triangles) > MOST_CROSSING * len(triangles):
        return s, ""
    x = s.vertices.copy()
    edges = find_edges(triangles.astype(np.int32)).ends.astype(np.int64)
    both = np.concatenate([edges, edges[:, ::-1]])
    valence = np.maximum(np.bincount(both[:, 0], minlength=len(x)), 1)[:, None]
    length = np.linalg.norm(x[both[:, 0]] - x[both[:, 1]], axis=1)
    reach = FARTHEST * np.bincount(both[:, 0], weights=length, minlength=len(x)) / valence[:, 0]
    border = np.unique(edges[find_edges(triangles.astype(np.int32)).valence == 1])
    found = first
    for _ in range(SMOOTHINGS):
        moved = np.setdiff1d(np.union1d(triangles[found.triangles], found.edges), border)
        mean = (
            np.column_stack([np.bincount(both[:, 0], weights=x[both[:, 1], k], minlength=len(x)) for k in range(3)])
            / valence
        )
        x[moved] += 0.5 * (mean[moved] - x[moved])
        found = find_crossings(x, triangles)
        if not len(found.places):
            break
    distance = np.linalg.norm(x - s.vertices, axis=1)
    result = _changed(s, s.triangles, x)
    if len(found.places) or (distance > reach).any() or len(result.degenerate) > len(s.degenerate):
        return s, ""
    step = f"smoothed {len(first.places):,} self-intersections away (vertices moved by up to {1e3 * distance.max():.3g} mm)"
    return result, step


def _drop_unreferenced(s: Specimen) -> tuple[Specimen, str]:
    if len(s.missing):
        return s, ""
    used, triangles = np.unique(s.triangles, return_inverse=True)
    lost = len(s.vertices) - len(used)
    if not lost:
        return s, ""
    return _changed(s, triangles.reshape(-1, 3).astype(np.int64), s.vertices[used]), f"dropped {lost:,} unused vertices"

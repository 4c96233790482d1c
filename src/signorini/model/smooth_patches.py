"""Smooth patches: which vertices of a mesh sample a smooth convex surface, and how it is curved there.

A ball that is made of triangles does not roll like a ball: it falls from facet to facet. Where neighbouring triangles meet at
small angles, contact therefore takes the surface that the vertices were taken from. A patch is a piece of a torus through its
vertex: with two equal radii a piece of a sphere, with one radius a piece of a cylinder, or of the round rim of a cylinder.
The mesh lies inside the patches, so what keeps them apart keeps the meshes apart (decision 0012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from signorini.geometry.triangles import Edges, find_edges
from signorini.model.smooth_patch_fit import Curves, fit_quadrics, fit_rims

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
SHARP = 0.5
"""Two triangles that meet at more than this angle [rad] have an edge between them; 80 triangles of a sphere meet at 0.38, the 20
of an icosahedron at 0.73, the sides of a cylinder of 13 sides at 0.48."""
JUMP = 2.5
"""A vertex whose neighbour is more than so many times as curved is where something flat ends, not a part of the curve."""
COVERED = 0.75
"""Part of the angle to the farthest neighbour that a patch reaches; 0.58 are needed where the triangles are equilateral."""
REACH = 0.6
"""The same part in lengths, for how far a patch extends from its vertex."""
ALONG = 0.8
"""Cosine of the angle to the direction of the curve below which an edge leads to the next vertex of a curve."""


@dataclass(frozen=True, slots=True)
class SmoothPatches:
    """The patches of v vertices, in the frame of their mesh. Directions are zero where there is none."""

    outward: Floats
    """(v, 3) N, the unit normal at the vertex."""
    along: Floats
    """(v, 3) the unit tangent along which the patch is curved with `radius`."""
    radius: Floats
    """(v,) in the plane of N and `along` [m]; 0: no patch."""
    tube: Floats
    """(v,) radius across that plane, at most `radius` [m]; 0: no curvature there, the patch is a curve or a cylinder."""
    least_cosine: Floats
    """(v,) cosine of the largest angle between N and the normals of the patch."""
    reach: Floats
    """(v,) how far the patch extends from its vertex [m]."""
    rise: Floats
    """(v,) how far the patch rises above the triangles [m]."""
    chain: Ints
    """(v,) number of the patches that are connected by `neighbours`: a surface, or one curve around it; -1: no patch."""
    starts: Ints
    """(v+1,) where the neighbours of each vertex begin in `neighbours`."""
    neighbours: Ints
    """(k,) the next patches around a vertex, along the curve for a curve."""

    @property
    def any(self) -> bool:
        return bool((self.radius > 0.0).any())


def find_patches(vertices: Floats, triangles: Ints) -> SmoothPatches:
    """The smooth patches of a mesh, (v, 3) and (t, 3); none if it is not closed."""
    sides = find_edges(triangles)
    if not len(triangles) or (sides.valence != 2).any():
        return no_patches(len(vertices))
    normal, of_edge = _face_normals(vertices, triangles), _faces_of_edges(sides)
    a, b = normal[of_edge[:, 0]], normal[of_edge[:, 1]]
    angle = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.einsum("ei,ei->e", a, b))
    sharp = angle > SHARP
    ends = sides.ends
    sharp_count = np.bincount(ends[sharp].ravel(), minlength=len(vertices))
    mean_normal = _angle_weighted_normals(vertices, triangles, normal)
    starts, around = _neighbours(ends, len(vertices))
    inner = np.flatnonzero((sharp_count == 0) & (np.diff(starts) > 0))
    curves = fit_quadrics(vertices, inner, starts, around, mean_normal)
    rim_starts, rim_around = _neighbours(ends[sharp], len(vertices))
    rim = np.flatnonzero(sharp_count == 2)
    pairs = np.column_stack([rim_around[rim_starts[rim]], rim_around[rim_starts[rim] + 1]]) if len(rim) else None
    if pairs is not None:
        curves = curves.joined(fit_rims(vertices, rim, pairs, mean_normal, largest_turn=SHARP))
    keep = _evenly_curved(curves, ends)
    return _patches(vertices, curves, keep, ends, sharp)


def no_patches(count: int) -> SmoothPatches:
    """A mesh of `count` vertices without smooth patches."""
    return SmoothPatches(
        outward=np.zeros((count, 3)),
        along=np.zeros((count, 3)),
        radius=np.zeros(count),
        tube=np.zeros(count),
        least_cosine=np.ones(count),
        reach=np.zeros(count),
        rise=np.zeros(count),
        chain=np.full(count, -1, np.int32),
        starts=np.zeros(count + 1, np.int32),
        neighbours=np.zeros(0, np.int32),
    )


def join_patches(parts: list[SmoothPatches]) -> SmoothPatches:
    """The patches of several meshes, one after the other."""
    shifts = np.cumsum([0, *(len(p.radius) for p in parts)])
    counts = np.concatenate([np.diff(p.starts) for p in parts])
    return SmoothPatches(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in ("outward", "along", "radius", "tube")),
        least_cosine=np.concatenate([p.least_cosine for p in parts]),
        reach=np.concatenate([p.reach for p in parts]),
        rise=np.concatenate([p.rise for p in parts]),
        chain=np.concatenate(
            [np.where(p.chain < 0, -1, p.chain + s) for p, s in zip(parts, shifts, strict=False)]
        ).astype(np.int32),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        neighbours=np.concatenate([p.neighbours + s for p, s in zip(parts, shifts, strict=False)]).astype(np.int32),
    )


def _face_normals(x: Floats, triangles: Ints) -> Floats:
    a, b, c = x[triangles[:, 0]], x[triangles[:, 1]], x[triangles[:, 2]]
    normal = np.cross(b - a, c - a)
    return normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)


def _faces_of_edges(sides: Edges) -> Ints:
    """(e, 2) the two triangles at each edge of a closed mesh."""
    face = np.repeat(np.arange(len(sides.of_triangle)), 3)
    return face[np.argsort(sides.of_triangle.ravel(), kind="stable")].reshape(-1, 2).astype(np.int32)


def _angle_weighted_normals(x: Floats, triangles: Ints, normal: Floats) -> Floats:
    """(v, 3) the mean normals of the triangles at each vertex, weighted by their angles there."""
    total = np.zeros_like(x)
    for k in range(3):
        p, q, r = (x[triangles[:, (k + i) % 3]] for i in range(3))
        u, w = q - p, r - p
        angle = np.arctan2(np.linalg.norm(np.cross(u, w), axis=1), np.einsum("ti,ti->t", u, w))
        np.add.at(total, triangles[:, k], angle[:, None] * normal)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)


def _neighbours(ends: NDArray[np.integer], count: int) -> tuple[Ints, Ints]:
    """The other ends of the edges (e, 2) at each vertex, compressed by vertex."""
    here, there = ends.ravel(), ends[:, ::-1].ravel()
    order = np.lexsort((there, here))
    starts = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=count))])
    return starts.astype(np.int32), there[order].astype(np.int32)


def _evenly_curved(curves: Curves, ends: Ints) -> NDArray[np.bool_]:
    """(k,) the curves whose vertices have no neighbour that is curved much more."""
    count = int(max(ends.max(initial=0), curves.vertex.max(initial=0))) + 1
    curvature, rim = np.zeros(count), np.zeros(count, dtype=bool)
    curvature[curves.vertex] = 1.0 / np.where(curves.tube > 0.0, curves.tube, curves.radius)
    rim[curves.vertex] = curves.rim
    here, there = ends.ravel(), ends[:, ::-1].ravel()
    most = np.zeros(count)
    alike = rim[here] == rim[there]
    np.maximum.at(most, here[alike], curvature[there[alike]])
    return most[curves.vertex] <= JUMP * curvature[curves.vertex]


def _patches(x: Floats, curves: Curves, keep: NDArray[np.bool_], ends: Ints, sharp: NDArray[np.bool_]) -> SmoothPatches:
    """The curves that are kept, as patches of the whole mesh: with the neighbours that they reach to."""
    at, none = curves.vertex[keep], no_patches(len(x))
    for name in ("outward", "along", "radius", "tube"):
        getattr(none, name)[at] = getattr(curves, name)[keep]
    rim = np.zeros(len(x), dtype=bool)
    rim[at] = curves.rim[keep]
    both = (none.radius[ends] > 0.0).all(axis=1) & (rim[ends[:, 0]] == rim[ends[:, 1]]) & (sharp | ~rim[ends[:, 0]])
    here, there = ends[both].ravel(), ends[both][:, ::-1].ravel()
    step = x[there] - x[here]
    length = np.linalg.norm(step, axis=1)
    is_next = (none.tube[here] > 0.0) | (np.abs(np.einsum("ei,ei->e", step, none.along[here])) > ALONG * length)
    here, there, length = here[is_next], there[is_next], length[is_next]
    cosine = np.einsum("ei,ei->e", none.outward[here], none.outward[there])
    angle, longest = np.zeros(len(x)), np.zeros(len(x))
    np.maximum.at(angle, here, np.arccos(np.clip(cosine, -1.0, 1.0)))
    np.maximum.at(longest, here, length)
    order = np.lexsort((there, here))
    alike = (none.tube[here] > 0.0) == (none.tube[there] > 0.0)
    links = sparse.coo_array((np.ones(alike.sum()), (here[alike], there[alike])), shape=(len(x), len(x)))
    chain = sparse.csgraph.connected_components(links, directed=False)[1]
    tightest = np.where(none.tube > 0.0, none.tube, none.radius)
    return SmoothPatches(
        none.outward,
        none.along,
        none.radius,
        none.tube,
        least_cosine=np.cos(COVERED * angle),
        reach=REACH * longest,
        rise=np.divide(0.5 * (REACH * longest) ** 2, tightest, out=np.zeros(len(x)), where=tightest > 0.0),
        chain=np.where(none.radius > 0.0, chain, -1).astype(np.int32),
        starts=np.concatenate([[0], np.cumsum(np.bincount(here, minlength=len(x)))]).astype(np.int32),
        neighbours=there[order].astype(np.int32),
    )

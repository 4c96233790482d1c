"""Places where surfaces cross, lie in one another, or come nearer than the contact distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import BoxTree
from signorini.collision.detect import detect_proximity
from signorini.collision.intersections import find_intersections
from signorini.collision.surface import FREE, build_surface
from signorini.diagnosis.fault import Fault
from signorini.diagnosis.specimen import Specimen
from signorini.geometry.least_width import least_width
from signorini.geometry.triangles import area_vectors, find_edges, side_lengths

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FLAT = 1e-9
"""Distance over the size of a mesh, and sine of an angle, below which two triangles lie in one plane."""


@dataclass(frozen=True, slots=True, eq=False)
class Crossings:
    """Edges that pass through triangles of the same surface."""

    places: Floats
    """(k, 3) [m]"""
    triangles: Ints
    """The triangles that take part, those at the edges included."""
    edges: Ints
    """(k, 2) the vertices of the edges."""


def own_tree(x: Floats, triangles: Ints) -> BoxTree:
    """A tree over one surface all of whose parts may meet."""
    mesh = (triangles.astype(np.int32), 0, len(x), 0)
    return BoxTree(build_surface([mesh], np.full(len(x), FREE, np.int32), []), x)


def find_crossings(x: Floats, triangles: Ints) -> Crossings:
    """Where edges pass through triangles; x must be finite where triangles use it."""
    x = np.where(np.isfinite(x), x, 0.0)
    tree = own_tree(x, triangles)
    pairs = find_intersections(tree, x).edge_triangle.astype(np.int64)
    ends = tree.surface.edges[pairs[:, 0]].astype(np.int64)
    normal = area_vectors(x, tree.surface.triangles)[pairs[:, 1]]
    a, start, end = x[triangles[pairs[:, 1], 0]], x[ends[:, 0]], x[ends[:, 1]]
    above, below = ((start - a) * normal).sum(axis=1), ((end - a) * normal).sum(axis=1)
    part = above / np.where(above == below, 1.0, above - below)
    at_edges = np.flatnonzero(np.isin(tree.surface.triangle_edges, pairs[:, 0]).any(axis=1))
    return Crossings(start + part[:, None] * (end - start), np.union1d(pairs[:, 1], at_edges), ends)


def crossing_fault(s: Specimen) -> Fault | None:
    """Self-intersections."""
    if len(s.unique) < 2:
        return None
    found = find_crossings(s.vertices, s.triangles[s.unique])
    count = len(found.places)
    if not count:
        return None
    what = f"the surface passes through itself in {count:,} {'place' if count == 1 else 'places'}"
    remedy = "move the parts apart or join them by a boolean union (--repair resolves small ones)"
    severity = "error" if s.is_deformable else "warning"
    marked = ((s.name, s.unique[found.triangles]),)
    return Fault("intersecting", severity, (s.name,), count, what, remedy, found.places, marked, repairable=True)


def overlap_fault(s: Specimen) -> Fault | None:
    """Triangles that cover each other in one plane, which no edge passes through."""
    triangles = s.triangles[s.unique]
    if len(triangles) < 2:
        return None
    x = np.where(np.isfinite(s.vertices), s.vertices, 0.0)
    pairs = own_tree(x, triangles).find_leaf_pairs(x).astype(np.int64)
    pairs = pairs[_in_one_plane(x, triangles, pairs, FLAT * s.size)]
    bad = pairs[_overlap(x, triangles, pairs, FLAT * s.size)]
    if not len(bad):
        return None
    users = np.unique(bad)
    what = f"{len(bad):,} pairs of triangles lie on each other in one plane, the first are {s.unique[bad[0, 0]]} and "
    what += f"{s.unique[bad[0, 1]]}"
    severity = "error" if s.is_deformable else "warning"
    remedy = "take one of the two layers away, or move them apart by the contact distance"
    places = x[triangles[bad[:, 0]]].mean(axis=1)
    return Fault("overlapping", severity, (s.name,), len(bad), what, remedy, places, ((s.name, s.unique[users]),))


def _in_one_plane(x: Floats, triangles: Ints, pairs: Ints, reach: float) -> NDArray[np.bool_]:
    """(p,) whether all corners of the second triangle of a pair are in the plane of the first."""
    a, b = x[triangles[pairs[:, 0]]], x[triangles[pairs[:, 1]]]
    normal = np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return (np.abs(np.einsum("pki,pi->pk", b - a[:, :1], normal)) <= reach).all(axis=1)


def _overlap(x: Floats, triangles: Ints, pairs: Ints, reach: float) -> NDArray[np.bool_]:
    """(p,) whether two triangles in one plane share an area: no side of either separates them."""
    a, b = x[triangles[pairs[:, 0]]], x[triangles[pairs[:, 1]]]
    normal = np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    found = np.ones(len(pairs), dtype=bool)
    for own, other in ((a, b), (b, a)):
        for k in range(3):
            side = own[:, (k + 1) % 3] - own[:, k]
            across = np.cross(normal, side)
            across /= np.linalg.norm(across, axis=1, keepdims=True)
            mine = np.einsum("pki,pi->pk", own - own[:, k : k + 1], across)
            theirs = np.einsum("pki,pi->pk", other - own[:, k : k + 1], across)
            found &= (mine.max(axis=1) - theirs.min(axis=1) > reach) & (theirs.max(axis=1) - mine.min(axis=1) > reach)
    return found


def usual_contact_distance(s: Specimen) -> float:
    """The contact distance that a scene of this body alone would have [m]: see `simulation.contact_distance`."""
    triangles = s.triangles[s.unique].astype(np.int32)
    if not len(triangles):
        return 0.0
    sides, double = side_lengths(s.vertices, triangles), np.linalg.norm(area_vectors(s.vertices, triangles), axis=1)
    fitting = [0.1 * float(sides.mean()), 0.25 * float((double / sides.max(axis=1)).min())]
    if find_edges(triangles).closed:
        fitting.append(0.02 * least_width(s.vertices[np.unique(triangles)]))
    return min(part for part in fitting if part > 0.0)


def thin_fault(s: Specimen, contact_distance: float) -> Fault | None:
    """Walls and gaps that are thinner than the contact distance: parts that are not neighbours and come that near."""
    triangles = s.triangles[s.unique]
    if len(triangles) < 2 or contact_distance <= 0.0 or not s.is_deformable:
        return None
    x = np.where(np.isfinite(s.vertices), s.vertices, 0.0)
    tree = own_tree(x, triangles)
    candidates = tree.find_candidates(x, x, distance=contact_distance, margin=0.0)
    found = detect_proximity(tree.surface, candidates, x, distance=contact_distance).contacts
    near = found.distance < contact_distance
    if not near.any():
        return None
    vertices, weights = found.vertices[near], np.maximum(found.weights[near], 0.0)
    places = np.einsum("mk,mki->mi", weights / weights.sum(axis=1, keepdims=True), x[vertices])
    users = s.unique[np.isin(triangles, vertices).all(axis=1)]
    least = float(found.distance[near].min())
    what = f"parts of the surface are nearer to each other than the contact distance of {1e3 * contact_distance:.3g} mm in "
    what += f"{near.sum():,} places, the nearest {1e3 * least:.3g} mm"
    remedy = f"make walls and gaps thicker, or give a contact distance below {1e3 * least:.3g} mm (settings.contact_distance)"
    return Fault("thin", "warning", (s.name,), int(near.sum()), what, remedy, places, ((s.name, users),))

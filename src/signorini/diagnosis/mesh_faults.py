"""Faults of one surface by its connections: degenerate, duplicate, non-manifold, inverted, unreferenced, open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from signorini.diagnosis.fault import Fault, Severity
from signorini.diagnosis.specimen import NEAR, Specimen
from signorini.diagnosis.topology import border_loops, closed_parts, vertices_of_several_fans
from signorini.geometry.triangles import find_edges, signed_volume, winding

Ints = NDArray[np.int64]
ONE_SIDED: dict[str, tuple[Severity, str]] = {
    "solid": ("error", "nothing is inside it: use it as cloth or kinematic"),
    "mesh": ("warning", "use it as cloth or kinematic: a solid must have an inside"),
    "cloth": ("remark", "nothing needs to be done, but pressure cannot act on all of it"),
    "kinematic": ("remark", "nothing needs to be done"),
}
"""Severity and remedy of a surface with one side, by what it shall be."""
FEW_EDGES = 0.1
"""Part of the edges below which open ones are holes of a surface that is meant to be closed."""


def mesh_faults(specimen: Specimen) -> list[Fault]:
    """All faults that the connections of the triangles show."""
    found: list[Fault] = []
    for examine in _EXAMINATIONS:
        found += [fault for fault in (examine(specimen),) if fault is not None]
    return found


def double_vertices(specimen: Specimen) -> Ints:
    """(k, 2) pairs of used vertices at the same place, within rounding."""
    used = np.unique(specimen.triangles[specimen.readable])
    if len(used) < 2:
        return np.zeros((0, 2), np.int64)
    reach = max(NEAR * specimen.size, 1e-300)
    return used[KDTree(specimen.vertices[used]).query_pairs(reach, output_type="ndarray")].reshape(-1, 2)


def _fault(
    specimen: Specimen,
    kind: str,
    severity: Severity,
    count: int,
    what: str,
    remedy: str,
    *,
    places: Any = (),
    triangles: Ints | None = None,
    repairable: bool = False,
) -> Fault:
    where = np.asarray(places, dtype=np.float64).reshape(-1, 3)
    marked = () if triangles is None else ((specimen.name, triangles),)
    return Fault(kind, severity, (specimen.name,), count, what, remedy, where, marked, repairable)


def _not_finite(s: Specimen) -> Fault | None:
    bad = s.bad_vertices
    if not len(bad):
        return None
    users = np.setdiff1d(np.arange(len(s.triangles)), np.union1d(s.readable, s.missing))
    what = f"{_many(len(bad), 'vertex is', 'vertices are')} not finite, the first is number {bad[0]}, in {len(users)} triangles"
    near = s.vertices[s.triangles[users]].reshape(-1, 3)
    places = near[np.isfinite(near).all(axis=1)]
    remedy = "export the mesh again" if len(users) else "drop what no triangle uses (--repair)"
    return _fault(s, "not finite", "error", len(bad), what, remedy, places=places, repairable=not len(users))


def _missing(s: Specimen) -> Fault | None:
    if not len(s.missing):
        return None
    first = tuple(s.triangles[s.missing[0]].tolist())
    what = f"{_many(len(s.missing), 'triangle names', 'triangles name')} vertices that do not exist, the first is {s.missing[0]} "
    what += f"with {first} of {len(s.vertices)} vertices"
    return _fault(
        s, "missing vertices", "error", len(s.missing), what, "export the mesh again, the file may be cut off"
    )


def _degenerate(s: Specimen) -> Fault | None:
    bad = s.degenerate
    if not len(bad):
        return None
    first = tuple(s.triangles[bad[0]].tolist())
    what = f"{_many(len(bad), 'triangle has', 'triangles have')} no area, the first is {bad[0]} with vertices {first}"
    remedy = "merge double vertices and drop or flip such triangles (--repair)"
    return _fault(
        s, "degenerate", "error", len(bad), what, remedy, places=s.centres(bad), triangles=bad, repairable=True
    )


def _duplicate_triangles(s: Specimen) -> Fault | None:
    extra = np.setdiff1d(s.sound, s.unique)
    if not len(extra):
        return None
    what = f"{_many(len(extra), 'triangle repeats', 'triangles repeat')} another one, the first is {extra[0]}"
    return _fault(
        s, "duplicate triangles", "error", len(extra), what, "drop them (--repair)", places=s.centres(extra),
        triangles=extra, repairable=True,
    )  # fmt: skip


def _duplicate_vertices(s: Specimen) -> Fault | None:
    pairs = double_vertices(s)
    if not len(pairs):
        return None
    count = len(np.unique(pairs[:, 1]))
    what = f"{_many(count, 'vertex is', 'vertices are')} at the place of another one, the first are {pairs[0, 0]} and "
    what += f"{pairs[0, 1]}: the surface is cut open there"
    return _fault(
        s, "duplicate vertices", "error" if s.kind != "kinematic" else "warning", count, what, "merge them (--repair)",
        places=s.vertices[pairs[:, 0]], repairable=True,
    )  # fmt: skip


def _unreferenced(s: Specimen) -> Fault | None:
    lone = np.setdiff1d(np.arange(len(s.vertices)), s.triangles)
    lone = lone[np.isfinite(s.vertices[lone]).all(axis=1)]
    if not len(lone):
        return None
    what = f"{_many(len(lone), 'vertex belongs', 'vertices belong')} to no triangle, the first is {lone[0]}"
    severity = "error" if s.kind in ("cloth",) else "warning"
    return _fault(
        s, "unreferenced", severity, len(lone), what, "drop them (--repair)", places=s.vertices[lone], repairable=True
    )


def _crowded_edges(s: Specimen) -> Fault | None:
    triangles = s.triangles[s.unique]
    edges = find_edges(triangles.astype(np.int32))
    bad = np.flatnonzero(edges.valence > 2)
    if not len(bad):
        return None
    users = s.unique[(edges.valence > 2)[edges.of_triangle].any(axis=1)]
    a, b = edges.ends[bad[0]].tolist()
    what = f"{_many(len(bad), 'edge has', 'edges have')} more than two triangles, the first {a}-{b} has {edges.valence[bad[0]]}"
    remedy = "take away inner walls, or separate the sheets that meet there in the program that made the mesh"
    severity = "error" if s.is_thick else "warning"
    places = s.vertices[edges.ends[bad]].mean(axis=1)
    return _fault(s, "non-manifold edges", severity, len(bad), what, remedy, places=places, triangles=users)


def _pinched_vertices(s: Specimen) -> Fault | None:
    triangles = s.triangles[s.unique]
    crowded = find_edges(triangles.astype(np.int32))
    bad = vertices_of_several_fans(triangles, len(s.vertices))
    bad = np.setdiff1d(bad, crowded.ends[crowded.valence > 2])
    if not len(bad):
        return None
    what = f"{_many(len(bad), 'vertex joins', 'vertices join')} parts that touch nowhere else, the first is {bad[0]}"
    remedy = "separate the parts there by a little, or join them along an edge"
    users = s.unique[np.isin(triangles, bad).any(axis=1)]
    return _fault(
        s, "non-manifold vertices", "warning", len(bad), what, remedy, places=s.vertices[bad], triangles=users
    )


def _inverted(s: Specimen) -> Fault | None:
    triangles = s.triangles[s.unique]
    found = winding(triangles)
    if found.one_sided.any():
        users = s.unique[found.one_sided[found.part]]
        what = "the surface has only one side, as a Möbius strip: its triangles cannot be wound consistently"
        severity, remedy = ONE_SIDED["solid"] if s.is_thick else ONE_SIDED.get(s.kind, ONE_SIDED["mesh"])
        return _fault(
            s, "one-sided", severity, int(found.one_sided.sum()), what, remedy, triangles=users,
            places=s.centres(users[:1]),
        )  # fmt: skip
    bad = s.unique[found.flip]
    if not len(bad):
        return None
    what = f"{_many(len(bad), 'triangle faces', 'triangles face')} the other way than their neighbours, the first is {bad[0]}"
    severity = "error" if s.is_thick else "warning"
    return _fault(
        s, "inverted", severity, len(bad), what, "turn them round (--repair)", places=s.centres(bad), triangles=bad,
        repairable=True,
    )  # fmt: skip


def _inside_out(s: Specimen) -> Fault | None:
    triangles = s.triangles[s.unique]
    parts = closed_parts(triangles)
    volumes = [signed_volume(s.vertices, triangles[part]) for part in parts]
    bad = [part for part, volume in zip(parts, volumes, strict=True) if volume < 0.0]
    if not bad or s.hollow:
        return None
    users = s.unique[np.concatenate(bad)]
    where = [s.centres(s.unique[part]).mean(axis=0) for part in bad]
    whole = len(bad) == len(parts)
    what = f"{_many(len(bad), 'closed part faces', 'closed parts face')} inward (volume {min(volumes):.3g} m³)"
    remedy = "turn its triangles round (--repair)" if whole else "turn its triangles round, or take the cavity away"
    return _fault(
        s, "inside-out", "error" if s.is_thick else "warning", len(bad), what, remedy, places=where, triangles=users,
        repairable=whole,
    )  # fmt: skip


def _open(s: Specimen) -> Fault | None:
    triangles = s.triangles[s.unique]
    edges = find_edges(triangles.astype(np.int32))
    lone = edges.valence == 1
    if not lone.any():
        return None
    loops = border_loops(triangles)
    meant_closed = s.is_thick or lone.sum() < FEW_EDGES * len(lone)
    if s.kind == "cloth" or not meant_closed:
        return None
    severity: Severity = "error" if s.is_thick else "remark"
    open_edges = _many(int(lone.sum()), "edge has", "edges have")
    what = f"the surface is open: {open_edges} only one triangle, in {_many(len(loops), 'hole')}"
    remedy = "fill the holes (--repair fills small ones), or use it as cloth or kinematic"
    places = [s.vertices[loop].mean(axis=0) for loop in loops]
    users = s.unique[lone[edges.of_triangle].any(axis=1)]
    return _fault(s, "open", severity, int(lone.sum()), what, remedy, places=places, triangles=users, repairable=True)


_EXAMINATIONS: tuple[Callable[[Specimen], Fault | None], ...] = (
    _not_finite, _missing, _degenerate, _duplicate_triangles, _duplicate_vertices, _unreferenced, _crowded_edges,
    _pinched_vertices, _inverted, _inside_out, _open,
)  # fmt: skip


def _many(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"

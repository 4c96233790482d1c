"""Closed parts of a surface that contain other parts of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.diagnosis.fault import Fault
from signorini.diagnosis.specimen import Specimen
from signorini.diagnosis.topology import closed_parts, parts_by_vertices
from signorini.geometry.inside import InsideTest
from signorini.geometry.triangles import signed_volume


@dataclass(frozen=True, slots=True)
class _Part:
    """A closed part as the inside test takes it."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]


def nested_fault(s: Specimen) -> Fault | None:
    """Parts inside closed parts; surfaces that do not cross keep a part wholly inside or outside, so that one vertex tells."""
    triangles = s.triangles[s.unique]
    parts = parts_by_vertices(triangles)
    if len(parts) < 2:
        return None
    x = np.ascontiguousarray(np.where(np.isfinite(s.vertices), s.vertices, 0.0))
    x.setflags(write=False)
    first = np.array([triangles[part[0], 0] for part in parts])
    inner: set[int] = set()
    for shell in closed_parts(triangles):
        if signed_volume(x, triangles[shell]) <= 0.0:
            continue
        corners = np.ascontiguousarray(triangles[shell], dtype=np.int32)
        corners.setflags(write=False)
        others = np.array([k for k, vertex in enumerate(first) if vertex not in corners], dtype=int)
        low, high = x[corners].min(axis=(0, 1)), x[corners].max(axis=(0, 1))
        others = others[((x[first[others]] >= low) & (x[first[others]] <= high)).all(axis=1)]
        if len(others):
            inner |= set(others[InsideTest(_Part(x, corners)).contains(x[first[others]])].tolist())
    if not inner:
        return None
    users = np.concatenate([parts[k] for k in sorted(inner)])
    places = [x[triangles[parts[k]]].mean(axis=(0, 1)) for k in sorted(inner)]
    what = f"{len(inner):,} {'part of the surface is' if len(inner) == 1 else 'parts of the surface are'} inside another one"
    remedy = "take the inner part away, make it a body of its own, or reverse it if it is a cavity of a kinematic body"
    severity = "error" if s.kind in ("cloth", "soft_solid") else "warning"
    return Fault(
        "inside one another",
        severity,
        (s.name,),
        len(inner),
        what,
        remedy,
        np.array(places),
        ((s.name, s.unique[users]),),
    )

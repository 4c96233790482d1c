"""Surface of a mesh file as it is: nothing is checked yet but that there are vertices and triangles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.files.meshes.up_axis import UpAxis
from signorini.geometry.faces import Faces
from signorini.geometry.vertex_groups import Groups


@dataclass(frozen=True, slots=True, eq=False)
class RawSurface:
    """Vertices and triangles of a file, in its own units and axes."""

    vertices: NDArray[Any]
    """(n, 3)"""
    triangles: NDArray[Any]
    """(t, 3)"""
    faces: Faces | None = None
    """Polygons and texture coordinates, if the triangles do not say everything."""
    up: UpAxis = "z"
    """The axis that points up by what the file or its format says."""
    metres: float = 1.0
    """Metres per unit by what the file says."""
    groups: Groups = field(default_factory=dict)
    """Numbers of the vertices of named groups."""


def surface_of_faces(vertices: NDArray[np.float64], faces: Faces, **frame: Any) -> RawSurface:
    """The surface of polygons, which are split into triangles."""
    triangles = faces.triangulated(vertices)
    return RawSurface(vertices, triangles, None if faces.are_plain_triangles else faces, **frame)

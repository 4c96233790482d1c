"""Warp directions: how the threads of a fabric lie in the triangles of its mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import TriangleMesh, as_points, as_vector

Floats = NDArray[np.float64]
Warp = Sequence[float] | Floats | Literal["uv"]
ALONG_NORMAL = 1e-3
"""Sine of the angle between a direction and the normal of a triangle below which the triangle takes another direction."""


def warp_directions(mesh: TriangleMesh, warp: Warp) -> Floats:
    """(t, 3) unit vectors in the triangles of a mesh at rest.

    `warp` is a direction, which is projected on the triangles, or one for each triangle (t, 3), or "uv": the direction in which
    the first texture coordinate grows and the second does not.
    """
    if isinstance(warp, str):
        if warp != "uv":
            raise InputError(f"warp must be a direction, one for each triangle, or 'uv', got {short(warp)}")
        return _in_plane(mesh, _along_u(mesh))
    if isinstance(warp, np.ndarray | Sequence) and len(warp) and np.size(warp[0]) > 1:
        field = as_points("warp", warp)
        if len(field) != len(mesh.triangles):
            raise InputError(
                f"warp must have one row per triangle, got {len(field)} for {len(mesh.triangles)} triangles"
            )
        return _in_plane(mesh, field)
    direction = as_vector("warp", warp)
    if not direction.any():
        raise InputError(f"warp must not be zero, got {short(warp)}")
    return _in_plane(mesh, np.tile(direction, (len(mesh.triangles), 1)))


def _in_plane(mesh: TriangleMesh, given: Floats) -> Floats:
    """Directions (t, 3) projected on the triangles; a direction along the normal is replaced by the next axis."""
    corners = mesh.vertices[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    size = np.linalg.norm(given, axis=1, keepdims=True)
    direction = given / np.where(size > 0.0, size, 1.0)
    for shift in (1, 2):
        projected = direction - (direction * normal).sum(axis=1, keepdims=True) * normal
        lost = np.linalg.norm(projected, axis=1) < ALONG_NORMAL
        if not lost.any():
            break
        direction[lost] = np.roll(direction[lost], shift, axis=1) if size[lost].all() else np.eye(3)[shift]
    projected = direction - (direction * normal).sum(axis=1, keepdims=True) * normal
    return projected / np.linalg.norm(projected, axis=1, keepdims=True)


def _along_u(mesh: TriangleMesh) -> Floats:
    """(t, 3) the direction of each triangle at rest in which u grows and v stays."""
    faces = mesh.faces
    if faces is None or not faces.has_uv:
        raise InputError("warp 'uv' needs a mesh with texture coordinates at all corners: give a direction instead")
    uv = faces.triangle_uv(mesh.triangles)
    corners = mesh.vertices[mesh.triangles]
    sides, changes = corners[:, 1:] - corners[:, :1], uv[:, 1:] - uv[:, :1]
    # x = sides' a with changes' a = (1, 0): a = (changes_v of side 2, −changes_v of side 1) up to its size.
    along = changes[:, 1, 1, None] * sides[:, 0] - changes[:, 0, 1, None] * sides[:, 1]
    turned = changes[:, 0, 0] * changes[:, 1, 1] - changes[:, 1, 0] * changes[:, 0, 1]
    flat = np.flatnonzero(turned == 0.0)
    if len(flat):
        raise InputError(
            f"warp 'uv': the texture coordinates of triangle {flat[0]} have no area ({len(flat)} such triangles): give a "
            "direction instead"
        )
    return along * np.sign(turned)[:, None]

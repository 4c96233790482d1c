"""A soft disc is squeezed between two rigid vertebrae (Otaduy2010 Fig. 3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh
from signorini.gallery.entry import GalleryScene
from signorini.gallery.vertebra_shapes import spine_segment
from signorini.geometry import shapes
from signorini.geometry.inside import InsideTest
from signorini.geometry.isosurface import isosurface
from signorini.geometry.lattice import lattice
from signorini.geometry.mass_properties import check_closed, welded
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene import motions
from signorini.scene.scene import Scene
from signorini.scene.solid_material import solid_material

BONE_DENSITY = 1800.0
"""Density of the vertebrae [kg/m³]."""
GAP = 3e-4
"""Distance between disc and vertebrae, and between vertebrae and plates, at the start [m]."""
SQUEEZE = 0.002
"""Approximate compression of the disc [m]."""
ASKED = 6700
"""Tetrahedra asked for at resolution 19: the generator, which has whole layers, then makes 5,976 (6,021 in the paper)."""
PLATE_HEIGHT = 0.012
"""Thickness of the plates [m]."""


def build(
    *,
    friction: float = 0.4,
    stiffness: float = 1.0,
    resolution: int = 19,
    lower: str | Path | None = None,
    upper: str | Path | None = None,
    disc: str | Path | None = None,
    scale: float = 1e-3,
    shrink: float = 8e-4,
) -> Scene:
    """Two vertebrae between two plates, the upper of which squeezes the disc by a fifth, holds and lets go.

    The disc has about 0.9 `resolution`³ tetrahedra, the vertebrae have edges of 40 mm / `resolution`. The shapes are generated,
    unless `lower`, `upper` and `disc` are the user's own closed meshes, in place, with z up along the spine: files in units
    of `scale` [m]. The surface of that disc is made `shrink` [m] smaller on all sides, so that it does not reach into the
    vertebrae, and is embedded in a lattice of tetrahedra.
    """
    scene = Scene(friction=friction, name="vertebrae")
    edge, tetrahedra = 0.04 / resolution, round(ASKED * (resolution / 19) ** 3)
    files = (lower, upper, disc)
    if all(f is None for f in files):
        parts = spine_segment(gap=GAP, tetrahedra=tetrahedra, edge=edge)
        bones, tets, skin = (parts.lower, parts.upper), parts.disc, None
        footprint = tets.vertices
    elif any(f is None for f in files):
        raise InputError("vertebrae needs either all of the files lower, upper and disc, or none of them")
    else:
        below, above, between = (_loaded(str(f), scale) for f in files)
        origin = 0.5 * (between.vertices.min(axis=0) + between.vertices.max(axis=0))
        bones = (below.moved(np.eye(3), -origin), above.moved(np.eye(3), -origin))
        skin = _shrunk(between.moved(np.eye(3), -origin), shrink, edge)
        tets, footprint = lattice(skin, tetrahedra=tetrahedra), skin.vertices
    scene.add_rigid(bones[0], density=BONE_DENSITY, name="lower vertebra")
    scene.add_soft_solid(tets, surface=skin, material=solid_material("disc").scaled(stiffness), name="disc")
    scene.add_rigid(bones[1], density=BONE_DENSITY, name="upper vertebra")
    _add_plates(scene, bones, footprint)
    return scene


def _add_plates(scene: Scene, bones: tuple[TriangleMesh, TriangleMesh], footprint: NDArray[np.float64]) -> None:
    """A plate at rest under the body of the lower vertebra, and one above the upper vertebra that comes down and back."""
    low, high = footprint[:, :2].min(axis=0), footprint[:, :2].max(axis=0)
    size, middle = high - low, 0.5 * (low + high)
    reach = 0.5 * size + 0.004
    bottom, top = (b.vertices[(np.abs(b.vertices[:, :2] - middle) < reach).all(axis=1), 2] for b in bones)
    plate = shapes.box(float(size[0]), float(size[1]), PLATE_HEIGHT, cells=(6, 4, 1))
    offset = 0.5 * PLATE_HEIGHT + GAP
    scene.add_kinematic(plate, position=(*middle.tolist(), float(bottom.min()) - offset), name="lower plate")
    travel = SQUEEZE + GAP  # each of the four gaps closes from GAP to the contact distance first
    still, down, up = (0.0, 0.0, 0.0), (0.0, 0.0, -travel), (0.0, 0.0, travel)
    press = motions.Chain(
        (
            motions.Keyframes(times=(0.0, 0.6), translations=(still, down), interpolation="cubic"),
            motions.Keyframes(times=(1.0, 1.5), translations=(still, up), interpolation="cubic"),
        )
    )
    scene.add_kinematic(plate, position=(*middle.tolist(), float(top.max()) + offset), motion=press, name="upper plate")


def _loaded(path: str, scale: float) -> TriangleMesh:
    mesh = welded(load_mesh(path, scale=scale))
    check_closed(mesh, path)
    return mesh


def _shrunk(surface: TriangleMesh, distance: float, edge: float) -> TriangleMesh:
    """The surface `distance` [m] further inside, with even triangles of about `edge` [m]."""
    corners = surface.vertices[surface.triangles]
    middles = 0.5 * (corners + np.roll(corners, 1, axis=1)).reshape(-1, 3)
    points = KDTree(np.concatenate([surface.vertices, middles, corners.mean(axis=1)]))
    inside = InsideTest(surface)

    def signed_distance(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(inside.contains(x), -1.0, 1.0) * points.query(x)[0] + distance

    margin = 2.0 * edge
    return isosurface(
        signed_distance, surface.vertices.min(axis=0) - margin, surface.vertices.max(axis=0) + margin, edge=edge
    )


SCENE = GalleryScene(
    name="vertebrae",
    title="A soft disc is squeezed between two rigid vertebrae",
    build=build,
    dt=4e-3,
    seconds=1.6,
    figure="Otaduy2010 Fig. 3",
)

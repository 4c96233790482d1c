"""Checks of what the user gives a scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.checks import LARGEST_NUMBER, check_choice, check_number, check_positive
from signorini.errors import InputError, short, suggestion
from signorini.geometry.mass_properties import MassProperties, mass_properties
from signorini.geometry.ranges import check_extent
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_points, as_vector
from signorini.geometry.triangles import find_edges, mixed_edges

Material = TypeVar("Material")


FINISHES = ("matt", "glossy", "jelly", "woven", "checks", "stripes")
"""Finishes of surfaces in pictures."""


def check_look(name: str, color: str | None, finish: str | None) -> dict[str, Any]:
    """Colour and finish of a body, the colour as #rrggbb, or an `InputError`."""
    if color is not None:
        from PIL import ImageColor

        try:
            red, green, blue = ImageColor.getrgb(color)[:3]
        except (ValueError, TypeError, AttributeError):
            raise InputError(
                f"color of {name!r} must be a name such as 'teal', or '#rrggbb', got {short(color)}"
            ) from None
        color = f"#{red:02x}{green:02x}{blue:02x}"
    if finish is not None:
        check_choice(f"finish of {name!r}", finish, FINISHES)
    return {"color": color, "finish": finish}


def check_non_negative(name: str, value: Any) -> float:
    """The number, if it is finite and at least 0."""
    number = check_number(name, value)
    if not np.isfinite(number) or number < 0.0:
        raise InputError(f"{name} must be a finite number of at least 0, got {short(value)}")
    if number > LARGEST_NUMBER:
        raise InputError(f"{name} must be at most {LARGEST_NUMBER:g}, got {short(value)}: check its unit")
    return number


def preset_of(kind: str, presets: Mapping[str, Material], name: Any) -> Material:
    """The preset of that name; an unknown one is answered with the nearest, of a `kind` of material that may be given instead."""
    if not isinstance(name, str):
        raise InputError(f"material must be a {kind} or one of {', '.join(presets)}, got {short(name)}")
    if name not in presets:
        hint = suggestion(name, presets)
        raise InputError(f"material {short(name)} is unknown: {hint}There are {', '.join(presets)}, or give a {kind}")
    return presets[name]


def check_mesh(mesh: TriangleMesh) -> TriangleMesh:
    """The mesh, if it is one."""
    if not isinstance(mesh, TriangleMesh):
        raise InputError(
            f"mesh must be a signorini.TriangleMesh (see signorini.shapes and signorini.load_mesh), got {type(mesh).__name__}"
        )
    return mesh


def check_tets(tets: TetMesh) -> TetMesh:
    """The mesh, if it is one of tetrahedra."""
    if not isinstance(tets, TetMesh):
        raise InputError(
            f"tets must be a signorini.TetMesh (see signorini.shapes.box_tets and others), got {type(tets).__name__}"
        )
    return tets


def matching_vertices(value: ArrayLike, count: int) -> NDArray[np.float64]:
    """`initial_vertices` as (count, 3)."""
    vertices = as_points("initial_vertices", value)
    if len(vertices) != count:
        raise InputError(f"initial_vertices must have one row per vertex, got {len(vertices)} for {count}")
    return vertices


def rigid_properties(mesh: TriangleMesh, density: float | None, mass: float | None, name: str) -> MassProperties:
    """Mass, centre and inertia from the density [kg/m³] or the mass [kg], of which one must be given."""
    if (density is None) == (mass is None):
        raise InputError(f"rigid body {name!r} needs either its density [kg/m³] or its mass [kg], and not both")
    if density is not None:
        return mass_properties(mesh, density, f"rigid body {name!r}")
    total = check_positive(f"mass of rigid body {name!r}", mass, unit="kg")
    filled = mass_properties(mesh, 1.0, f"rigid body {name!r}")
    return replace(filled, mass=total, inertia=filled.inertia * (total / filled.mass))


def placed(
    vertices: NDArray[np.float64], position: ArrayLike, rotation: ArrayLike, name: str | None = None
) -> NDArray[np.float64]:
    """Vertices (n, 3) turned by the rotation vector `rotation` [rad] and moved by `position` [m]."""
    R = Rotation.from_rotvec(as_vector("rotation", rotation)).as_matrix()
    return check_extent("the body" if name is None else repr(name), vertices @ R.T + as_vector("position", position))


def two_sided(what: str, triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """The triangles (t, 3), or an `InputError` if neighbours face opposite ways: what acts along normals would push both ways."""
    bad = np.flatnonzero(mixed_edges(triangles))
    if len(bad):
        i, j = find_edges(triangles).ends[bad[0]].tolist()
        raise InputError(
            f"{what} acts along normals, but triangles face opposite ways beside {len(bad)} edges, the first is {i}-{j}: turn "
            "them round (signorini check --repair), or, if the surface has one side only, choose vertices of a part with two"
        )
    return triangles

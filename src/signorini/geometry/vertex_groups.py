"""Named groups of vertices of a mesh, such as the physical groups of a Gmsh file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, short

Groups = Mapping[str, NDArray[np.int32]]


def checked_groups(groups: Any, vertex_count: int) -> dict[str, NDArray[np.int32]]:
    """Increasing vertex numbers of each group, in arrays that cannot be changed, or an `InputError`."""
    if not isinstance(groups, Mapping):
        raise InputError(f"groups of a mesh must be a dictionary of vertex numbers by name, got {short(groups)}")
    found = {}
    for name, vertices in groups.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"the name of a group of vertices must be a non-empty string, got {short(name)}")
        given = np.atleast_1d(np.asarray(vertices))
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
            raise InputError(f"the vertices of the group {name!r} must be integers, got {short(vertices)}")
        bad = given[(given < 0) | (given >= vertex_count)]
        if len(bad):
            raise InputError(
                f"the group {name!r} has vertex {int(bad[0])}, but the mesh has vertices 0 to {vertex_count - 1}"
            )
        numbers = np.unique(given).astype(np.int32)
        numbers.setflags(write=False)
        found[name] = numbers
    return found


def selected_groups(groups: Groups, vertices: NDArray[np.integer]) -> dict[str, NDArray[np.int32]]:
    """The groups in a numbering by `vertices` (s,), the old number of each new vertex; empty ones are left out."""
    found = {name: np.flatnonzero(np.isin(vertices, own)).astype(np.int32) for name, own in groups.items()}
    return {name: own for name, own in found.items() if len(own)}


def group_arrays(groups: Groups) -> dict[str, NDArray[Any]]:
    """Groups as arrays of a file; none if there are no groups."""
    if not groups:
        return {}
    return {
        "group_names": np.array(list(groups), dtype=np.str_),
        "group_sizes": np.array([len(own) for own in groups.values()], np.int32),
        "group_vertices": np.concatenate(list(groups.values())).astype(np.int32),
    }


def groups_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.int32]]:
    """The groups of `group_arrays`, or an `InputError`; none if a file does not have them."""
    if "group_names" not in arrays:
        return {}
    names, sizes, vertices = (arrays.get(f"group_{key}", np.zeros(0)) for key in ("names", "sizes", "vertices"))
    whole = sizes.dtype.kind in "iu" and vertices.dtype.kind in "iu" and names.dtype.kind == "U"
    if not whole or names.shape != sizes.shape or (sizes < 0).any() or sizes.sum() != len(vertices):
        raise InputError("group_names, group_sizes and group_vertices must be names, and as many vertices as sizes say")
    parts = np.split(vertices, np.cumsum(sizes)[:-1])
    return {str(name): part.astype(np.int32) for name, part in zip(names, parts, strict=True)}

"""A cage of tetrahedra around any closed surface, for solids whose surface is embedded in a coarser mesh.

The tetrahedra are those of the body-centred cubic lattice that touch the volume. All of them are congruent up to a mirror
image, with dihedral angles of 60° and 90° and edges of 1 and 0.87 cells, and the lattice has all the symmetries of a cube.
A cube cut into five has two kinds of tetrahedra, and neighbouring cubes must be mirrored; a cube cut into six has one
preferred diagonal, along which it is stiffer than along the others, and worse angles.

What a lattice cannot do: two pieces of one connected surface that are nearer to each other than a cell, such as two
fingers, can share a tetrahedron, and then move together. Pieces that are not connected never do: each gets its own cage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_positive
from signorini.errors import InputError, MissingExtraError
from signorini.geometry import lattice_kernels as kernels
from signorini.geometry.inside import InsideTest
from signorini.geometry.mass_properties import check_closed, surface_parts
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh

TOUCH = 1e-10
"""A triangle that reaches less than this many cells into a tetrahedron does not touch it."""
LARGEST_BOX = 400_000_000
"""Tetrahedra in the box around a surface, kept or not: one byte each while the cage is built."""
_CLOSE_ENOUGH = 0.02
"""Relative error of the number of tetrahedra at which the search for the size of a cell ends."""
_FAR_OFF = 0.1
"""Relative error of that number above which the request is refused."""
_MAX_TRIALS = 16
"""Sizes of a cell tried at most."""
_CENTRED = np.zeros(3)
"""Offset of a lattice that is symmetric about the middle of the surface [cells]."""
_SHIFTED = np.array([0.21, 0.13, 0.34])
"""Offset that breaks every symmetry of the lattice [cells], so that the number of tetrahedra grows in smaller steps."""


def lattice(surface: TriangleMesh, *, tetrahedra: int | None = None, cell: float | None = None) -> TetMesh:
    """Wrap a closed surface in about `tetrahedra` tetrahedra, or in those of a lattice with cells of `cell` [m].

    Every point of the surface and of the volume lies in one of them. A cell has twelve tetrahedra; its centre-to-corner
    edges are 0.87 cells long. The number is met as well as the lattice allows (small numbers come in steps, and
    about 24 is the least). Disconnected parts of the surface get disconnected cages, in the same order.
    """
    check_closed(surface, "surface of a lattice")
    if (tetrahedra is None) == (cell is None):
        raise InputError("give a lattice either tetrahedra (how many) or cell (their size in m)")
    parts = _parts(surface)
    if cell is not None:
        return _joined([_mark(part, check_positive("cell of a lattice", cell, unit="m"), _CENTRED) for part in parts])
    if not isinstance(tetrahedra, int | np.integer) or isinstance(tetrahedra, bool) or tetrahedra < 1:
        raise InputError(f"tetrahedra of a lattice must be an integer of at least 1, got {tetrahedra!r}")
    marked, error = _search(parts, int(tetrahedra), _CENTRED)
    if error > _FAR_OFF:
        shifted, shifted_error = _search(parts, int(tetrahedra), _SHIFTED)
        marked = shifted if shifted_error < error else marked
    return _joined(marked)


def from_tetwild(surface: TriangleMesh, *, edge_length: float) -> TetMesh:
    """Tetrahedra that follow the surface, with edges of about `edge_length` [m], made by fTetWild.

    Needs the extra `tetrahedra`. The surface of the result is near the given one, but has vertices of its own.
    """
    length = check_positive("edge_length of from_tetwild", edge_length, unit="m")
    check_closed(surface, "surface of from_tetwild")
    try:
        import pytetwild  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtraError(
            'from_tetwild needs the package pytetwild: install it with pip install "signorini[tetrahedra]"'
        ) from None
    diagonal = float(np.linalg.norm(np.ptp(surface.vertices, axis=0)))
    share = min(length / diagonal, 1.0)
    copies = np.array(surface.vertices), np.array(surface.triangles)  # it refuses arrays that are read-only
    vertices, nodes = pytetwild.tetrahedralize(*copies, edge_length_fac=share)
    if len(nodes) == 0:
        raise InputError(f"fTetWild made no tetrahedra with an edge_length of {length:g} m: use a shorter one")
    used, renumbered = np.unique(np.asarray(nodes), return_inverse=True)
    return TetMesh.flipped(np.asarray(vertices)[used], renumbered.reshape(-1, 4).astype(np.int32))


@dataclass(frozen=True, slots=True)
class _Part:
    """One connected piece of the surface with its box."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    centre: NDArray[np.float64]
    extent: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Marked:
    """Which tetrahedra of the lattice around one part are kept."""

    origin: NDArray[np.float64]
    cell: float
    cells: NDArray[np.int64]
    """(3,)"""
    state: NDArray[np.uint8]
    count: int


def _parts(surface: TriangleMesh) -> list[_Part]:
    label = surface_parts(surface)
    parts = []
    for k in range(int(label.max()) + 1):
        used, triangles = np.unique(surface.triangles[label == k], return_inverse=True)
        x = surface.vertices[used]
        low, high = x.min(axis=0), x.max(axis=0)
        parts.append(_Part(x, triangles.reshape(-1, 3).astype(np.int32), 0.5 * (low + high), high - low))
    return parts


def _mark(part: _Part, cell: float, shift: NDArray[np.float64]) -> _Marked:
    """The lattice has its middle `shift` (3,) cells off that of the part, and one cell to spare on every side."""
    needed = np.ceil(part.extent / cell + 2.0 * shift - 1e-9) + 2.0
    total = 12.0 * math.prod(needed.tolist())
    if total > LARGEST_BOX:
        raise InputError(
            f"cell of a lattice is too small for this surface: with {cell:g} m the box around it has {total:.2g} tetrahedra, "
            f"at most {LARGEST_BOX:.2g} can be handled"
        )
    cells = needed.astype(np.int64)
    origin = part.centre - cell * (0.5 * cells - shift)
    scaled = TriangleMesh((part.vertices - origin) / cell, part.triangles)
    state = np.zeros(12 * int(cells.prod()), dtype=np.uint8)
    kernels.mark_cut(scaled.vertices, scaled.triangles, cells, TOUCH, state)
    count = kernels.mark_inside(*InsideTest(scaled).arguments, cells, state)
    return _Marked(origin, cell, cells, state, count)


def _search(parts: list[_Part], wanted: int, shift: NDArray[np.float64]) -> tuple[list[_Marked], float]:
    """The lattice that has nearly `wanted` tetrahedra, by a power law inside a bracket of cells, and |log(have/want)|."""
    extent = np.max([p.extent.max() for p in parts])
    cell = float(sum(12.0 * p.extent.prod() for p in parts) / wanted) ** (1.0 / 3.0)
    cell = min(cell, 2.0 * float(extent))
    too_many, too_few = 0.0, math.inf
    best: list[_Marked] = []
    best_error = math.inf
    for _ in range(_MAX_TRIALS):
        marked = [_mark(part, cell, shift) for part in parts]
        count = sum(m.count for m in marked)
        error = abs(math.log(count / wanted))
        if error < best_error:
            best, best_error = marked, error
        if error < _CLOSE_ENOUGH or cell > 4.0 * extent:
            break
        if count > wanted:
            too_many = cell
        else:
            too_few = cell
        cell *= (count / wanted) ** 0.4
        if not 1.001 * too_many < cell < 0.999 * too_few:
            cell = math.sqrt(too_many * too_few)
    return best, best_error


def _joined(marked: list[_Marked]) -> TetMesh:
    vertices, tetrahedra, first = [], [], 0
    for m in marked:
        nodes = np.empty((m.count, 4), dtype=np.int64)
        kernels.list_tetrahedra(m.state, m.cells, nodes)
        used, renumbered = np.unique(nodes, return_inverse=True)
        vertices.append(m.origin + m.cell * _positions(used, m.cells))
        tetrahedra.append(renumbered.reshape(-1, 4) + first)
        first += len(used)
    return TetMesh(np.concatenate(vertices), np.concatenate(tetrahedra).astype(np.int32))


def _positions(nodes: NDArray[Any], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Positions of lattice nodes in units of a cell: corners first, then centres."""
    corner_count = int((cells + 1).prod())
    is_centre = nodes >= corner_count
    corner = np.column_stack(np.unravel_index(np.where(is_centre, 0, nodes), tuple(cells + 1)))
    centre = np.column_stack(np.unravel_index(np.where(is_centre, nodes - corner_count, 0), tuple(cells)))
    return np.where(is_centre[:, None], centre + 0.5, corner.astype(np.float64))

"""Surface of a soft solid: that of its tetrahedra, or a finer one embedded in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.embedding import Embedding, embed, embedded_volume_fractions
from signorini.geometry.mass_properties import encloses_volume
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.model.surface_map import MapRows, node_rows, weighted_rows


@dataclass(frozen=True, slots=True, eq=False)
class Skin:
    """The surface of a soft solid that touches others."""

    mesh: TriangleMesh
    """At rest."""
    nodes: NDArray[np.int32] | None
    """(s,) the node of each vertex; None for an embedded surface."""
    embedding: Embedding | None
    fractions: NDArray[np.float64] | None
    """(t,) how much of each tetrahedron is inside a closed embedded surface; None: all."""

    def carried(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions or velocities (s, 3) of the surface for those of the nodes (n, 3)."""
        if self.embedding is not None:
            return self.embedding.positions(values)
        return values[self.nodes]

    def rows(self) -> MapRows:
        """How the nodes move the vertices."""
        if self.embedding is not None:
            return weighted_rows(self.embedding.nodes, self.embedding.weights)
        assert self.nodes is not None
        return node_rows(self.nodes)


def solid_skin(tets: TetMesh, surface: TriangleMesh | None, name: str) -> Skin:
    """The surface of the tetrahedra, or `surface` embedded in them; a closed one says how far they are filled."""
    if surface is None:
        mesh, nodes = tets.surface()
        return Skin(mesh, nodes, None, None)
    embedding = embed(tets, surface.vertices, name, triangles=surface.triangles)
    return Skin(
        surface, None, embedding, embedded_volume_fractions(tets, surface) if encloses_volume(surface) else None
    )

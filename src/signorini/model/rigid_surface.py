"""Surface of rigid bodies as contact sees it: the body of each vertex, and its smooth patch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.model.rigid_bodies import RigidBodies
from signorini.model.smooth_patches import SmoothPatches, join_patches
from signorini.model.surface_map import SurfaceMap

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RigidSurface:
    """Of all v surface vertices, those of rigid bodies and what is attached to them."""

    rotor: Ints
    """(v,) number of the rigid body that the vertex moves with, or -1."""
    spin_node: Ints
    """(v,) the angular node of that body, or -1."""
    moves: NDArray[np.bool_]
    """(v,) whether nodes move the vertex."""
    fixed: NDArray[np.bool_]
    """(v,) whether the body of the vertex keeps its shape in contact: it is rigid or scripted."""
    patches: SmoothPatches | None
    """Where rigid bodies are smooth; None: nowhere."""

    @property
    def any(self) -> bool:
        """Whether there are rigid bodies."""
        return bool((self.rotor >= 0).any())

    @property
    def rise(self) -> NDArray[np.float64] | None:
        """(v,) how far smooth patches rise above the triangles [m]; None: there are none."""
        return None if self.patches is None else self.patches.rise


def build_rigid_surface(
    vertex_group: Ints, surface_map: SurfaceMap, rigids: RigidBodies, patches: list[SmoothPatches]
) -> RigidSurface:
    """From the groups of all vertices (rigid body b is group b + 1) and the patches of all bodies."""
    rotor = np.where(vertex_group > 0, vertex_group - 1, -1).astype(np.int32)
    spin_node = np.full(len(rotor), -1, np.int32)
    spin_node[rotor >= 0] = rigids.spins[rotor[rotor >= 0]]
    smooth = join_patches(patches) if any(p.any for p in patches) else None
    moves = np.diff(surface_map.indptr) > 0
    return RigidSurface(rotor, spin_node, moves, ~moves | (rotor >= 0), smooth)

"""Elements of soft solids: linear tetrahedra, or the patches of tetrahedra that do not lock (decision 0018)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements, Ints
from signorini.elements.patches import Patches, filled_up, mean_gradients
from signorini.elements.tetrahedra import Tetrahedra
from signorini.elements.tetrahedron_groups import around_edges, disjoint_groups
from signorini.geometry.tet_mesh import TetMesh
from signorini.scene.solid_material import SolidMaterial

Floats = NDArray[np.float64]
OWN_SHARE = 0.02
"""Part of its distortion that a tetrahedron of a locking-free solid resists by itself: to unfold one that is inverted among
others that are not; 5 % would make a bar that bends 3 % stiffer."""


def solid_elements(mesh: TetMesh, material: SolidMaterial, volume: Floats) -> tuple[Elements, ...]:
    """The elements of a solid whose resting shape is the mesh, for volumes (t,) of material in its tetrahedra [m³]."""
    tetrahedra = replace(build_tetrahedra(mesh, material), volume=volume)
    return locking_free(tetrahedra) if material.locking_free else (tetrahedra,)


def build_tetrahedra(mesh: TetMesh, material: SolidMaterial) -> Tetrahedra:
    """The linear tetrahedra of a solid whose resting shape is the mesh; nodes count from 0 within the solid."""
    count, corners = len(mesh.tetrahedra), mesh.vertices[mesh.tetrahedra]
    rest = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    return Tetrahedra(
        mesh.tetrahedra,
        np.ascontiguousarray(np.linalg.inv(rest), dtype=np.float64),
        mesh.volumes(),
        np.full(count, material.lame_mu),
        np.full(count, material.lame_lambda),
        np.tile(material.shape, (count, 1)),
        np.full(count, float(material.stiffness_damping)),
        material.law,
    )


def locking_free(tetrahedra: Tetrahedra) -> tuple[Elements, ...]:
    """The same solid with its distortion taken at edges and its change of volume in groups of tetrahedra.

    A material with a negative λ, which gets wider when it is pulled, does not lock: its edges have all of λ.
    """
    t = tetrahedra
    t.law.check_linear(t.shape[0])
    edge, at_edge = around_edges(t.nodes)
    grouped = np.maximum(t.lame_lambda, 0.0)
    own = replace(t, volume=OWN_SHARE * t.volume, lame_lambda=t.lame_lambda - grouped)
    edges = _patches(own, edge, at_edge, (1.0 - OWN_SHARE) / 6.0 * t.volume[at_edge])
    every = np.arange(len(t), dtype=np.int32)
    volumes = replace(t, lame_mu=np.zeros(len(t)), lame_lambda=grouped)
    return own, *edges, *_patches(volumes, disjoint_groups(t.nodes), every, t.volume)


def _patches(t: Tetrahedra, patch: Ints, member: Ints, volume: Floats) -> list[Patches]:
    """Patches, by widths, of tetrahedra of one material: member[m] belongs to patch[m] with volume[m] [m³]."""
    means = mean_gradients(t.nodes, t.rest_inverse, patch, member, volume)
    first = np.empty(len(means.volume), np.int32)
    first[patch[::-1]] = member[::-1]
    sets = []
    for rows, nodes, count, gradients in filled_up(means):
        of = first[rows]
        sets.append(
            Patches(
                nodes=nodes,
                count=count,
                gradients=gradients,
                volume=means.volume[rows],
                lame_mu=t.lame_mu[of],
                lame_lambda=t.lame_lambda[of],
                shape=t.shape[of],
                stiffness_damping=t.stiffness_damping[of],
                law=t.law,
            )
        )
    return sets

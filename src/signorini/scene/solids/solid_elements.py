"""Elements of soft solids: linear tetrahedra, or the patches of tetrahedra that do not lock (decision 0018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

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


class Membership(NamedTuple):
    """Tetrahedra that the elements of a set stand for: m pairs, and the part of the volume of each tetrahedron."""

    element: Ints
    """(m,)"""
    tetrahedron: Ints
    """(m,)"""
    weight: Floats
    """(m,)"""


def memberships(mesh: TetMesh, material: SolidMaterial) -> dict[int, Membership]:
    """Which tetrahedra of the mesh the elements of `solid_elements` stand for, by the number of nodes of an element.

    A model joins the sets of one width, one after the other.
    """
    every, ones = np.arange(len(mesh.tetrahedra), dtype=np.int32), np.ones(len(mesh.tetrahedra))
    if not material.locking_free:
        return {4: Membership(every, every, ones)}
    t, found = build_tetrahedra(mesh, material), {4: [Membership(every, every, OWN_SHARE * ones)]}
    counts: Counter[int] = Counter()
    for patch, member, weight in _divisions(t.nodes):
        means = mean_gradients(t.nodes, t.rest_inverse, patch, member, t.volume[member])
        for rows, nodes, *_ in filled_up(means):
            width, place = nodes.shape[1], np.full(len(means.volume), -1, np.int32)
            place[rows] = counts[width] + np.arange(len(rows), dtype=np.int32)
            counts[width] += len(rows)
            own = place[patch] >= 0
            pairs = Membership(place[patch][own], member[own], np.full(int(own.sum()), weight))
            found.setdefault(width, []).append(pairs)
    return {width: Membership(*map(np.concatenate, zip(*sets, strict=True))) for width, sets in found.items()}


def _divisions(nodes: Ints) -> Iterator[tuple[Ints, Ints, float]]:
    """Patches and the tetrahedra (t, 4) that belong to them, with the part of their volume: at edges, and in groups."""
    yield *around_edges(nodes), (1.0 - OWN_SHARE) / 6.0
    yield disjoint_groups(nodes), np.arange(len(nodes), dtype=np.int32), 1.0


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
    (edge, at_edge, part), (group, in_group, _) = _divisions(t.nodes)
    grouped = np.maximum(t.lame_lambda, 0.0)
    own = replace(t, volume=OWN_SHARE * t.volume, lame_lambda=t.lame_lambda - grouped)
    edges = _patches(own, edge, at_edge, part * t.volume[at_edge])
    volumes = replace(t, lame_mu=np.zeros(len(t)), lame_lambda=grouped)
    return own, *edges, *_patches(volumes, group, in_group, t.volume)


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

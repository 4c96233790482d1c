"""Patches of tetrahedra that share one mean deformation: the elements of solids that would lock.

Implements: edge-based smoothing (LiuNguyen2010) and one volume for a group of tetrahedra (SouzaNeto2005), see decision 0018.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights
from signorini.elements.patches_kernels import mean_gradient
from signorini.elements.solid_law import SolidLaw

WIDTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Numbers of nodes to which patches are filled up: patches of one width form one set."""


@dataclass(frozen=True, slots=True)
class Patches(Elements):
    """e patches of up to k nodes. The deformation gradient of one is F = Σ x_n g_n', the mean over its tetrahedra."""

    nodes: Ints
    """(e, k); beyond its count a patch repeats its first node."""
    count: Ints
    """(e,) nodes of each patch."""
    gradients: Floats
    """(e, k, 3) means g_n of the gradients of the shape functions [1/m]; zero beyond the count."""
    volume: Floats
    """(e,) that the patch stands for, at rest [m³]."""
    lame_mu: Floats
    """(e,) part of the shear modulus that the patch has [Pa]."""
    lame_lambda: Floats
    """(e,) part of λ [Pa]."""
    shape: Floats
    """(e, p) numbers of the law's shape."""
    stiffness_damping: Floats
    """(e,) β of the damping matrix C = β K [s]."""
    law: SolidLaw
    """The constitutive law, the same for all patches of a set."""

    def group(self) -> Hashable:
        """All patches of one law and one width form one set."""
        return Patches, self.law, self.nodes.shape[1]

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all patches (see `Elements.assemble`); only deformation is damped."""
        self.law.assemble_patches(
            self.nodes, self.count, self.gradients, self.volume, self.lame_mu, self.lame_lambda, self.shape,
            self.stiffness_damping, entries, at.positions, at.offset_velocity, at.frame_velocity, *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ V Ψ(F) [J]."""
        return self.law.patches_energy(
            self.nodes, self.count, self.gradients, self.volume, self.lame_mu, self.lame_lambda, self.shape, positions
        )

    def mean_gradients(self, positions: Floats) -> Floats:
        """F (e, 3, 3) at positions (n, 3) [m]."""
        F = np.empty((len(self), 3, 3))
        for e in range(len(self)):
            mean_gradient(self.nodes[e], self.count[e], self.gradients[e], positions, F[e])
        return F


@dataclass(frozen=True, slots=True)
class MeanGradients:
    """Mean gradients of the shape functions over patches of tetrahedra, one entry for each node of a patch."""

    indptr: Ints
    """(e + 1,) where the entries of each patch begin."""
    nodes: Ints
    gradients: Floats
    """(k, 3) [1/m]"""
    volume: Floats
    """(e,) [m³]"""


def mean_gradients(tetrahedra: Ints, rest_inverse: Floats, patch: Ints, member: Ints, volume: Floats) -> MeanGradients:
    """Means over patches of tetrahedra (t, 4) with D⁻¹ (t, 3, 3) [1/m].

    Tetrahedron member[m] belongs to patch[m] with volume[m] [m³], all (m,).
    """
    G = np.concatenate([-rest_inverse.sum(axis=1, keepdims=True), rest_inverse], axis=1)
    total = np.bincount(patch, volume).astype(np.float64)
    weighted = (volume / total[patch])[:, None, None] * G[member]
    keys = patch[:, None].astype(np.int64) * (int(tetrahedra.max()) + 1) + tetrahedra[member]
    unique, place = np.unique(keys.ravel(), return_inverse=True)
    gradients = np.empty((len(unique), 3))
    for c in range(3):
        gradients[:, c] = np.bincount(place.ravel(), weighted[:, :, c].ravel(), len(unique))
    owner, nodes = np.divmod(unique, int(tetrahedra.max()) + 1)
    indptr = np.searchsorted(owner, np.arange(len(total) + 1))
    return MeanGradients(indptr.astype(np.int32), nodes.astype(np.int32), gradients, total)


def filled_up(means: MeanGradients) -> list[tuple[Ints, Ints, Ints, Floats]]:
    """For each width of patches which they are, nodes, count and gradients of `Patches`."""
    counts, sets = np.diff(means.indptr), []
    widths = np.array([*WIDTHS, max(int(counts.max(initial=0)), WIDTHS[-1] + 1)])
    chosen = np.searchsorted(widths, counts)
    for w in np.unique(chosen):
        rows, width = np.flatnonzero(chosen == w), int(widths[w])
        column = np.arange(width)
        filled = column < counts[rows, None]
        source = means.indptr[rows, None] + np.where(filled, column, 0)
        gradients = np.where(filled[:, :, None], means.gradients[source], 0.0)
        sets.append((rows.astype(np.int32), means.nodes[source], counts[rows].astype(np.int32), gradients))
    return sets

"""Bending elements of a rod: a resistance to the angle between two consecutive segments.

The curvature binormal of the segments e0 and e1 is κb = 2 e0 × e1 / (|e0| |e1| + e0·e1), of length 2 tan(φ/2) for the angle φ
between them. The rod has no twist, so that only the size κ₀ of its curvature at rest is known, not its plane.

Implements: the bending energy of Bergou2008 §4.2 for an isotropic cross-section, with the exact gradient also for segments that
change their length.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights

STRAIGHT = 1e-12
"""κ below which a rod counts as straight and has no bending plane; far below rounding in any measured angle."""


@dataclass(frozen=True, slots=True)
class RodBending(Elements):
    """b bending elements. Energy of one: ½ k (κ − κ₀)², κ = |κb|."""

    nodes: Ints
    """(b, 3) three consecutive vertices of a rod."""
    rest_curvature: Floats
    """(b,) κ₀ = 2 tan(φ₀/2), an angle at a vertex and not per length."""
    curvature_stiffness: Floats
    """(b,) k [N m]: bending rigidity EI over the half lengths of both segments."""
    damping_time: Floats
    """(b,) damping of κ over its stiffness [s]."""

    def group(self) -> Hashable:
        """All bending elements form one set."""
        return RodBending

    def curvatures(self, positions: Floats) -> Floats:
        """κ = 2 tan(φ/2) of each element, (b,), at positions (n, 3) [m]."""
        return np.linalg.norm(self._binormals(positions)[0], axis=1)

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ ½ k (κ − κ₀)² [J]."""
        excess = self.curvatures(positions) - self.rest_curvature
        return float(0.5 * self.curvature_stiffness @ excess**2)

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all elements (see `Elements.assemble`); damping is of the velocity itself."""
        force, K, C = self.forces_and_matrices(at.positions)
        implicit = np.einsum("bnmcd,bmd->bnc", K, at.offset_velocity[self.nodes])
        np.add.at(b, self.nodes, weights.force * force + weights.stiffness * implicit)
        np.add.at(data, entries, weights.stiffness * K + weights.damping * C)

    def forces_and_matrices(self, positions: Floats) -> tuple[Floats, Floats, Floats]:
        """F = −k (κ − κ₀) ∂κ/∂x, (b, 3, 3) [N], K and C, (b, 3, 3, 3, 3) [N/m, N s/m], at positions (n, 3) [m].

        K is full in the direction of bending, across it as far as the rod is bent beyond rest. The curvature of κb is left out
        (Gauss-Newton), and a rod that is too straight does not push across: K is semidefinite. C resists changes of κ, not of
        the plane of bending, which rotates with the rod.
        """
        binormal, gradient = self._binormals(positions)
        excess, k = self._share_of_excess(binormal), self.curvature_stiffness
        force = -np.einsum("bnic,bi->bnc", gradient, (k * excess)[:, None] * binormal)
        size = np.linalg.norm(binormal, axis=1)
        direction = binormal / np.maximum(size, STRAIGHT)[:, None]
        along = direction[:, :, None] * direction[:, None, :]
        along[size <= STRAIGHT] = np.eye(3)  # a straight rod begins to bend in any plane
        across = np.maximum(excess, 0.0)[:, None, None]
        K = _products(gradient, k, across * np.eye(3) + (1.0 - across) * along)
        return force, K, _products(gradient, k * self.damping_time, along)

    def _share_of_excess(self, binormal: Floats) -> Floats:
        """(κ − κ₀) / κ of each element; 1 for one that is straight at rest, whatever κ."""
        size = np.maximum(np.linalg.norm(binormal, axis=1), STRAIGHT)
        return np.where(self.rest_curvature > 0.0, 1.0 - self.rest_curvature / size, 1.0)

    def _binormals(self, q: Floats) -> tuple[Floats, Floats]:
        """κb (b, 3), and its derivative (b, 3, 3, 3) by node, component of κb, component of the node's position."""
        x0, x1, x2 = (q[self.nodes[:, k]] for k in range(3))
        e0, e1 = x1 - x0, x2 - x1
        l0, l1 = np.linalg.norm(e0, axis=1, keepdims=True), np.linalg.norm(e1, axis=1, keepdims=True)
        # A fold onto itself has no finite curvature: 1e-9 of the lengths keeps the force finite until contact stops it.
        scale = np.maximum(l0 * l1 + (e0 * e1).sum(axis=1, keepdims=True), 1e-9 * l0 * l1 + 1e-300)
        binormal = 2.0 * np.cross(e0, e1) / scale
        by_e0 = (-2.0 * _cross_matrices(e1) - binormal[:, :, None] * (l1 / l0 * e0 + e1)[:, None, :]) / scale[
            :, :, None
        ]
        by_e1 = (2.0 * _cross_matrices(e0) - binormal[:, :, None] * (l0 / l1 * e1 + e0)[:, None, :]) / scale[:, :, None]
        return binormal, np.stack([-by_e0, by_e0 - by_e1, by_e1], axis=1)


def _products(gradient: Floats, weight: Floats, H: Floats) -> Floats:
    """weight · gradient' H gradient of each pair of nodes, (b, 3, 3, 3, 3)."""
    return np.einsum("b,bnic,bij,bmjd->bnmcd", weight, gradient, H, gradient, optimize=True)


def _cross_matrices(v: Floats) -> Floats:
    """[v]× (b, 3, 3), so that [v]× w = v × w."""
    matrices = np.zeros((len(v), 3, 3))
    matrices[:, 0, 1], matrices[:, 0, 2], matrices[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    return matrices - matrices.transpose(0, 2, 1)

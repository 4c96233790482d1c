"""Angular springs about the edges that two triangles share: the bending element of a cloth.

Implements: the bending element of Bridson2003 with a stiffness per unit of curvature (decision 0002).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements import hinges_kernels as kernels


@dataclass(frozen=True, slots=True)
class Hinges:
    """h hinges. Energy of one: ½ k (θ − θ₀)², θ the signed angle between the normals, 0 when flat."""

    nodes: NDArray[np.int32]
    """(h, 4) the edge x0, x1 and the two opposite vertices x2, x3; triangles (x0, x1, x2) and (x1, x0, x3)."""
    rest_angle: NDArray[np.float64]
    """(h,) θ₀ [rad]."""
    stiffness: NDArray[np.float64]
    """(h,) k [N m]."""
    damping: NDArray[np.float64]
    """(h,) moment per angular rate [N m s]."""

    def __len__(self) -> int:
        return len(self.rest_angle)


def hinge_angles(nodes: NDArray[np.int32], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signed dihedral angle of every hinge, (h,) [rad]."""
    angles = np.empty(len(nodes))
    kernels.angles(nodes, np.array(q), angles)  # a copy: read-only arrays would be compiled separately
    return angles


def concatenate_hinges(parts: list[tuple[Hinges, int]]) -> Hinges:
    """All hinges of the given bodies, each with its nodes shifted by the body's first node."""
    if not parts:
        return Hinges(np.zeros((0, 4), np.int32), np.zeros(0), np.zeros(0), np.zeros(0))
    return Hinges(
        np.concatenate([p.nodes + first for p, first in parts]).astype(np.int32),
        np.concatenate([p.rest_angle for p, _ in parts]),
        np.concatenate([p.stiffness for p, _ in parts]),
        np.concatenate([p.damping for p, _ in parts]),
    )

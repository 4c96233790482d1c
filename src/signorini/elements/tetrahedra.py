"""Linear tetrahedra of co-rotational or Neo-Hookean material: the elements of a soft solid.

Implements: MuellerGross2004 (co-rotational); Hong2004 §2 with BonetWood (nearly incompressible Neo-Hookean).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Tetrahedra:
    """t elements. The deformation gradient of one is F = [x1 − x0, x2 − x0, x3 − x0] D⁻¹, D the same matrix at rest."""

    nodes: NDArray[np.int32]
    """(t, 4)"""
    rest_inverse: NDArray[np.float64]
    """(t, 3, 3) D⁻¹ [1/m]; its rows are the gradients of the shape functions of the nodes 1, 2 and 3."""
    volume: NDArray[np.float64]
    """(t,) at rest [m³]."""
    lame_mu: NDArray[np.float64]
    """(t,) shear modulus [Pa]."""
    lame_lambda: NDArray[np.float64]
    """(t,) [Pa]"""
    stiffness_damping: NDArray[np.float64]
    """(t,) β of the damping matrix C = β K [s]."""
    neo_hookean: NDArray[np.uint8]
    """(t,) 1: Neo-Hookean, 0: co-rotational."""

    def __len__(self) -> int:
        return len(self.volume)


def concatenate_tetrahedra(parts: list[tuple[Tetrahedra, int]]) -> Tetrahedra:
    """All elements of the given bodies, each with its nodes shifted by the body's first node."""
    if not parts:
        none = np.zeros(0)
        return Tetrahedra(
            np.zeros((0, 4), np.int32), np.zeros((0, 3, 3)), none, none, none, none, np.zeros(0, np.uint8)
        )
    return Tetrahedra(
        np.concatenate([p.nodes + first for p, first in parts]).astype(np.int32),
        np.concatenate([p.rest_inverse for p, _ in parts]),
        np.concatenate([p.volume for p, _ in parts]),
        np.concatenate([p.lame_mu for p, _ in parts]),
        np.concatenate([p.lame_lambda for p, _ in parts]),
        np.concatenate([p.stiffness_damping for p, _ in parts]),
        np.concatenate([p.neo_hookean for p, _ in parts]),
    )

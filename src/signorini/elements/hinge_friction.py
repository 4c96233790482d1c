"""Dry friction in bending: what lets a crumpled fabric come to rest instead of creeping for ever.

Threads rub against each other when fabric bends, so its moment-curvature curve is a loop; fabric testing (KES-F) reports half
the height of that loop as HB. Each hinge gets a friction element in parallel to its spring: elastic until the moment HB · L is
reached, slipping beyond (a Prandtl element).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements import hinge_friction_kernels as kernels
from signorini.elements.hinges import Hinges

STIFFNESS_RATIO = 3.0
"""Stiffness of a sticking element over that of the hinge's spring: loops of fabric begin about that much steeper."""


@dataclass(frozen=True, slots=True)
class HingeFriction:
    """h elements. Moment −clamp(k (θ − θ_s), ±limit); θ_s, the angle at which an element has set, is part of the state."""

    nodes: NDArray[np.int32]
    """(h, 4) as `Hinges.nodes`."""
    stiffness: NDArray[np.float64]
    """(h,) k [N m]."""
    limit: NDArray[np.float64]
    """(h,) largest moment [N m]."""

    def __len__(self) -> int:
        return len(self.limit)

    def slipped(self, q: NDArray[np.float64], set_angle: NDArray[np.float64]) -> NDArray[np.float64]:
        """The set angles (h,) after the nodes have moved to q: an element beyond its limit slips along."""
        after = set_angle.copy()
        kernels.slip(self.nodes, self.stiffness, self.limit, q, after)
        return after


def build_hinge_friction(hinges: Hinges, hysteresis: float, length: NDArray[np.float64]) -> HingeFriction:
    """Elements for hinges of the given edge lengths (h,) [m] and HB = `hysteresis` [N]; none when that is zero."""
    if hysteresis == 0.0:
        return no_hinge_friction()
    return HingeFriction(hinges.nodes, STIFFNESS_RATIO * hinges.stiffness, hysteresis * length)


def no_hinge_friction() -> HingeFriction:
    """No elements."""
    return HingeFriction(np.zeros((0, 4), np.int32), np.zeros(0), np.zeros(0))


def concatenate_hinge_friction(parts: list[tuple[HingeFriction, int]]) -> HingeFriction:
    """All elements of the given bodies, each with its nodes shifted by the body's first node."""
    parts = parts or [(no_hinge_friction(), 0)]
    return HingeFriction(
        np.concatenate([p.nodes + first for p, first in parts]).astype(np.int32),
        np.concatenate([p.stiffness for p, _ in parts]),
        np.concatenate([p.limit for p, _ in parts]),
    )

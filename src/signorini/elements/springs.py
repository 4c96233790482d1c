"""Axial springs with damping along the spring: the structural and shear elements of a cloth.

Implements: Provot1995; Otaduy2009 §3.1 (the mass-spring model of its examples).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Springs:
    """s springs. Energy of one: ½ k (l − L)², k smaller in compression; damping force −c (v·d) d along its direction d."""

    nodes: NDArray[np.int32]
    """(s, 2)"""
    rest_length: NDArray[np.float64]
    """(s,) L [m]."""
    stiffness: NDArray[np.float64]
    """(s,) k in tension [N/m]."""
    compression: NDArray[np.float64]
    """(s,) k in compression [N/m]."""
    damping: NDArray[np.float64]
    """(s,) c [N s/m]."""

    def __len__(self) -> int:
        return len(self.rest_length)


def concatenate_springs(parts: list[tuple[Springs, int]]) -> Springs:
    """All springs of the given bodies, each with its nodes shifted by the body's first node."""
    if not parts:
        return Springs(np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0))
    return Springs(
        np.concatenate([p.nodes + first for p, first in parts]).astype(np.int32),
        np.concatenate([p.rest_length for p, _ in parts]),
        np.concatenate([p.stiffness for p, _ in parts]),
        np.concatenate([p.compression for p, _ in parts]),
        np.concatenate([p.damping for p, _ in parts]),
    )

"""State: where the nodes are and how they move. Plain arrays, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class State:
    """A moment of the simulation."""

    q: NDArray[np.float64]
    """(n, 3) node positions [m]; zero for the angular node of a rigid body."""
    v: NDArray[np.float64]
    """(n, 3) node velocities [m/s]; ω in the world frame [rad/s] for the angular node of a rigid body."""
    time: float
    """[s]"""
    set_angles: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(h,) angles at which the friction elements of hinges have set [rad]; empty: they are left out."""
    rotations: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4)))
    """(b, 4) unit quaternions (x, y, z, w) that turn the meshes of the rigid bodies into the world."""

"""State of a simulation: positions, velocities, orientations and internal variables, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class State:
    """Positions and velocities of all nodes at a time."""

    q: NDArray[np.float64]
    """(n, 3) node positions [m]; zero for the angular node of a rigid body."""
    v: NDArray[np.float64]
    """(n, 3) node velocities [m/s]; ω in the world frame [rad/s] for the angular node of a rigid body."""
    time: float
    """[s]"""
    internal: tuple[NDArray[np.float64], ...] = ()
    """Internal state of each set of elements of the model (`Elements.initial_state`); empty: as at the start."""
    rotations: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 4)))
    """(b, 4) unit quaternions (x, y, z, w) that turn the meshes of the rigid bodies into the world."""
    interval: float = 0.0
    """Length of the (sub-)step whose displacements over time the velocities are [s]; 0 for velocities of the moment itself."""
    applied: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3)))
    """(n, 3) forces on the nodes that were given by hand for the step that starts here [N], torques [N m] on the angular nodes
    of rigid bodies; (0, 3): none. They last for all sub-steps of that step."""

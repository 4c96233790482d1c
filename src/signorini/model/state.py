"""State of a simulation: positions, velocities, orientations and internal variables, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class History:
    """The last step of a motion without its impacts: what a second-order step extrapolates from.

    Rows of angular nodes are angular momenta [kg m²/s], which nothing but torque changes, instead of velocities.
    """

    velocity: NDArray[np.float64]
    """(n, 3) velocities at the start of the last step, plus what impacts in it changed [m/s]."""
    displacement: NDArray[np.float64]
    """(n, 3) displacements of the last step over its length [m/s]."""
    length: float
    """Length of the last step [s]."""
    before: History | None = None
    """That of the step before, if it was as long and the last one continued it."""

    def only(self, nodes: NDArray[np.intp]) -> History:
        """The history of some nodes."""
        before = None if self.before is None else self.before.only(nodes)
        return History(self.velocity[nodes], self.displacement[nodes], self.length, before)

    def spread(self, nodes: NDArray[np.intp], count: int) -> History:
        """The same in the numbers of a larger model of `count` nodes, where all others stand still."""
        velocity, displacement = np.zeros((count, 3)), np.zeros((count, 3))
        velocity[nodes], displacement[nodes] = self.velocity, self.displacement
        before = None if self.before is None else self.before.spread(nodes, count)
        return History(velocity, displacement, self.length, before)

    def shifted(self, change: NDArray[np.float64]) -> History:
        """The history of a motion whose velocities (n, 3) were changed at the end of the step, as by an impact [m/s]."""
        before = None if self.before is None else self.before.shifted(change)
        return History(self.velocity + change, self.displacement + change, self.length, before)


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
    history: History | None = None
    """What a second-order step extrapolates from; None: the next step is of first order."""

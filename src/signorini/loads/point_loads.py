"""Forces on points: of one resultant, or of a field; on nodes, and on points of rigid bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.elements.element import NO_STATE, Elements, Linearisation
from signorini.errors import SimulationStoppedError, short
from signorini.geometry.triangle_mesh import as_floats
from signorini.loads.load_history import LoadHistory

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class PointLaw(Protocol):
    """A force on points as a function of place and time."""

    def per_weight(self, x: Floats, time: float) -> Floats:
        """(k, 3) or (3,): the force over the weight of points at x (k, 3) [m] at a time [s]."""
        ...


@dataclass(frozen=True, slots=True)
class Resultant:
    """A force that points share by their weights, which sum up to 1."""

    force: LoadHistory
    """(3,) [N]"""

    def per_weight(self, x: Floats, time: float) -> Floats:
        """(3,) [N]"""
        return self.force.at(time)


@dataclass(frozen=True, slots=True)
class Field:
    """A force per mass that depends on place and time; the weights are masses [kg]."""

    function: Callable[[Floats, float], Floats]
    """Takes places (k, 3) [m] and a time [s], returns accelerations (k, 3) [m/s²]."""
    what: str
    """What it is, for messages."""
    window: LoadHistory
    """(1,) 1 while it acts."""

    def per_weight(self, x: Floats, time: float) -> Floats:
        """(k, 3) [m/s²]"""
        if not self.window.at(time)[0]:
            return np.zeros(3)
        answer = self.function(x.copy(), time)
        try:
            found = as_floats(answer)
        except (TypeError, ValueError):
            found = np.zeros(0)
        if found.shape not in (x.shape, (3,)) or not np.isfinite(found).all():
            raise SimulationStoppedError(
                f"{self.what} at t = {time:.6g} s must be finite numbers of shape {x.shape}, but its function returned "
                f"{short(answer)}"
            )
        return found


class Load(Elements):
    """A load on one body."""

    def is_steady(self, before: Linearisation, after: Linearisation) -> bool:
        """Whether the forces on nodes at rest are the same at two times."""
        return np.array_equal(self.forces(before, NO_STATE), self.forces(after, NO_STATE))


@dataclass(frozen=True, slots=True)
class PointLoad(Load):
    """Forces on nodes."""

    nodes: Ints
    """(e, 1)"""
    weights: Floats
    """(e,) parts of a resultant, or masses [kg] in a field."""
    law: PointLaw

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(e, 1, 3) [N]"""
        force = self.law.per_weight(at.positions[self.nodes[:, 0]], at.time)
        return (self.weights[:, None] * force)[:, None, :]


@dataclass(frozen=True, slots=True)
class RigidPointLoad(Load):
    """Forces on points of a rigid body: one on its centre of mass, and their torque about it."""

    nodes: Ints
    """(2, 1) the centre of mass, and the angular velocity."""
    arms: Floats
    """(p, 3) from the centre of mass to the points, in the frame of the mesh [m]."""
    weights: Floats
    """(p,) parts of a resultant, or masses [kg] in a field."""
    law: PointLaw

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(2, 1, 3) [N], [N m]"""
        centre, arms = turned_arms(at, int(self.nodes[0, 0]), self.arms)
        each = self.weights[:, None] * self.law.per_weight(centre + arms, at.time)
        return np.array([[each.sum(axis=0)], [np.cross(arms, each).sum(axis=0)]])


@dataclass(frozen=True, slots=True)
class RigidTorque(Load):
    """A torque on a rigid body."""

    nodes: Ints
    """(1, 1) the angular velocity."""
    torque: LoadHistory
    """(3,) in the world frame [N m]."""

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(1, 1, 3) [N m]"""
        return self.torque.at(at.time)[None, None, :]


def turned_arms(at: Linearisation, node: int, arms: Floats) -> tuple[Floats, Floats]:
    """The centre of mass (3,) of the rigid body of a node and its arms (p, 3) in the world [m]."""
    rotation = at.rotations[np.searchsorted(at.rigid_nodes, node)]
    return at.positions[node], Rotation.from_quat(rotation).apply(arms)

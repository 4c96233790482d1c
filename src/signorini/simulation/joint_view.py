"""Joints and drives of a running simulation: what can be read and set between steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.attributes import KnownAttributes, read_only
from signorini.errors import InputError
from signorini.model.jointed.joint_geometry import FramePoses, joint_coordinates, joint_places, joint_rows
from signorini.model.rigid_bodies import rotation_matrices
from signorini.scene.joints import check_finite, check_limit

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]


class JointView(KnownAttributes):
    """A joint of a running simulation: its coordinate and forces can be read, its drive can be set between steps."""

    _replaceable = frozenset[str]()

    def __init__(self, simulation: Simulation, name: str) -> None:
        joints = simulation._world.model.joints
        assert joints is not None
        self._simulation, self.name = simulation, name
        self._number = joints.names.index(name)
        self.kind = joints.kinds[self._number]
        self._drive = joints.drives.names.index(name) if name in joints.drives.names else -1
        self._complete = True

    def _described(self) -> str:
        return f"the {self.kind} joint {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self.kind} joint {self.name!r} at {self.position:.6g}>"

    @property
    def position(self) -> float:
        """Angle of a hinge [rad], between -π and π, or distance of a slider [m], counted from the start; 0 for other joints."""
        return float(self._coordinates()[0][self._number])

    @property
    def velocity(self) -> float:
        """Rate of `position` [rad/s or m/s], relative to what the body is tied to if that is rigid."""
        joints, state = self._joints(), self._simulation.state
        rigids = self._simulation._world.model.rigids
        J, k = self._coordinates()[1][self._number], self._number
        rate = 0.0
        for frame, first in ((joints.first[k], 0), (joints.second[k], 2)):
            if frame < len(rigids):
                rate += float(J[first] @ state.v[rigids.nodes[frame]] + J[first + 1] @ state.v[rigids.spins[frame]])
        return rate

    @property
    def error(self) -> float:
        """Gap of the joint [m]: the largest violation of its equations."""
        joints = self._joints()
        g, _ = joint_rows(joints, joint_places(joints, self._poses()))
        return float(np.abs(g[joints.rows.joint == self._number]).max(initial=0.0))

    @property
    def force(self) -> Floats:
        """(3,) of the joint on its body in the last (sub-)step, without the drive [N]; zero before the first step."""
        return self._of_last("impulse")

    @property
    def torque(self) -> Floats:
        """(3,) of the joint on its body about the joint, without the drive [N m]."""
        return self._of_last("angular")

    @property
    def drive_force(self) -> float:
        """Force [N] or torque [N m] of the drive in the last (sub-)step; 0 before the first step and without a drive."""
        solved = self._simulation._solved
        if self._drive < 0 or solved is None or solved.joints is None or self.name not in solved.joints.drive_names:
            return 0.0
        return float(solved.joints.drive_impulse[solved.joints.drive_names.index(self.name)][0] / solved.joints.dt)

    @property
    def target(self) -> float:
        """Target of the drive: an angle [rad] or a distance [m]."""
        return float(self._joints().drives.targets[self._driven("target"), 0])

    @target.setter
    def target(self, value: float) -> None:
        self._joints().drives.targets[self._driven("target"), 0] = check_finite(f"target of {self.name!r}", value)

    @property
    def target_velocity(self) -> float:
        """The rate that the damping of the drive goes to [rad/s or m/s]."""
        return float(self._joints().drives.targets[self._driven("target_velocity"), 4])

    @target_velocity.setter
    def target_velocity(self, value: float) -> None:
        number = check_finite(f"target_velocity of {self.name!r}", value)
        self._joints().drives.targets[self._driven("target_velocity"), 4] = number

    @property
    def max_force(self) -> float:
        """Largest force [N] or torque [N m] of the drive."""
        return float(self._joints().drives.gains[self._driven("max_force"), 2])

    @max_force.setter
    def max_force(self, value: float) -> None:
        self._joints().drives.gains[self._driven("max_force"), 2] = check_limit(f"max_force of {self.name!r}", value)

    def _driven(self, what: str) -> int:
        if self._drive < 0:
            raise InputError(f"joint {self.name!r} has no drive, so no {what}: give add_joint a stiffness or a damping")
        return self._drive

    def _joints(self):
        joints = self._simulation._world.model.joints
        assert joints is not None
        return joints

    def _poses(self) -> FramePoses:
        model, state, joints = self._simulation._world.model, self._simulation.state, self._joints()
        kinematic = self._simulation._moment.surface_positions[model.kinematic_first :]
        scripted = [frame.of_all(kinematic) for frame in joints.scripted]
        X = np.concatenate([state.q[model.rigids.nodes], *(x[None] for x, _ in scripted), np.zeros((1, 3))])
        R = np.concatenate([rotation_matrices(state.rotations), *(r[None] for _, r in scripted), np.eye(3)[None]])
        return FramePoses(X, R)

    def _coordinates(self) -> tuple[Floats, Floats]:
        joints = self._joints()
        return joint_coordinates(joints, joint_places(joints, self._poses()))

    def _of_last(self, what: str) -> Floats:
        solved = self._simulation._solved
        if solved is None or solved.joints is None or self.name not in solved.joints.names:
            return read_only(np.zeros(3))
        return read_only(getattr(solved.joints, what)[solved.joints.names.index(self.name)] / solved.joints.dt)


class JointViews(dict[str, JointView]):
    """The joints of a running simulation by name; a name that does not exist is answered with those that do."""

    def __missing__(self, name: object) -> JointView:
        raise InputError(f"there is no joint {name!r} in this simulation; there are {', '.join(self) or 'none'}")


def joint_views(simulation: Simulation) -> JointViews:
    """The joints of a simulation; locks are among them."""
    joints = simulation._world.model.joints
    return JointViews({} if joints is None else {name: JointView(simulation, name) for name in joints.names})

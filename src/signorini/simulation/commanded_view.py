"""Commanded bodies of a running simulation: scripted bodies that are told where to go, and rigid bodies with a drive."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.attributes import read_only
from signorini.checks import told_vector
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import as_points, as_vector
from signorini.model.commands import Command
from signorini.model.jointed.joint_specs import Driven
from signorini.model.jointed.scripted_frames import ScriptedFrame
from signorini.simulation.body_view import BodyView, RigidView
from signorini.simulation.command_check import check_command

Floats = NDArray[np.float64]


class KinematicView(BodyView):
    """A scripted body of a running simulation. A command takes the place of its script from the next step on."""

    _remedies: ClassVar[dict[str, str]] = {
        "center": "call move_to(position), or set velocity",
        "rotation": "call move_to(position, rotation), or set angular_velocity",
    }

    def __repr__(self) -> str:
        x, driven = self.positions, "moves as commanded" if self._command() is not None else "moves by its script"
        return f"<kinematic body {self.name!r}: {len(x)} vertices, centre {told_vector(x.mean(axis=0))} m, {driven}>"

    @property
    def center(self) -> Floats:
        """(3,) the mean of its vertices [m]."""
        return read_only(self.positions.mean(axis=0))

    @property
    def rotation(self) -> Floats:
        """(3,) rotation vector since time 0 [rad]."""
        return read_only(Rotation.from_matrix(self._frame().pose(self.positions)[1]).as_rotvec(), flagged=False)

    @property
    def velocity(self) -> Floats:
        """(3,) with which it was told to go on [m/s]; zero if it was not. Set, it goes on so until another command."""
        command = self._command()
        if command is None or not command.onward:
            return read_only(np.zeros(3))
        return read_only(command.translation / self._simulation.dt)

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._go_on(as_vector(f"velocity of {self.name!r}", value), self.angular_velocity)

    @property
    def angular_velocity(self) -> Floats:
        """(3,) commanded angular velocity about its centre [rad/s]; zero if there is none."""
        command = self._command()
        if command is None or not command.onward:
            return read_only(np.zeros(3))
        return read_only(command.turn / self._simulation.dt)

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self._go_on(self.velocity, as_vector(f"angular_velocity of {self.name!r}", value))

    def move_to(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Have its centre at `position` (3,) [m] at the end of the next step, and stay there until another command.

        `rotation` (3,) is its rotation vector since time 0 then [rad]; by default it does not turn. On the way it moves and turns
        at constant rates.
        """
        centre = as_vector(f"position of {self.name!r}", position)
        turn = np.zeros(3)
        if rotation is not None:
            wanted = Rotation.from_rotvec(as_vector(f"rotation of {self.name!r}", rotation))
            turn = (wanted * Rotation.from_rotvec(self.rotation).inv()).as_rotvec()
        self._obey(turn, centre - self.center, onward=False)

    def move_vertices(self, positions: ArrayLike) -> None:
        """Have its vertices at `positions` (n, 3) [m] at the end of the next step; each moves on a line."""
        x = as_points(f"positions of {self.name!r}", positions)
        if x.shape != (self._slot.count, 3):
            raise InputError(f"positions of {self.name!r} must have shape ({self._slot.count}, 3), got {x.shape}")
        self._obey(np.zeros(3), np.zeros(3), onward=False, vertices=x)

    def _go_on(self, velocity: Floats, angular_velocity: Floats) -> None:
        dt = self._simulation.dt
        self._obey(dt * angular_velocity, dt * velocity, onward=True)

    def _obey(self, turn: Floats, translation: Floats, *, onward: bool, vertices: Floats | None = None) -> None:
        sim, start = self._simulation, self.positions
        command = Command(sim.time, sim.time + sim.dt, onward, start, start.mean(axis=0), turn, translation, vertices)
        everything = sim._moment.surface_positions
        size = float(np.linalg.norm(np.ptp(everything, axis=0)))
        moved = float(np.linalg.norm(command.positions(start, command.end) - start, axis=1).max())
        if moved > size:
            raise InputError(
                f"command to {self.name!r}: it would move by {moved:.3g} m in the next step, farther than the scene is large "
                f"({size:.3g} m): take several steps for it"
            )
        check_command(sim._world.model, self._slot, command, everything)
        sim._world.model.prescribed.command(self.name, command)

    def _command(self) -> Command | None:
        script = next(s for s in self._simulation._world.model.prescribed.scripts if s.body == self.name)
        motion = getattr(script.motion, "motion", None)
        return motion if isinstance(motion, Command) else None

    def _frame(self) -> ScriptedFrame:
        script = next(s for s in self._simulation._world.model.prescribed.scripts if s.body == self.name)
        return ScriptedFrame(self.name, 0, script.rest)


class DrivenRigidView(RigidView):
    """A rigid body of a running simulation, which may have a drive."""

    def drive_to(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """Let the drive of `Scene.add_drive` go to a centre of mass (3,) [m] and a rotation vector (3,) of the mesh [rad]."""
        joints = self._simulation._world.model.joints
        own = [] if joints is None else np.flatnonzero(joints.drives.body == self._slot.rigid)
        rows = {} if joints is None else {int(joints.drives.driven[d]): joints.drives.rows[d] for d in own}
        if joints is None or Driven.CENTRE not in rows:
            raise InputError(f"{self.name!r} has no drive: call scene.add_drive({self.name!r}, stiffness=...) before")
        joints.drives.targets[rows[Driven.CENTRE], :3] = as_vector(f"position of {self.name!r}", position)
        if rotation is not None:
            if Driven.ORIENTATION not in rows:
                raise InputError(f"the drive of {self.name!r} has no angular_stiffness, so no target of rotation")
            turn = Rotation.from_rotvec(as_vector(f"rotation of {self.name!r}", rotation))
            joints.drives.targets[rows[Driven.ORIENTATION], :4] = turn.as_quat()

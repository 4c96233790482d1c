"""Energy balance of rigid bodies from what the public interface shows: poses, velocities, masses and contact forces.

The balance of the step reports is closed by construction: what is missing is called `other_loss`. This one can be open. Energies
are those of masses and inertias computed anew from the meshes; work and losses are sums over `Simulation.contacts()`. The work of
scripts, less what friction and impact take, must be the change of the energy.

A step changes the velocities at its start and then moves the bodies with them. Velocities are thus those of the middle of the
step, and energies are compared there: the potential energy is the mean of both ends of the step. Forces act at its start, on
bodies that move with the mean of the velocities before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.geometry.mass_properties import mass_properties
from signorini.scene.kinematic import Kinematic
from signorini.scene.rigid import Rigid
from signorini.simulation.body_view import RigidView
from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]
LEAST_FALL = 1e-6
"""Part of the height of a scene whose potential energy counts as taking part even where nothing moves: a thousandth of a hair."""


class Pose(NamedTuple):
    """Where a body is, and how it moves."""

    center: Floats
    turned: Rotation
    velocity: Floats
    """Of the centre [m/s]."""
    spin: Floats
    """[rad/s]"""


class Motion(NamedTuple):
    """A step of a body."""

    start: Pose
    end: Pose

    def before(self, point: Floats, *, rolled: bool) -> Floats:
        """Where a point at the end of the step was at its start [m]: as a point of the body, or if the body `rolled` over it."""
        arm = point - self.end.center
        back = self.start.turned * self.end.turned.inv()
        return self.start.center + (arm if rolled else back.apply(arm))

    def velocity_of(self, point: Floats) -> Floats:
        """Mean of the velocities before and after the step at a point of its start [m/s]."""
        spin = 0.5 * (self.start.spin + self.end.spin)
        return 0.5 * (self.start.velocity + self.end.velocity) + np.cross(spin, point - self.start.center)


@dataclass
class EnergyAudit:
    """The balance of a simulation of rigid and scripted bodies that begins at rest, step by step; all energies in joules."""

    sim: Simulation
    script_work: float = 0.0
    """By scripted bodies, on what they push."""
    friction_loss: float = 0.0
    """Taken by the tangential parts of the contact forces."""
    impact_loss: float = 0.0
    """Taken by the normal parts."""
    impact_gain: float = 0.0
    """Given by the normal parts, in steps in which they gave more than they took."""
    growth: float = 0.0
    """Growth of the energy beyond the work of scripts, summed over the steps in which it grew."""

    def __post_init__(self) -> None:
        bodies = self.sim.scene.bodies.values()
        if any(body.kind not in ("rigid", "kinematic", "ground") for body in bodies) or self.sim.scene.air_drag:
            raise ValueError("an energy audit knows rigid bodies, scripts and half-spaces, and no drag of air")
        self.masses = {
            body.name: mass_properties(body.mesh, body.density)
            for body in bodies
            if isinstance(body, Rigid) and body.density is not None
        }
        if len(self.masses) < sum(body.kind == "rigid" for body in bodies):
            raise ValueError("an energy audit needs the densities of all rigid bodies")
        self.scripts = {
            body.name: self.sim.bodies[body.name].positions for body in bodies if isinstance(body, Kinematic)
        }
        """Where the vertices of scripted bodies started (n, 3) [m]."""
        self.poses = self._rigid_poses() | {name: self._script_pose(name, None) for name in self.scripts}
        self.kinetic, self.potential = [self._kinetic()], [self._potential()]
        if self.kinetic[0]:
            raise ValueError(
                "an energy audit begins at rest, where the middle of a step before the first has the same energy"
            )
        self.energies = [self.potential[0]]
        """In the middle of each step."""
        self.errors: list[float] = []
        """By how much the balance since the start is open after each step."""

    def after_step(self) -> None:
        """Take the step into account that the simulation just made; it must not have been divided."""
        before, self.poses = self.poses, self._rigid_poses()
        self.poses |= {name: self._script_pose(name, before[name]) for name in self.scripts}
        worked = self.script_work
        self._add_contacts({name: Motion(before[name], pose) for name, pose in self.poses.items()})
        self.kinetic.append(self._kinetic())
        self.potential.append(self._potential())
        self.energies.append(self.kinetic[-1] + 0.5 * (self.potential[-2] + self.potential[-1]))
        self.growth += max(0.0, self.energies[-1] - self.energies[-2] - (self.script_work - worked))
        change = self.energies[-1] - self.energies[0]
        self.errors.append(change - self.script_work + self.friction_loss + self.impact_loss)

    @property
    def scale(self) -> float:
        """Energy that took part: the largest kinetic one, what the potential one ranged over, and the work of scripts; what falls
        freely counts twice. At least what the weights do on LEAST_FALL of the height of the scene: the energy of a house of cards
        that stands still is rounding.
        """
        moved = max(self.kinetic) + float(np.ptp(self.potential)) + abs(self.script_work)
        heights = np.concatenate([self.sim.bodies[name].positions @ self._up for name in self.masses])
        weight = float(np.linalg.norm(self.sim.scene.gravity)) * sum(mass.mass for mass in self.masses.values())
        return max(moved, LEAST_FALL * weight * float(np.ptp(heights)))

    @property
    def _up(self) -> Floats:
        gravity = np.asarray(self.sim.scene.gravity, dtype=np.float64)
        return gravity / max(float(np.linalg.norm(gravity)), 1e-300)

    def _add_contacts(self, motions: dict[str, Motion]) -> None:
        normal_loss = 0.0
        for contact, rolled in zip(self.sim.contacts(), self._rolled(), strict=True):
            pair = (contact.body_a, contact.body_b)
            point = motions[pair[0]].before(contact.point, rolled=rolled) if pair[0] in motions else contact.point
            a, b = (motions[name].velocity_of(point) if name in motions else np.zeros(3) for name in pair)
            normal = self.sim.dt * contact.normal_force * contact.normal
            friction = self.sim.dt * contact.friction_force
            if contact.body_a in self.scripts:
                self.script_work -= float((normal + friction) @ a)
            if contact.body_b in self.scripts:
                self.script_work += float((normal + friction) @ b)
            self.friction_loss -= float(friction @ (a - b))
            normal_loss -= float(normal @ (a - b))
        self.impact_loss += normal_loss
        self.impact_gain += max(0.0, -normal_loss)

    def _rolled(self) -> list[bool]:
        """Whether the first body of each contact touches with a smooth surface, which rolls over the point, and not with a point
        of its mesh, which turns with it. Only this is not public.
        """
        solved = self.sim._solved
        if solved is None:
            return []
        active = solved.impulse[:, 0] > 0.0
        points = solved.contacts.points
        return (np.zeros(len(active), bool) if points is None else points.smooth)[active].tolist()

    def _rigid_poses(self) -> dict[str, Pose]:
        found = {}
        for name in self.masses:
            view = self.sim.bodies[name]
            assert isinstance(view, RigidView)
            found[name] = Pose(
                view.center, Rotation.from_rotvec(view.rotation), view.velocity.copy(), view.angular_velocity.copy()
            )
        return found

    def _script_pose(self, name: str, before: Pose | None) -> Pose:
        """The pose of a script, and its motion since it was `before`, from where its vertices are."""
        x0, x1 = self.scripts[name], self.sim.bodies[name].positions
        center, turned = x1.mean(axis=0), Rotation.align_vectors(x1 - x1.mean(axis=0), x0 - x0.mean(axis=0))[0]
        if before is None:
            return Pose(center, turned, np.zeros(3), np.zeros(3))
        spin = (turned * before.turned.inv()).as_rotvec() / self.sim.dt
        return Pose(center, turned, (center - before.center) / self.sim.dt, spin)

    def _kinetic(self) -> float:
        energy = 0.0
        for name, mass in self.masses.items():
            pose = self.poses[name]
            spin = pose.turned.inv().apply(pose.spin)
            energy += 0.5 * mass.mass * float(pose.velocity @ pose.velocity) + 0.5 * float(spin @ mass.inertia @ spin)
        return energy

    def _potential(self) -> float:
        gravity = np.asarray(self.sim.scene.gravity, dtype=np.float64)
        return -sum(mass.mass * float(gravity @ self.poses[name].center) for name, mass in self.masses.items())

"""Task Grasp-v0: take a soft ball with two fingers of limited force, and lift it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np

from signorini.environments.environment import ContactEnvironment, Floats, actions, numbers
from signorini.geometry import shapes
from signorini.scene.scene import Scene

RADIUS = 0.04
"""Radius of the ball [m]."""
FINGER = (0.012, 0.04, 0.07)
"""Thickness, width and height of a finger [m]."""
TRAVEL = 0.05
"""How far each finger can close [m]: nearly to the middle."""
OPENING = 0.014
"""Distance between a finger and the ball in the middle, with the gripper open [m]."""
FORCE = 6.0
"""Largest force of a finger [N]."""
SPEED = 0.3
"""Largest speed of the palm along each axis [m/s]."""
ROOM = np.array([[-0.1, -0.1, 0.045], [0.1, 0.1, 0.25]])
"""Where the middle between the fingers may be [m]: they end 1 cm above the ground at the lowest."""
START = 0.07
"""Height of the middle between the fingers at the start [m]."""
LIFT = 0.08
"""Height by which the ball must be lifted [m]."""
HOLD = 5
"""Steps for which it must be held there."""


class GraspEnvironment(ContactEnvironment):
    """Take a soft ball from the ground with two fingers on sliders, each with at most 6 N, and lift it by 8 cm.

    Action (4,): velocity of the palm along x, y, z [0.3 m/s], and how far the fingers are to close, from open (-1) to shut (1).
    The fingers move along x, driven by springs whose force has a limit: what they press with is for the agent to choose.

    Observation: `palm` (3,) the middle between the fingers [m], `fingers` (2,) how far each is closed [m], `finger_velocities`
    (2,) [m/s], `drive_forces` (2,) [N], `contact_forces` (2, 3) on each finger [N], `ball` (3,) its centre of mass [m] and
    `ball_velocity` (3,) [m/s].

    Reward: minus the distance between palm and ball [m], ten times the height of the ball over that at the start [m], and 10
    when the ball has been 8 cm above it for five steps. Then the episode ends.
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "friction": (0.6, 1.0),
        "mass": (0.1, 0.25),
        "young": (2e4, 8e4),
        "x": (-0.008, 0.008),
        "y": (-0.02, 0.02),
    }
    """Friction coefficient, mass [kg] and Young's modulus [Pa] of the ball, and where it lies [m]."""
    box = ((-0.1, -0.06, 0.0), (0.1, 0.06, 0.24))

    def __init__(self, *, render_mode: str | None = None, size: tuple[int, int] = (320, 240)) -> None:
        super().__init__(render_mode=render_mode, size=size)
        self.action_space = actions(4)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "palm": numbers("m", 3),
                "fingers": numbers("m", 2),
                "finger_velocities": numbers("m/s", 2),
                "drive_forces": numbers("N", 2),
                "contact_forces": numbers("N", 2, 3),
                "ball": numbers("m", 3),
                "ball_velocity": numbers("m/s", 3),
            }
        )
        self._tets = shapes.sphere_tets(RADIUS, edge=RADIUS / 3)
        self._volume = float(self._tets.volumes().sum())
        self._palm, self._above, self._lifted, self._floor = np.zeros(3), np.zeros(3), 0, 0.0

    def scene(self) -> Scene:
        """The ball on the ground, and the gripper above it."""
        p = self.properties
        scene = Scene(friction=p["friction"], name="grasp")
        scene.add_soft_solid(
            self._tets, density=p["mass"] / self._volume, young=p["young"], poisson=0.4, model="neo-hookean",
            stiffness_damping=2e-3, position=(p["x"], p["y"], RADIUS + 1.5e-3), name="ball", color="#d9773f",
        )  # fmt: skip
        top = START + 0.5 * FINGER[2] + 0.015
        palm = scene.add_kinematic(shapes.box(0.2, 0.05, 0.02), position=(0, 0, top), name="palm")
        for side, name in ((1.0, "right"), (-1.0, "left")):
            place = (side * (RADIUS + OPENING + 0.5 * FINGER[0]), 0.0, START)
            box = shapes.box(*FINGER, cells=(1, 2, 3))
            finger = scene.add_rigid(box, mass=0.1, position=place, name=f"{name} finger")
            scene.add_joint(
                "slider", finger, to=palm, axis=(-side, 0, 0), lower=0.0, upper=TRAVEL, stiffness=400.0, damping=20.0,
                target=0.0, max_force=FORCE, name=name,
            )  # fmt: skip
        scene.add_ground()
        return scene

    def begin(self) -> None:
        """The palm is where the scene puts it."""
        self._palm = np.array([0.0, 0.0, START])
        self._above = self.simulation.bodies["palm"].positions.mean(axis=0) - self._palm
        self._lifted, self._floor = 0, float(self._ball()[2])

    def act(self, action: Floats) -> None:
        """Move the palm for one step, and set the targets of the fingers."""
        sim = self.simulation
        self._palm = np.clip(self._palm + SPEED * sim.dt * action[:3], *ROOM)
        sim.bodies["palm"].move_to(self._palm + self._above)
        for name in ("right", "left"):
            # Beyond the travel, so that a shut gripper presses with its largest force wherever the ball stops it.
            sim.joints[name].target = 0.5 * (action[3] + 1.0) * (TRAVEL + FORCE / 400.0)

    def observe(self) -> dict[str, Any]:
        """The gripper, what it feels, and the ball."""
        sim, names = self.simulation, ("right", "left")
        joints = [sim.joints[name] for name in names]
        return {
            "palm": self._palm,
            "fingers": [joint.position for joint in joints],
            "finger_velocities": [joint.velocity for joint in joints],
            "drive_forces": [joint.drive_force for joint in joints],
            "contact_forces": [sim.contact_force(f"{name} finger") for name in names],
            "ball": self._ball(),
            "ball_velocity": self._mean(sim.bodies["ball"].node_velocities),
        }

    def judge(self) -> tuple[float, bool]:
        """Reward by the distance of the palm and the height of the ball, and whether it is lifted."""
        ball = self._ball()
        height = float(ball[2]) - self._floor
        self._lifted = self._lifted + 1 if height >= LIFT else 0
        done = self._lifted >= HOLD
        return 10.0 * height - float(np.linalg.norm(ball - self._palm)) + 10.0 * done, done

    def measures(self) -> dict[str, Any]:
        """Height of the ball above its start [m]."""
        return {"height": float(self._ball()[2]) - self._floor}

    def _ball(self) -> Floats:
        """(3,) its centre of mass [m]."""
        return self._mean(self.simulation.bodies["ball"].node_positions)

    def _mean(self, values: Floats) -> Floats:
        """(3,) mean of values at the nodes of the ball (n, 3) by mass."""
        model = self.simulation._world.model
        mass = model.mass[model.bodies["ball"].nodes]
        return mass @ values / mass.sum()

"""Task Fold-v0: fold a square of cloth in half with two pickers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np

from signorini.environments.environment import ContactEnvironment, Floats, actions, numbers
from signorini.environments.pickers import Grips
from signorini.geometry import shapes
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

SIDE = 0.3
"""Side of the cloth [m]."""
CELLS = 12
"""Cells along a side."""
REACH = 0.03
"""Distance within which a picker that closes takes the nearest vertex [m]."""
SPEED = 0.4
"""Largest speed of a picker along each axis [m/s]."""
ROOM = np.array([[-0.3, -0.3, 0.004], [0.3, 0.3, 0.3]])
"""Where pickers may be [m]."""
FOLDED = 0.05
"""Mean distance between the two edges at which the cloth is folded [m]."""
GRIP = 0.0
"""A picker is closed while its fourth action is larger."""


class FoldEnvironment(ContactEnvironment):
    """Fold a square of cloth on a table: bring its left edge (x = -0.15 m) onto its right one and let go.

    Action (8,): for each of two pickers the velocity along x, y, z [0.4 m/s] and whether it is closed (> 0). A picker that closes
    takes the vertex of the cloth that is nearest, if it is within 3 cm, until it opens.

    Observation: `pickers` (2, 3) [m], `holding` (2,) 1 for a picker that holds the cloth, `keypoints` (9, 3) [m] of corners,
    middles of edges and the centre, row by row from (-x, -y) to (+x, +y), and `velocities` (9, 3) [m/s] of these.

    Reward: the decrease of the mean distance between the two edges in this step [m] over the side of the cloth, and 1 when it is
    folded: this distance is below 5 cm and nothing is held. Then the episode ends.
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "friction": (0.2, 0.6),
        "area_density": (0.1, 0.3),
        "stiffness": (0.5, 2.0),
    }
    """Friction coefficient, mass per area [kg/m²], factor on the stiffness of cotton."""
    box = ((-0.2, -0.2, 0.0), (0.2, 0.2, 0.2))

    def __init__(self, *, render_mode: str | None = None, size: tuple[int, int] = (320, 240)) -> None:
        super().__init__(render_mode=render_mode, size=size)
        self.action_space = actions(8)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "pickers": numbers("m", 2, 3),
                "holding": gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32),
                "keypoints": numbers("m", 9, 3),
                "velocities": numbers("m/s", 9, 3),
            }
        )
        mesh = shapes.grid(SIDE, SIDE, cells=CELLS)
        flat = np.round(mesh.vertices / SIDE * CELLS).astype(int)  # cells from the middle
        places = sorted((int(y), int(x), k) for k, (x, y, _) in enumerate(flat))
        self._keypoints = np.array([k for y, x, k in places if abs(x) in (0, CELLS // 2) and abs(y) in (0, CELLS // 2)])
        self._left, self._right = (np.array([k for _, x, k in places if x == side * CELLS // 2]) for side in (-1, 1))
        self._mesh = mesh
        self._grips = Grips.of(len(mesh.vertices))
        self._pickers, self._held, self._distance = np.zeros((2, 3)), np.full(2, -1), SIDE

    def scene(self) -> Scene:
        """The cloth on the table."""
        scene = Scene(friction=self.properties["friction"], air_drag=0.5, name="fold")
        cotton = cloth_material("cotton").scaled(self.properties["stiffness"])
        density = self.properties["area_density"]
        scene.add_cloth(self._mesh, area_density=density, material=cotton, position=(0, 0, 0.003), name="cloth")
        scene.add_ground(name="table")
        self._grips = Grips.of(len(self._mesh.vertices))
        scene.add_elements(self._grips, body="cloth")
        return scene

    def begin(self) -> None:
        """Put the pickers over the left corners."""
        corners = self._positions()[self._left[[0, -1]]]
        self._pickers, self._held = corners + np.array([0.0, 0.0, 0.02]), np.full(2, -1)
        self._distance = self._gap()

    def act(self, action: Floats) -> None:
        """Move the pickers for one step, and close or open them."""
        sim = self.simulation
        for k, (*direction, grip) in enumerate(action.reshape(2, 4)):
            before = self._pickers[k].copy()
            self._pickers[k] = np.clip(before + SPEED * sim.dt * np.array(direction), *ROOM)
            if grip <= GRIP:
                if self._held[k] >= 0:
                    self._grips.held[self._held[k]] = 0.0
                self._held[k] = -1
                continue
            if self._held[k] < 0:
                self._held[k] = self._taken(k)
            if self._held[k] >= 0:
                vertex = self._held[k]
                self._grips.held[vertex] = 1.0
                self._grips.target[vertex] = self._pickers[k]
                self._grips.velocity[vertex] = (self._pickers[k] - before) / sim.dt

    def observe(self) -> dict[str, Any]:
        """Pickers and nine points of the cloth."""
        cloth = self.simulation.bodies["cloth"]
        return {
            "pickers": self._pickers,
            "holding": self._held >= 0,
            "keypoints": cloth.positions[self._keypoints],
            "velocities": cloth.velocities[self._keypoints],
        }

    def judge(self) -> tuple[float, bool]:
        """Reward by the distance of the edges, and whether they lie on one another."""
        before, self._distance = self._distance, self._gap()
        done = bool(self._distance < FOLDED and (self._held < 0).all())
        return (before - self._distance) / SIDE + float(done), done

    def measures(self) -> dict[str, Any]:
        """The mean distance between the two edges [m]."""
        return {"edge_distance": self._distance}

    def _positions(self) -> Floats:
        return self.simulation.bodies["cloth"].positions

    def _gap(self) -> float:
        x = self._positions()
        return float(np.linalg.norm(x[self._left] - x[self._right], axis=1).mean())

    def _taken(self, picker: int) -> int:
        """The vertex that a picker takes, or -1; one that the other holds is left to it."""
        distance = np.linalg.norm(self._positions() - self._pickers[picker], axis=1)
        distance[self._grips.held > 0.0] = np.inf
        nearest = int(distance.argmin())
        return nearest if distance[nearest] <= REACH else -1

"""Two fingers with soft pads close on a rigid can, lift it by friction and hold it."""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial

RADIUS, HEIGHT, MASS = 0.033, 0.115, 0.35
"""Radius [m], height [m] and mass [kg] of the can."""
FINGER = (0.016, 0.044, 0.06)
PAD = (0.012, 0.04, 0.048)
"""Thickness, width and height of a finger and of a pad [m]."""
GRIP_HEIGHT = 0.07
"""Height of the middle of the pads above the ground [m]."""
GLUE = 1e-3
"""Distance between pad and finger [m]: attached surfaces keep more than the contact distance."""
CLEARANCE = 0.015
"""Distance between pad and can at the start [m]."""
SQUEEZE = 0.0025
"""Distance by which each pad is closed beyond touching [m]."""
LIFT = 0.12
"""Distance by which the can is lifted [m]."""
CLOSED, LIFTED = 0.6, 1.8
"""Times at which the fingers are closed and the can is at its height [s]."""
RUBBER = SolidMaterial(young=8e4, poisson=0.45, density=1100.0, stiffness_damping=2e-3, model="neo-hookean")


def build(*, friction: float = 0.8, stiffness: float = 1.0, resolution: int = 9) -> Scene:
    """A can of 0.35 kg between two kinematic fingers with rubber pads, each with `resolution` vertices across its width."""
    scene = Scene(friction=friction, name="grasp")
    scene.add_ground()
    scene.add_rigid(
        shapes.cylinder(RADIUS, HEIGHT, edge=0.1 / resolution),
        mass=MASS,
        position=(0.0, 0.0, 0.5 * HEIGHT + 1e-3),
        name="can",
    )
    cells = resolution - 1
    pad = shapes.box_tets(*PAD, cells=(max(2, cells // 3), cells, round(1.2 * cells)))
    outer = np.flatnonzero(pad.vertices[:, 0] > 0.5 * PAD[0] - 1e-9)
    for side, name in ((1.0, "right"), (-1.0, "left")):
        distance = RADIUS + CLEARANCE + 0.5 * PAD[0]
        turned = (0.0, 0.0, 0.0 if side > 0.0 else math.pi)
        soft = scene.add_soft_solid(
            pad,
            material=RUBBER.scaled(stiffness),
            position=(side * distance, 0.0, GRIP_HEIGHT),
            rotation=turned,
            name=f"{name} pad",
        )
        finger = scene.add_kinematic(
            shapes.box(*FINGER, cells=(1, 3, 4)),
            position=(side * (distance + 0.5 * (PAD[0] + FINGER[0]) + GLUE), 0.0, GRIP_HEIGHT + 0.006),
            motion=_close_and_lift(side),
            name=f"{name} finger",
        )
        scene.attach(soft, outer, to=finger)
    return scene


def _close_and_lift(side: float) -> motions.Chain:
    inward = (-side * (CLEARANCE + SQUEEZE), 0.0, 0.0)
    still = (0.0, 0.0, 0.0)
    return motions.Chain(
        (
            motions.Keyframes(times=(0.0, CLOSED), translations=(still, inward), interpolation="cubic"),
            motions.Keyframes(
                times=(CLOSED + 0.2, LIFTED), translations=(still, (0.0, 0.0, LIFT)), interpolation="cubic"
            ),
        )
    )


SCENE = GalleryScene(
    name="grasp",
    title="Two fingers with soft pads lift a rigid can by friction and hold it",
    build=build,
    dt=4e-3,
    seconds=4.0,
)

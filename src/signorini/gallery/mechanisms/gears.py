"""A scripted gear drives another that turns freely on an axle; the turns are in the ratio of the teeth."""

from __future__ import annotations

import math

from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.gear_shapes import Gear
from signorini.gallery.mechanisms.swept_shapes import spool, upright
from signorini.scene import motions
from signorini.scene.scene import Scene

MODULE, BACKLASH = 0.004, 4e-4
"""Pitch diameter over the number of teeth, and play between two teeth along the pitch circle [m]."""
DRIVING_TEETH, DRIVEN_TEETH = 12, 24
AXLE, PLAY = 0.006, 1e-4
"""Radius of the axle, and what the bore of the driven gear is wider, in radius [m]."""
AXLE_SIDES = 32
"""Flat sides of the axle and of the bore."""
WIDTH = 0.01
"""Thickness of the driven gear; the driving one is half as thick again [m]."""
DENSITY = 7800.0
"""Steel [kg/m³]."""
SPEED, SPIN_UP = 2.0 * math.pi, 0.5
"""Angular velocity of the driving gear [rad/s], and the time in which it is reached [s]."""


def build(*, friction: float = 0.1, resolution: int = 4) -> Scene:
    """12 and 24 involute teeth of module 4 mm, with `resolution` points on each flank, axles horizontal."""
    scene = Scene(friction=friction, name="gears")
    driving, driven = gear_pair(resolution=resolution)
    there = (driving.pitch_radius + driven.pitch_radius, 0.0, 0.0)
    scene.add_kinematic(upright(driving.mesh()), motion=drive(), name="driving")
    axle = spool(AXLE, WIDTH + 4.0 * PLAY, collar=2.0 * AXLE, collar_width=0.003, count=AXLE_SIDES)
    scene.add_kinematic(upright(axle), position=there, name="axle")
    scene.add_rigid(upright(driven.mesh(bore_points=AXLE_SIDES)), density=DENSITY, position=there, name="driven")
    return scene


def gear_pair(*, resolution: int = 4) -> tuple[Gear, Gear]:
    """The driving gear with a tooth towards +x, and the driven one with a gap for it."""
    shared = {"module": MODULE, "backlash": 0.5 * BACKLASH, "flank_points": resolution}
    driving = Gear(teeth=DRIVING_TEETH, width=1.5 * WIDTH, bore=0.0, **shared)
    gap = math.pi + math.pi / DRIVEN_TEETH
    return driving, Gear(teeth=DRIVEN_TEETH, width=WIDTH, bore=AXLE + PLAY, first_tooth=gap, **shared)


def drive() -> motions.Turn:
    """The motion of the driving gear, about -y: its rate grows for `SPIN_UP` and then stays."""
    return motions.Turn(angle=1.5 * SPEED * SPIN_UP, duration=2.0 * SPIN_UP, axis=(0.0, -1.0, 0.0), then="turn")


def driven_angle(time: float) -> float:
    """Angle that theory has the driven gear turned by at `time` [s], about +y [rad], up to `freedom`."""
    return drive().angle_at(time) * DRIVING_TEETH / DRIVEN_TEETH


def freedom() -> float:
    """Angle by which the backlash and the play of the axle let the driven gear run ahead or lag [rad]."""
    return (BACKLASH + 2.0 * PLAY) / (0.5 * MODULE * DRIVEN_TEETH)


SCENE = GalleryScene(
    name="gears",
    title="A driven pair of involute gears with backlash, the larger one loose on its axle",
    build=build,
    dt=2e-3,
    seconds=2.0,
)

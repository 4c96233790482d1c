"""A rigid bar swings on a pin in a bore with play; its period is that of a compound pendulum."""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.swept_shapes import circle_around, prism, spool, upright
from signorini.geometry.mass_properties import mass_properties
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene

PIN = 0.006
"""Radius of the pin [m]."""
PLAY = 2.5e-4
"""What the bore is wider than the pin, in radius, and the room between the bar and each collar of the pin [m]."""
LENGTH, WIDTH, THICKNESS = 0.2, 0.03, 0.016
"""The bar [m]."""
BORE_BELOW_TOP = 0.016
"""Distance from the upper end of the bar to the middle of the bore [m]."""
DENSITY = 2700.0
"""Aluminium [kg/m³]."""
AMPLITUDE = math.radians(20.0)
"""Angle from which it is let go [rad]."""


START = (0.0, 0.0, -0.9 * PLAY)
"""The middle of the bore, hanging on the pin but for a tenth of the play [m]."""


def build(*, friction: float = 0.0, resolution: int = 32) -> Scene:
    """A bar of 0.2 m, let go 20° off the vertical; the pin and the bore have `resolution` flat sides."""
    scene = Scene(friction=friction, name="pendulum")
    pin = spool(PIN, THICKNESS + 2.0 * PLAY, collar=2.0 * PIN, collar_width=0.003, count=resolution)
    scene.add_kinematic(upright(pin), name="pin")
    hanging = upright(bar(resolution=resolution))
    scene.add_rigid(hanging, density=DENSITY, rotation=(0.0, -AMPLITUDE, 0.0), position=START, name="bar")
    return scene


def bar(*, resolution: int = 32) -> TriangleMesh:
    """The bar along -y, thick along z, with the middle of its bore at the origin."""
    top, bottom, side = BORE_BELOW_TOP, BORE_BELOW_TOP - LENGTH, 0.5 * WIDTH
    outline = np.array([[-side, bottom], [side, bottom], [side, top], [-side, top]])
    return prism([outline, circle_around(PIN + PLAY, resolution)], THICKNESS)


def period(*, amplitude: float = AMPLITUDE, gravity: float = 9.81) -> float:
    """Period of a swing about the axis of the pin [s]; the arithmetic-geometric mean accounts for the `amplitude` [rad]."""
    properties = mass_properties(bar(), DENSITY)
    arm = float(np.hypot(properties.centre[0], properties.centre[1]))
    inertia = float(properties.inertia[2, 2]) + properties.mass * arm**2
    a, b = 1.0, math.cos(0.5 * amplitude)
    while a - b > 1e-12:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return 2.0 * math.pi * math.sqrt(inertia / (properties.mass * gravity * arm)) / a


SCENE = GalleryScene(
    name="pendulum",
    title="A bar swings on a pin in a bore with a quarter of a millimetre of play",
    build=build,
    dt=2e-3,
    seconds=4.0,
)

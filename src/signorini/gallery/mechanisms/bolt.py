"""A bolt screws itself down into a nut by its weight; it sinks by one lead in each turn."""

from __future__ import annotations

import math

from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.thread_shapes import Thread
from signorini.geometry.mass_properties import mass_properties
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene

RADIUS, DEPTH, LEAD = 0.01, 0.0015, 0.012
"""Radius of the crests, height of the ridges and advance in a turn [m]: steep enough that friction does not hold the bolt."""
PLAY = 3e-4
"""Room between the threads on all sides [m]."""
TURNS, NUT_TURNS, IN_NUT = 5, 2, 3
"""Turns of the thread on the bolt, in the nut, and from the point of the bolt to the upper face of the nut at the start."""
HEAD, HEAD_HEIGHT = 1.3 * RADIUS, 0.004
"""Radius and height of the head [m]: small, so that the bolt is not top-heavy."""
DENSITY = 7800.0
"""Steel [kg/m³]."""
TRAVEL = (TURNS - IN_NUT) * LEAD
"""How far the bolt sinks until its head meets the nut [m]."""


def build(*, friction: float = 0.03, resolution: int = 36) -> Scene:
    """A bolt with five turns of a double thread in a fixed nut; `resolution` points of the mesh around."""
    scene = Scene(friction=friction, name="bolt")
    nut = _thread(resolution).nut(turns=NUT_TURNS, outer_radius=2.0 * RADIUS, play=PLAY)
    scene.add_kinematic(nut, name="nut")
    position = (0.0, 0.0, (NUT_TURNS - IN_NUT) * LEAD)
    scene.add_rigid(bolt(resolution=resolution), density=DENSITY, position=position, name="bolt")
    return scene


def bolt(*, resolution: int = 36) -> TriangleMesh:
    """The bolt; moved by whole leads, its thread is in the middle of that of the nut."""
    return _thread(resolution).bolt(turns=TURNS, head_radius=HEAD, head_height=HEAD_HEIGHT)


def sinking_acceleration(*, friction: float = 0.03, gravity: float = 9.81) -> float:
    """Acceleration [m/s²] of the bolt: its weight also has to spin it, against friction on the level flanks of the thread.

    With the lead angle λ at the middle of the flanks: g / (1 + I (2π / lead)² / m · (1 + μ tan λ) / (1 - μ / tan λ)).
    """
    properties = mass_properties(bolt(), DENSITY)
    slope = LEAD / (2.0 * math.pi * (RADIUS - 0.5 * DEPTH))
    if friction >= slope:
        return 0.0
    spin = float(properties.inertia[2, 2]) / properties.mass * (2.0 * math.pi / LEAD) ** 2
    return gravity / (1.0 + spin * (1.0 + friction * slope) / (1.0 - friction / slope))


def _thread(resolution: int) -> Thread:
    return Thread(radius=RADIUS, depth=DEPTH, lead=LEAD, points=resolution)


SCENE = GalleryScene(
    name="bolt", title="A bolt screws itself into a nut by its weight", build=build, dt=1e-3, seconds=0.4
)

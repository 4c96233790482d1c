"""A bolt screws itself down into a nut by its weight; it sinks by one lead in each turn."""

from __future__ import annotations

import math

from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.thread_shapes import Thread
from signorini.geometry.mass_properties import mass_properties
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene

RADIUS, DEPTH, LEAD = 0.01, 0.002, 0.016
"""Radius of the crests, height of the ridges and advance in a turn [m]: steep enough that friction does not hold the bolt."""
PLAY = 3e-4
"""Room between the threads on all sides [m]."""
TURNS, NUT_TURNS = 3, 1
"""Turns of the thread on the bolt and in the nut."""
DENSITY = 7800.0
"""Steel [kg/m³]."""


def build(*, friction: float = 0.0, resolution: int = 24) -> Scene:
    """A bolt with three turns of a double thread over a fixed nut; `resolution` rows of the mesh to a turn, of as many points."""
    scene = Scene(friction=friction, name="bolt")
    thread = Thread(radius=RADIUS, depth=DEPTH, lead=LEAD, rows=resolution)
    scene.add_kinematic(thread.nut(turns=NUT_TURNS, outer_radius=2.0 * RADIUS, play=PLAY), name="nut")
    scene.add_rigid(bolt(resolution=resolution), density=DENSITY, name="bolt")
    return scene


def bolt(*, resolution: int = 24) -> TriangleMesh:
    """The bolt, its point at the lower face of the nut and its thread in the middle of that of the nut."""
    thread = Thread(radius=RADIUS, depth=DEPTH, lead=LEAD, rows=resolution)
    return thread.bolt(turns=TURNS, head_radius=1.5 * RADIUS, head_height=0.5 * RADIUS)


def sinking_acceleration(*, gravity: float = 9.81) -> float:
    """Acceleration [m/s²] of the bolt without friction: its weight also has to spin it."""
    properties = mass_properties(bolt(), DENSITY)
    per_metre = 2.0 * math.pi / LEAD
    return gravity / (1.0 + float(properties.inertia[2, 2]) * per_metre**2 / properties.mass)


SCENE = GalleryScene(
    name="bolt",
    title="A bolt screws itself into a nut by its weight",
    build=build,
    dt=2e-3,
    seconds=0.6,
)

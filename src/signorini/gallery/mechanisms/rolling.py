"""Balls and cylinders, solid and hollow, roll down a slope and arrive in the order of their moments of inertia."""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.swept_shapes import revolved
from signorini.geometry import shapes
from signorini.geometry.mass_properties import mass_properties
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.scene import Scene

RADIUS = 0.05
"""Of all of them [m]."""
WALL = 0.006
"""Of the hollow ones [m]."""
LANE = 0.15
"""Distance of two lanes [m]."""
SLOPE = math.radians(15.0)
"""[rad]"""
GAP = 1e-3
"""Height above the slope at the start [m]."""
DENSITY = 1200.0
"""Acrylic glass [kg/m³]."""
HOLE = 0.4
"""Radius of the openings of the hollow ball over its own radius."""


def build(*, friction: float = 0.5, resolution: int = 48) -> Scene:
    """Four bodies side by side, let go together, with about `resolution` corners around them."""
    scene = Scene(friction=friction, name="rolling")
    down = (math.sin(SLOPE), 0.0, math.cos(SLOPE))
    scene.add_ground(normal=down, name="slope")
    height = RADIUS + GAP
    for lane, (name, mesh) in enumerate(racers(resolution=resolution).items()):
        position = (height * down[0], LANE * (lane - 1.5), height * down[2])
        # Their axes, z, lie across the slope.
        scene.add_rigid(mesh, density=DENSITY, position=position, rotation=(0.5 * math.pi, 0.0, 0.0), name=name)
    return scene


def racers(*, resolution: int = 48) -> dict[str, TriangleMesh]:
    """The four bodies with their axes along z, the fastest first."""
    half = 0.8 * RADIUS
    tube = [(RADIUS, -half), (RADIUS, half), (RADIUS - WALL, half), (RADIUS - WALL, -half)]
    return {
        "solid-ball": shapes.sphere(RADIUS, subdivisions=max(resolution // 6, 1)),
        "solid-cylinder": revolved(tube[:2], resolution),
        "hollow-ball": _hollow_ball(resolution),
        "hollow-cylinder": revolved(tube, resolution, joined=True),
    }


def accelerations(*, resolution: int = 48, gravity: float = 9.81) -> dict[str, float]:
    """Acceleration [m/s²] along the slope of each body that rolls without sliding: g sin α / (1 + I / m R²)."""
    found = {}
    for name, mesh in racers(resolution=resolution).items():
        properties = mass_properties(mesh, DENSITY)
        ratio = float(properties.inertia[2, 2]) / (properties.mass * RADIUS**2)
        found[name] = gravity * math.sin(SLOPE) / (1.0 + ratio)
    return found


def _hollow_ball(corners: int) -> TriangleMesh:
    """A hollow ball about z, open at both ends of its axis, which stay off the slope."""
    rings = corners // 2 // 2 * 2 + 1  # an odd number, so that one of them is the equator
    polar = np.linspace(-1.0, 1.0, rings) * math.acos(HOLE)
    outer = [(RADIUS * math.cos(a), RADIUS * math.sin(a)) for a in polar]
    inner = [((1.0 - WALL / RADIUS) * r, (1.0 - WALL / RADIUS) * z) for r, z in reversed(outer)]
    return revolved(outer + inner, corners, joined=True)


SCENE = GalleryScene(
    name="rolling",
    title="Balls and cylinders, solid and hollow, roll down a slope and arrive as theory orders them",
    build=build,
    dt=4e-3,
    seconds=1.2,
)

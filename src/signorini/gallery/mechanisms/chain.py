"""A chain of twenty links falls on a table; neighbours stay in one another."""

from __future__ import annotations

import math

from scipy.spatial.transform import Rotation

from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.chain_shapes import link
from signorini.scene.scene import Scene

LINKS = 20
STRAIGHT, BEND, WIRE = 0.016, 0.009, 0.003
"""Straight pieces of a link, radius of its bends and of its wire [m]."""
TAUT = STRAIGHT + 2.0 * (BEND - WIRE)
"""Distance of the middles of neighbours when the chain is taut [m]."""
SLACK = 0.002
"""By how much less they are apart at the start [m]."""
SLOPE = math.radians(30.0)
"""Angle of the chain with the table at the start [rad]."""
DENSITY = 7800.0
"""Steel [kg/m³]."""
HEIGHT = 0.02
"""Of the middle of the lowest link at the start [m]."""


def build(*, friction: float = 0.3, resolution: int = 6, links: int = LINKS) -> Scene:
    """`links` links of 40 mm in a straight line at 30° above a table, every second one turned by a quarter.

    `resolution` is the number of points around the wire, and on each bend.
    """
    scene = Scene(friction=friction, name="chain")
    scene.add_ground(name="table")
    mesh = link(straight=STRAIGHT, bend=BEND, wire=WIRE, bend_points=resolution, wire_points=resolution)
    raised = Rotation.from_rotvec([0.0, -SLOPE, 0.0])
    for k in range(links):
        # An eighth of a turn about the chain itself, so that no link starts level with the table.
        turn = raised * Rotation.from_rotvec([0.25 * math.pi + 0.5 * math.pi * k, 0.0, 0.0])
        x, _, z = raised.apply([k * (TAUT - SLACK), 0.0, 0.0])
        scene.add_rigid(
            mesh,
            density=DENSITY,
            position=(float(x), 0.0, HEIGHT + float(z)),
            rotation=turn.as_rotvec().tolist(),
            name=f"link-{k + 1}",
        )
    return scene


SCENE = GalleryScene(name="chain", title="A chain of twenty links falls on a table", build=build, dt=2e-3, seconds=1.0)

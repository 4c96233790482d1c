"""A house of cards stands by friction alone."""

from __future__ import annotations

import math

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene.scene import Scene

WIDTH, LENGTH, THICKNESS = 0.063, 0.088, 0.001
"""A stiff card [m]."""
LEAN = math.radians(20.0)
"""Angle of the leaning cards from the vertical [rad]."""
GAP = 2e-5
"""Room between any two cards, and above the table, at the start [m]."""
DENSITY = 700.0
"""Cardboard [kg/m³]."""
LEAST_FRICTION = 0.5 * math.tan(LEAN)
"""Two cards that lean against each other slide apart on the table below this coefficient."""


def build(*, friction: float = 0.5, storeys: int = 3) -> Scene:
    """`storeys` rows of A-frames, one fewer in each row than below, with a flat card across each two."""
    scene = Scene(friction=friction, name="card-house")
    scene.add_ground(name="table")
    leaning = shapes.box(THICKNESS, WIDTH, LENGTH)
    s, c = math.sin(LEAN), math.cos(LEAN)
    rise = LENGTH * c + THICKNESS * s  # height of an A-frame
    reach = 0.5 * (LENGTH * s + THICKNESS * c)  # half the horizontal extent of a leaning card
    pitch = 4.0 * reach + 4.0 * GAP  # distance of the middles of two A-frames of a storey
    flat = shapes.box(pitch - 2.0 * GAP, WIDTH, THICKNESS)
    floor = GAP
    for storey in range(storeys):
        frames = storeys - storey
        for k in range(frames):
            middle = pitch * (k - 0.5 * (frames - 1))
            for side, name in ((-1.0, "left"), (1.0, "right")):
                scene.add_rigid(
                    leaning,
                    density=DENSITY,
                    position=(middle + side * (reach + 0.5 * GAP), 0.0, floor + 0.5 * rise),
                    rotation=(0.0, -side * LEAN, 0.0),
                    name=f"{name}-{storey + 1}-{k + 1}",
                )
        floor += rise + GAP
        for k in range(frames - 1):
            x = pitch * (k - 0.5 * (frames - 2))
            position = (x, 0.0, floor + 0.5 * THICKNESS)
            scene.add_rigid(flat, density=DENSITY, position=position, name=f"flat-{storey + 1}-{k + 1}")
        floor += THICKNESS + GAP
    return scene


SCENE = GalleryScene(
    name="card-house", title="A house of cards stands by friction alone", build=build, dt=4e-3, seconds=2.0
)

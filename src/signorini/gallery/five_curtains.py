"""A sphere moves through five curtains and back, above the ground: the benchmark of Sifakis2008."""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

CURTAINS = 5
SIDE = 1.0
"""Side of a curtain [m]."""
SPACING = 0.06
"""Distance between the curtains [m]."""
CLEARANCE, LOWERED = 0.02, 0.08
"""Height of the lower edges above the ground at the start, and distance by which the tops are then lowered [m]."""
WAVE = 0.003
"""Amplitude of the waves at the start [m]: perfectly flat curtains would stand on the ground like boards."""
RADIUS, HEIGHT = 0.2, 0.32
"""Radius of the sphere, and height of its centre above the ground [m]."""
SPEED, TRAVEL = 1.0, 1.6
"""Speed of the sphere [m/s], and the distance that it travels before it returns [m]."""
LOWERING, THERE, BACK = 0.4, 0.3, 2.5
"""Duration of the lowering, and the times at which the sphere starts and returns [s]."""
FRAMES, FPS = 280, 60.0
"""Frames of the scene, and frames per second."""


def build(*, friction: float = 0.3, stiffness: float = 1.0, resolution: int = 31) -> Scene:
    """Five cotton sheets of 1 m × 1 m, resolution² vertices each, hung from every fifth vertex of their tops, one behind the
    other, and lowered until they touch the ground; a sphere of 0.4 m goes through all of them at 1 m/s and returns.
    """
    scene = Scene(friction=friction, air_drag=1.0, name="five-curtains")
    sheet = shapes.grid(SIDE, SIDE, cells=resolution - 1)
    across, along = sheet.vertices[:, 0], sheet.vertices[:, 1]
    for k in range(CURTAINS):
        waved = sheet.vertices + np.outer(WAVE * np.sin(20.0 * across + 5.0 * along + k), (0.0, 0.0, 1.0))
        curtain = scene.add_cloth(
            sheet,
            area_density=0.2,
            material=cloth_material("cotton", "mass-spring").scaled(stiffness),
            model="mass-spring",
            position=(0.0, (k - 0.5 * (CURTAINS - 1)) * SPACING, 0.5 * SIDE + CLEARANCE),
            rotation=(0.5 * math.pi, 0.0, 0.0),
            initial_vertices=waved,
            name=f"curtain-{k + 1}",
        )
        top = np.flatnonzero(curtain.positions[:, 2] > curtain.positions[:, 2].max() - 1e-9)
        lowering = motions.Translate(velocity=(0.0, 0.0, -LOWERED / LOWERING), stop=LOWERING)
        curtain.pin(np.union1d(top[::5], top[-1:]), motion=lowering)
    there_and_back = motions.Chain(
        (
            motions.Translate(velocity=(0.0, SPEED, 0.0), start=THERE, stop=THERE + TRAVEL / SPEED),
            motions.Translate(velocity=(0.0, -SPEED, 0.0), start=BACK, stop=BACK + TRAVEL / SPEED),
        )
    )
    scene.add_kinematic(
        shapes.sphere(RADIUS, edge=max(0.035, SIDE / (resolution - 1))),
        position=(0.06, -0.5 * TRAVEL, HEIGHT),
        motion=there_and_back,
        name="sphere",
    )
    scene.add_ground()
    return scene


SCENE = GalleryScene(
    name="five-curtains",
    title="A sphere moves through five curtains and back, above the ground",
    build=build,
    dt=1.0 / 240.0,
    seconds=FRAMES / FPS,
    fps=FPS,
    figure="Sifakis2008 Fig. 3",
)

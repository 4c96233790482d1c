"""Thirty towels fall into a hammock and pile up in it, as in Sifakis2008: cloth is of springs, the model of the paper."""

from __future__ import annotations

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

LENGTH, WIDTH = 1.2, 0.6
"""Length and width of the hammock [m]."""
HEIGHT, SPAN = 0.7, 1.0
"""Height of the ends of the hammock above the ground, and the distance between them [m]."""
TOWELS = 30
TOWEL = (0.36, 0.24)
"""Length and width of a towel [m]."""
GAP, TILT = 0.03, 0.06
"""Distance between the middles of the towels at the start [m], and their largest tilt [rad]."""


def build(*, friction: float = 0.4, stiffness: float = 1.0, resolution: int = 13) -> Scene:
    """A denim sheet of 1.2 m × 0.6 m that sags between two rods 1 m apart, and above it thirty cotton towels of 36 × 24 cm,
    each turned against the one below, with `resolution` vertices along their length. All of them are mass-spring cloth.
    """
    scene = Scene(friction=friction, air_drag=1.0, name="hammock")
    scene.add_ground()
    edge = TOWEL[0] / (resolution - 1)
    cells = (round(LENGTH / (1.25 * edge)), round(WIDTH / (1.25 * edge)))
    sheet = shapes.grid(LENGTH, WIDTH, cells=cells)
    start, depth = _sagging(sheet.vertices[:, 0])
    hammock = scene.add_cloth(
        sheet,
        area_density=0.4,
        material=cloth_material("denim", "mass-spring").scaled(stiffness),
        model="mass-spring",
        position=(0.0, 0.0, HEIGHT),
        initial_vertices=np.column_stack([start[:, 0], sheet.vertices[:, 1], start[:, 1]]),
        name="hammock",
    )
    hammock.pin(np.flatnonzero(np.abs(sheet.vertices[:, 0]) > 0.5 * LENGTH - 1e-9))
    generator = np.random.default_rng(5)
    towel_cells = (resolution - 1, max(2, round((resolution - 1) * TOWEL[1] / TOWEL[0])))
    for k in range(TOWELS):
        shift, tilt = generator.uniform(-0.07, 0.07, size=2), generator.uniform(-TILT, TILT, size=2)
        scene.add_cloth(
            shapes.grid(*TOWEL, cells=towel_cells),
            area_density=0.3,
            material=cloth_material("cotton", "mass-spring").scaled(stiffness),
            model="mass-spring",
            position=(float(shift[0]), float(shift[1]), HEIGHT - depth + 0.14 + k * GAP),
            rotation=(float(tilt[0]), float(tilt[1]), float(generator.uniform(-1.0, 1.0))),
            name=f"towel-{k + 1}",
        )
    return scene


def _sagging(along: np.ndarray) -> tuple[np.ndarray, float]:
    """Places (n, 2) in the plane of a circular arc of length LENGTH over SPAN for rest coordinates (n,), and its depth [m]."""
    half = 1.0  # the half angle of the arc solves sin(a) / a = SPAN / LENGTH
    for _ in range(60):
        half -= (np.sin(half) / half - SPAN / LENGTH) / ((half * np.cos(half) - np.sin(half)) / half**2)
    radius = 0.5 * LENGTH / half
    angle = along / radius
    return np.column_stack([radius * np.sin(angle), radius * (np.cos(half) - np.cos(angle))]), radius * (
        1 - np.cos(half)
    )


SCENE = GalleryScene(
    name="hammock",
    title="Thirty towels fall into a hammock and pile up in it",
    build=build,
    dt=4e-3,
    seconds=1.0,
    figure="Sifakis2008 Fig. 2 left",
)

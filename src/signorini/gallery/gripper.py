"""A gripper whose two fingers slide on a palm, with a limit on their force, closes on a soft ball and lifts it."""

from __future__ import annotations

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial

RADIUS = 0.04
"""Radius of the ball [m]."""
FINGER = (0.012, 0.04, 0.07)
"""Thickness, width and height of a finger [m]."""
OPENING = 0.012
"""Distance between a finger and the ball at the start [m]."""
FORCE = 5.0
"""Largest force of a finger [N]."""
LIFT = 0.12
"""Distance by which the palm is raised [m]."""
CLOSED, LIFTED = 0.5, 1.5
"""Times at which the palm begins to rise and is at its height [s]."""
SOFT = SolidMaterial(young=3e4, poisson=0.45, density=600.0, stiffness_damping=2e-3, model="neo-hookean")


def build(*, friction: float = 0.8, stiffness: float = 1.0, resolution: int = 4) -> Scene:
    """A ball of 0.16 kg, whose mesh has `resolution` edges along a radius, between two fingers on sliders of 5 N each."""
    scene = Scene(friction=friction, name="gripper")
    scene.add_ground()
    scene.add_soft_solid(
        shapes.sphere_tets(RADIUS, edge=RADIUS / resolution),
        material=SOFT.scaled(stiffness),
        position=(0.0, 0.0, RADIUS + 1e-3),
        name="ball",
        color="#d9773f",
    )
    height = RADIUS + 0.5 * FINGER[2] - 0.02
    palm = scene.add_kinematic(
        shapes.box(0.2, 0.05, 0.02),
        motion=motions.Keyframes(
            times=(0.0, CLOSED, LIFTED), translations=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, LIFT))
        ),
        position=(0.0, 0.0, height + 0.5 * FINGER[2] + 0.015),
        name="palm",
    )
    for side, name in ((1.0, "right"), (-1.0, "left")):
        place = (side * (RADIUS + OPENING + 0.5 * FINGER[0]), 0.0, height)
        finger = scene.add_rigid(shapes.box(*FINGER, cells=(1, 3, 5)), mass=0.1, position=place, name=f"{name} finger")
        scene.add_joint(
            "slider",
            finger,
            to=palm,
            axis=(-side, 0.0, 0.0),
            lower=0.0,
            upper=RADIUS + OPENING - 0.002,
            stiffness=400.0,
            damping=20.0,
            target=RADIUS,
            max_force=FORCE,
            name=name,
        )
    return scene


SCENE = GalleryScene(
    name="gripper",
    title="A force-limited gripper with two sliding fingers closes on a soft ball and lifts it",
    build=build,
    dt=4e-3,
    seconds=2.0,
)

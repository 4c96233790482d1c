"""Recipes of random scenes with joints, drives, characters and attachments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from signorini.characters.dancer import procedural_dancer
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.body import Body
from signorini.studies.random_scenes.draw import Draw, vector
from signorini.studies.random_scenes.expected import Expected
from signorini.studies.random_scenes.shapes import random_closed


def machine(draw: Draw, seconds: float) -> Expected:
    """A chain of rigid bodies with joints, limits and drives that hangs, flies or is turned; bodies are thrown at it."""
    size, links = draw.size, draw.count(2, 4)
    length, height = size * draw.between(0.3, 0.6), 3.0 * size
    draw.take((0.0, 0.0, height), 1.2 * (links + 1) * length)
    base: Body | None = None
    if draw.chance(0.4):
        turn = motions.Rotate(rate=draw.log_between(0.3, 30.0), axis=(0.0, 1.0, 0.0), center=(0.0, 0.0, height))
        hub = shapes.box(0.3 * length, 0.3 * length, 0.3 * length)
        motion = turn if draw.chance(0.6) else None
        base = draw.scene.add_kinematic(hub, position=(0.0, 0.0, height), motion=motion, name="hub")
    before, hangs = base, base is not None or draw.chance(0.5)
    for k in range(links):
        box = shapes.box(0.8 * length, 0.2 * length, length * draw.between(0.1, 0.3), cells=draw.count(1, 2))
        middle = (length * (k + (0.7 if base is not None else 0.5)), 0.0, height)
        link = draw.scene.add_rigid(box, density=draw.log_between(10.0, 2e4), position=middle, name=f"link-{k}")
        if before is not None or hangs:
            at = (middle[0] - 0.5 * length, 0.0, height)
            _join(draw, link, before, at, length)
        before = link
    if draw.chance(0.5):
        draw.scene.add_ground()
    draw.aim = (length, 0.0, height)
    for _ in range(draw.count(0, 2)):
        draw.add_free_body()
    return Expected(squeezes=base is not None)


def _join(draw: Draw, link: Body, to: Body | None, at: tuple[float, float, float], length: float) -> None:
    """A joint of any kind; hinges and sliders may have limits and a drive."""
    kind = ("hinge", "hinge", "ball", "slider", "fixed")[draw.count(0, 4)]
    strength = 9.81 * 100.0 * length**4  # torque of a light link [N m]
    options: dict[str, Any] = {}
    if kind in ("hinge", "slider"):
        unit = length if kind == "slider" else 1.0
        if draw.chance(0.5):
            options |= {"lower": -unit * draw.log_between(0.01, 1.0), "upper": unit * draw.log_between(0.01, 1.0)}
        if draw.chance(0.4):
            by = strength / unit**2
            options |= {
                "stiffness": by * draw.log_between(0.01, 1e3),
                "damping": by * draw.log_between(1e-4, 1.0),
                "target": unit * draw.between(-0.5, 0.5),
            }
            if draw.chance(0.5):
                options["max_force"] = strength / unit * draw.log_between(0.1, 100.0)
    axis = (0.0, 1.0, 0.0) if draw.chance(0.5) else vector(draw.direction())
    draw.scene.add_joint(kind, link, to=to, at=at, axis=axis, **options)


def driven(draw: Draw, seconds: float) -> Expected:
    """A rigid body that a drive holds where it starts, and one with locked axes; others fall on them and fly at them."""
    size, height = draw.size, 2.0 * draw.size
    held = draw.scene.add_rigid(
        random_closed(draw.random, size),
        mass=(mass := size**3 * draw.log_between(10.0, 1e4)),
        position=(0.0, 0.0, height),
        rotation=draw.turn(),
        name="held",
    )
    draw.take((0.0, 0.0, height), 1.1 * size)
    period = draw.log_between(0.02, 2.0)
    stiffness = mass * (2.0 * math.pi / period) ** 2
    damping = 2.0 * draw.log_between(0.05, 3.0) * math.sqrt(mass * stiffness)
    draw.scene.add_drive(
        held,
        stiffness=stiffness,
        damping=damping,
        max_force=mass * 9.81 * draw.log_between(2.0, 1e3),
        angular_stiffness=0.1 * stiffness * size**2 if draw.chance(0.5) else 0.0,
        angular_damping=0.1 * damping * size**2,
    )
    tied = draw.add_rigid()
    frame = "world" if draw.chance(0.5) else "body"
    draw.scene.lock(
        tied,
        translation=("", "x", "xy", "z")[draw.count(0, 3)],
        rotation=("x", "xy", "xyz")[draw.count(0, 2)],
        frame=frame,
    )
    if draw.chance(0.5):
        draw.scene.add_ground()
    draw.aim = (0.0, 0.0, height)
    for _ in range(draw.count(1, 2)):
        draw.add_free_body()
    return Expected()


def puppet(draw: Draw, seconds: float) -> Expected:
    """An animated character, or a ball whose every vertex moves by itself, under sheets and soft solids."""
    size = draw.size
    if draw.chance(0.4):
        height = 3.0 * size
        dancer = procedural_dancer(
            height=height, turns=draw.between(0.1, 1.0), turn_time=seconds, arms=(draw.between(0.0, 60.0), 10.0)
        )
        mesh, motion = dancer.surface(body="capsules", edge=0.05 * height)
        top, width = 1.03 * height, 1.2 * size
    else:
        mesh = shapes.sphere(size, subdivisions=draw.count(3, 6))
        times = np.linspace(0.0, seconds, draw.count(3, 8))
        bumps = draw.random.normal(size=(3, 3)) / size
        amplitude = draw.between(0.02, 0.25)
        wave = np.sin(mesh.vertices @ bumps.T + draw.random.uniform(0.0, 6.0, 3)).sum(axis=1) / 3.0
        factors = 1.0 + amplitude * np.outer(np.sin(2.0 * math.pi * draw.between(0.3, 2.0) * times / seconds), wave)
        motion = motions.Frames(times=times.tolist(), frames=factors[:, :, None] * mesh.vertices)
        top, width = (1.0 + amplitude) * size, 2.5 * size
    draw.scene.add_kinematic(mesh, motion=motion, name="puppet")
    above = top + 0.02 * size
    sheet = shapes.grid(width, width, cells=draw.count(4, 10))
    draw.scene.add_cloth(sheet, **draw.fabric(), position=(0.0, 0.0, above), name="sheet")
    if draw.chance(0.5):
        block = shapes.box_tets(0.5 * size, 0.5 * size, 0.3 * size, cells=(2, 2, 1))
        place = (0.1 * size, 0.0, above + 0.3 * size)
        draw.scene.add_soft_solid(block, material=draw.solid_material(), position=place, name="block")
    return Expected(squeezes=True)


def tethered(draw: Draw, seconds: float) -> Expected:
    """A sheet or a soft block that is attached to a rigid body, or to a scripted one, and swings against a wall."""
    size = draw.size
    scripted = draw.chance(0.4)
    holder = shapes.box(0.2 * size, size, 0.2 * size, cells=(1, draw.count(1, 4), 1))
    if scripted:
        velocity = draw.log_between(0.1, 20.0)
        swing = motions.Keyframes(
            times=(0.0, 0.4 * seconds, seconds),
            translations=((0.0, 0.0, 0.0), (min(0.4 * velocity * seconds, 2.0 * size), 0.0, 0.0), (0.0, 0.0, 0.0)),
            interpolation="cubic",
        )
        draw.scene.add_kinematic(holder, motion=swing, name="holder")
    else:
        draw.scene.add_rigid(
            holder, density=draw.log_between(10.0, 1e5), name="holder", velocity=draw.velocity((0, 0, 0))
        )
    gap = size * draw.log_between(1e-3, 0.1)
    if draw.chance(0.6):
        sheet = shapes.grid(1.5 * size, size, cells=(draw.count(3, 9), draw.count(2, 6)))
        body = draw.scene.add_cloth(sheet, **draw.fabric(), position=(0.1 * size + gap + 0.75 * size, 0.0, 0.0))
        chosen = np.flatnonzero(sheet.vertices[:, 0] < -0.7499 * size)
    else:
        block = shapes.box_tets(size, 0.6 * size, 0.3 * size, cells=(3, 2, 1))
        place = (0.1 * size + gap + 0.5 * size, 0.0, 0.0)
        body = draw.scene.add_soft_solid(block, material=draw.solid_material(), position=place)
        chosen = np.flatnonzero(block.vertices[:, 0] < -0.4999 * size)
    draw.scene.attach(body, chosen, to="holder")
    wall = shapes.grid(6.0 * size, 6.0 * size, cells=draw.count(1, 4))
    draw.scene.add_kinematic(wall, position=(3.0 * size, 0.0, 0.0), rotation=(0.0, 0.5 * math.pi, 0.0), name="wall")
    return Expected(squeezes=scripted)

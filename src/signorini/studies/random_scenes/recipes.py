"""Recipes of random scenes: piles, shots, squeezes, grippers, slots, bores, stacks, rotors and dragged cloth."""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.mechanisms.swept_shapes import circle, circle_around, prism
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.studies.random_scenes.draw import Draw, vector
from signorini.studies.random_scenes.expected import Expected
from signorini.studies.random_scenes.shapes import random_closed, random_curve


def pile(draw: Draw, seconds: float) -> Expected:
    """Bodies of all kinds above a half-space or a plate."""
    _add_floor(draw)
    for _ in range(draw.count(2, 5)):
        draw.add_free_body()
    return Expected()


def crossfire(draw: Draw, seconds: float) -> Expected:
    """Bodies of all kinds that fly towards one point, without a floor."""
    draw.aim = (0.0, 0.0, 2.0 * draw.size)
    for _ in range(draw.count(2, 5)):
        draw.add_free_body()
    return Expected()


def shot(draw: Draw, seconds: float) -> Expected:
    """A fast rigid body and a hanging sheet, a standing card or a soft block in its way."""
    size, target = draw.size, draw.count(0, 2)
    gap = 0.3 * size
    if target == 0:
        sheet = shapes.grid(3.0 * size, 3.0 * size, cells=draw.count(4, 9))
        cloth = draw.scene.add_cloth(
            sheet,
            **draw.fabric(),
            rotation=(0.0, 0.5 * math.pi, 0.0),
        )
        cloth.pin(np.flatnonzero(sheet.vertices[:, 0] < -1.499 * size))
    elif target == 1:
        card = shapes.box(0.02 * size, 2.0 * size, 2.0 * size, cells=(1, 3, 3))
        draw.scene.add_rigid(card, density=draw.log_between(10.0, 1e4))
    else:
        block = shapes.box_tets(0.5 * size, size, size, cells=(2, 3, 3))
        draw.scene.add_soft_solid(block, material=draw.solid_material())
    body = random_closed(draw.random, size * draw.between(0.3, 1.0))
    draw.scene.add_rigid(
        body,
        density=draw.log_between(10.0, 2e4),
        position=(-gap - 1.2 * size, draw.between(-0.3, 0.3) * size, draw.between(-0.3, 0.3) * size),
        rotation=draw.turn(),
        velocity=(draw.log_between(1.0, draw.conditions.fastest), 0.0, 0.0),
        angular_velocity=draw.spin(size),
    )
    return Expected()


def squeeze(draw: Draw, seconds: float) -> Expected:
    """Two plates close on layers of cloth, soft slabs or rigid cards, to a gap that is enough for them, or nearly nothing."""
    size, layers = draw.size, draw.count(1, 3)
    thickness, height = 0.0, 0.0
    spacing = size * draw.log_between(1e-3, 0.1)
    for _ in range(layers):
        kind, height = draw.count(0, 2), height + spacing
        if kind == 0:
            cloth = shapes.grid(size, size, cells=draw.count(3, 7))
            draw.scene.add_cloth(
                cloth,
                **draw.fabric(),
                position=(0.0, 0.0, height),
            )
            continue
        tall = size * draw.log_between(0.02, 0.3)
        position = (0.0, 0.0, height + 0.5 * tall)
        if kind == 1:
            slab = shapes.box_tets(size, 0.8 * size, tall, cells=(3, 3, 1))
            draw.scene.add_soft_solid(slab, material=draw.solid_material(), position=position)
            thickness += 0.5 * tall  # a slab can be flattened
        else:
            card = shapes.box(0.8 * size, size, tall, cells=(2, 2, 1))
            draw.scene.add_rigid(card, density=draw.log_between(10.0, 1e4), position=position)
            thickness += tall
        height += tall
    plate = shapes.box(1.5 * size, 1.5 * size, 0.1 * size, cells=(2, 2, 1))
    draw.scene.add_kinematic(plate, position=(0.0, 0.0, -0.05 * size), name="lower-plate")
    start = height + spacing
    left = thickness + size * draw.log_between(1e-4, 0.05)
    closing = min(max(start - left, 0.0) / (0.7 * seconds), 5.0)
    draw.scene.add_kinematic(
        plate,
        position=(0.0, 0.0, start + 0.05 * size),
        motion=motions.Translate(velocity=(0.0, 0.0, -closing), stop=0.7 * seconds),
        name="upper-plate",
    )
    return Expected(squeezes=True)


def gripper(draw: Draw, seconds: float) -> Expected:
    """Two fingers close on a soft or rigid block, hold it and lift it."""
    size, soft = draw.size, draw.chance(0.5)
    draw.scene.add_ground()
    above = (0.0, 0.0, 0.51 * size)
    if soft:
        block = shapes.box_tets(size, size, size, cells=draw.count(1, 3))
        draw.scene.add_soft_solid(block, material=draw.solid_material(), position=above)
    else:
        cube = shapes.box(size, size, size, cells=draw.count(1, 3))
        draw.scene.add_rigid(cube, density=draw.log_between(10.0, 1e4), position=above)
    left = draw.between(0.8, 1.01) if soft else draw.between(0.99, 1.02)
    room = size * draw.log_between(1e-3, 0.3)
    closing = max(0.5 * size + room - 0.5 * left * size, 0.0)
    finger = shapes.box(0.2 * size, 0.6 * size, 0.6 * size, cells=(1, 2, 2))
    for side, name in ((-1.0, "left"), (1.0, "right")):
        script = motions.Keyframes(
            times=(0.0, 0.5 * seconds, seconds),
            translations=((0.0, 0.0, 0.0), (-side * closing, 0.0, 0.0), (-side * closing, 0.0, 0.2 * size)),
        )
        place = (side * (0.6 * size + room), 0.0, 0.55 * size)
        draw.scene.add_kinematic(finger, position=place, motion=script, name=f"{name}-finger")
    return Expected(squeezes=True)


def slot(draw: Draw, seconds: float) -> Expected:
    """A rigid body flies between two parallel plates with little room, along them or askew."""
    size = draw.size
    room = size * draw.log_between(1e-5, 0.05)
    wall = shapes.grid(12.0 * size, 12.0 * size, cells=draw.count(1, 3))
    for side in (-1.0, 1.0):
        draw.scene.add_kinematic(wall, position=(0.0, 0.0, side * (0.5 * size + room)))
    body = shapes.box(size, size * draw.between(0.3, 1.0), size, cells=draw.count(1, 3))
    velocity = draw.log_between(0.1, draw.conditions.fastest) * np.array([1.0, draw.between(-0.2, 0.2), 0.0])
    askew = draw.chance(0.3)
    if askew:
        velocity[2] = draw.between(-0.1, 0.1) * velocity[0]
    draw.scene.add_rigid(
        body, density=draw.log_between(10.0, 1e4), position=(-2.0 * size, 0.1 * size, 0.0), velocity=vector(velocity)
    )
    return Expected(conserves=draw.gravity == 0.0 and not askew)


def bore(draw: Draw, seconds: float) -> Expected:
    """A rigid pin in a bore, or a rigid ring around a fixed pin, with little room; it spins or slides."""
    size, sides = draw.size, draw.count(8, 24)
    room = size * draw.log_between(1e-5, 0.02)
    radius = 0.2 * size
    ring = prism([circle(2.0 * radius, sides), circle_around(radius + room, sides)], 0.5 * size)
    pin = prism([circle(radius, sides)], size)
    spin = draw.log_between(0.1, 100.0) if draw.chance(0.6) else 0.0
    slide = draw.between(-1.0, 1.0) if draw.chance(0.5) else 0.0
    density = draw.log_between(100.0, 1e4)
    inner, outer = (ring, pin) if draw.chance(0.5) else (pin, ring)
    upright = draw.chance(0.5)
    tilt, axis = ((0.0, 0.0, 0.0), (0, 0, 1)) if upright else ((0.5 * math.pi, 0.0, 0.0), (0, -1, 0))
    draw.scene.add_kinematic(outer, rotation=tilt, name="fixed")
    velocity, rate = (vector(amount * np.array(axis, float)) for amount in (slide, spin))
    draw.scene.add_rigid(inner, density=density, rotation=tilt, velocity=velocity, angular_velocity=rate, name="loose")
    return Expected(conserves=draw.gravity == 0.0)


def stack(draw: Draw, seconds: float) -> Expected:
    """A tower of boxes, soft blocks and sheets with masses over up to six decades, almost touching."""
    size, z = draw.size, 0.0
    gap = size * draw.log_between(1e-5, 1e-2)
    ratio = draw.log_between(1.0, 1e6)
    _add_floor(draw)
    base = 500.0 * size**3
    for level in range(draw.count(2, 6)):
        tall = size * draw.between(0.2, 1.0)
        z += gap + 0.5 * tall
        heavy = level % 2 == 1
        if not heavy and draw.chance(0.25):
            block = shapes.box_tets(size, size, tall, cells=2)
            draw.scene.add_soft_solid(block, material=draw.solid_material(), position=(0.0, 0.0, z))
        else:
            box = shapes.box(size * draw.between(0.6, 1.0), size, tall, cells=draw.count(1, 2))
            mass = base * (math.sqrt(ratio) if heavy else 1.0 / math.sqrt(ratio))
            draw.scene.add_rigid(box, mass=mass, position=(0.0, 0.0, z), rotation=(0.0, 0.0, draw.between(-0.5, 0.5)))
        z += 0.5 * tall
    return Expected()


def rotor(draw: Draw, seconds: float) -> Expected:
    """A scripted bar turns among bodies of all kinds."""
    length = 3.0 * draw.size
    bar = shapes.box(length, 0.1 * draw.size, 0.3 * draw.size, cells=(draw.count(1, 8), 1, 1))
    rate = draw.log_between(0.5, 50.0 / (0.5 * length))
    height = 2.0 * draw.size
    draw.take((0.0, 0.0, height), 0.55 * length)
    axis = (0.0, 0.0, 1.0) if draw.chance(0.5) else vector(draw.direction())
    motion = motions.Rotate(rate=rate, axis=axis, center=(0.0, 0.0, height))
    draw.scene.add_kinematic(bar, position=(0.0, 0.0, height), motion=motion, name="rotor")
    draw.aim = (0.0, 0.0, height)
    for _ in range(draw.count(1, 3)):
        draw.add_free_body()
    return Expected()


def dragged(draw: Draw, seconds: float) -> Expected:
    """A sheet or a rod is dragged by its pins over a fixed ball."""
    size = draw.size
    ball = shapes.sphere(0.5 * size, subdivisions=draw.count(1, 4))
    draw.scene.add_kinematic(ball, name="ball")
    motion = motions.Translate(velocity=vector(draw.log_between(0.05, 10.0) * draw.direction() * (1.0, 1.0, 0.2)))
    above = 0.5 * size * (1.0 + draw.log_between(1e-3, 0.3))
    if draw.chance(0.6):
        sheet = shapes.grid(2.0 * size, 2.0 * size, cells=draw.count(4, 9))
        body = draw.scene.add_cloth(
            sheet,
            **draw.fabric(),
            position=(0.0, 0.0, above),
        )
        body.pin(np.flatnonzero(sheet.vertices[:, 0] > 0.999 * size), motion=motion)
    else:
        points, _ = random_curve(draw.random, 2.0 * size)
        body = draw.scene.add_rod(points, position=(0.0, 0.0, above + 1.1 * size))
        body.pin([0], motion=motion)
    return Expected(squeezes=True)


def dominoes(draw: Draw, seconds: float) -> Expected:
    """A row of boxes that topple: a ball hits the first of them, or the first starts tilted."""
    size = draw.size
    _add_floor(draw)
    gap = size * draw.log_between(1e-6, 1e-3)
    thick, apart = size * draw.between(0.05, 0.3), size * draw.between(0.3, 0.6)
    tilt = draw.between(0.1, 0.3) if draw.chance(0.5) else 0.0
    for k in range(draw.count(2, 8)):
        lean = tilt if k == 0 else 0.0
        height = 0.5 * size * math.cos(lean) + 0.5 * thick * math.sin(lean) + gap
        box = shapes.box(thick, size * draw.between(0.3, 1.0), size, cells=draw.count(1, 2))
        position, rotation = (k * (apart + thick), 0.0, height), (0.0, lean, 0.0)
        draw.scene.add_rigid(box, density=draw.log_between(50.0, 5000.0), position=position, rotation=rotation)
    if not tilt:
        speed = draw.log_between(0.3, 10.0) * math.sqrt(9.81 * size)
        ball, place = shapes.sphere(0.25 * size, subdivisions=2), (-0.6 * size - thick, 0.0, 0.7 * size)
        density = draw.log_between(50.0, 2e4)
        draw.scene.add_rigid(ball, density=density, position=place, velocity=(min(speed, 50.0), 0.0, 0.0))
    return Expected()


def _add_floor(draw: Draw) -> None:
    """A half-space, or a fixed plate of a few triangles."""
    if draw.chance(0.5):
        draw.scene.add_ground()
    else:
        extent = 20.0 * draw.size
        draw.scene.add_kinematic(shapes.grid(extent, extent, cells=draw.count(1, 4)), name="floor")

"""Recipes of random scenes about how bodies touch: rebound, rest, aligned layers, weights, wind."""

from __future__ import annotations

import math

import numpy as np

from signorini.geometry import shapes
from signorini.studies.random_scenes.conditions import add_load
from signorini.studies.random_scenes.draw import Draw
from signorini.studies.random_scenes.expected import Expected
from signorini.studies.random_scenes.shapes import random_closed


def gust(draw: Draw, seconds: float) -> Expected:
    """Wind, pressure, forces and torques on bodies of all kinds, one of them a closed skin that is inflated."""
    draw.scene.add_ground()
    bodies = [draw.add_free_body() for _ in range(draw.count(1, 3))]
    for body in bodies:
        for _ in range(draw.count(1, 2)):
            add_load(draw.scene, body, draw.random, draw.size)
    if draw.chance(0.5):
        radius = 0.4 * draw.size
        skin = shapes.sphere(radius, subdivisions=draw.count(2, 4))
        balloon = draw.scene.add_cloth(skin, **draw.fabric(), position=draw.place(1.5 * radius), name="balloon")
        draw.scene.add_pressure(balloon, balloon.material.membrane_stiffness / radius * draw.log_between(1e-3, 0.1))
    return Expected()


def bounce(draw: Draw, seconds: float) -> Expected:
    """Rigid and soft bodies that rebound from a floor and from each other."""
    draw.scene.add_ground(restitution=draw.between(0.0, 1.0))
    draw.aim = (0.0, 0.0, 0.0) if draw.chance(0.5) else None
    for _ in range(draw.count(1, 4)):
        body = draw.add_solid() if draw.chance(0.2) else draw.add_rigid()
        draw.scene.set_contact(body.name, "ground", restitution=draw.between(0.0, 1.0))
    movable = [name for name in draw.scene.bodies if name != "ground"]
    if len(movable) > 1:
        draw.scene.set_contact(movable, restitution=draw.between(0.0, 1.0))
    return Expected()


def layers(draw: Draw, seconds: float) -> Expected:
    """Sheets above each other on a box, all with the same vertices: everything is aligned, and tight."""
    size, cells = draw.size, draw.count(2, 6)
    gap = size * draw.log_between(1e-5, 1e-2)
    tall = 0.2 * size
    draw.scene.add_ground()
    if draw.chance(0.5):
        block = shapes.box_tets(size, size, tall, cells=(cells, cells, 1))
        draw.scene.add_soft_solid(block, material=draw.solid_material(), position=(0.0, 0.0, gap + 0.5 * tall))
    else:
        box = shapes.box(size, size, tall, cells=(cells, cells, 1))
        density = draw.log_between(10.0, 1e4)
        draw.scene.add_rigid(box, density=density, position=(0.0, 0.0, gap + 0.5 * tall))
    height = gap + tall
    for _ in range(draw.count(1, 4)):
        height += gap
        sheet = shapes.grid(size, size, cells=cells, diagonals="uniform" if draw.chance(0.5) else "alternate")
        draw.scene.add_cloth(sheet, **draw.fabric(), position=(0.0, 0.0, height))
    return Expected()


def settle(draw: Draw, seconds: float) -> Expected:
    """Bodies that lie almost still on the ground, and fall asleep; a ball comes when two thirds of the time are over."""
    size = draw.size
    draw.scene.gravity = np.array([0.0, 0.0, -9.81])
    draw.scene.add_ground()
    gap = size * draw.log_between(1e-6, 1e-4)
    count = draw.count(1, 4)
    for k in range(count):
        tall = size * draw.between(0.2, 0.6)
        box = shapes.box(size * draw.between(0.5, 0.9), 0.8 * size, tall, cells=draw.count(1, 2))
        density = draw.log_between(50.0, 5000.0)
        draw.scene.add_rigid(box, density=density, position=(1.02 * size * k, 0.0, 0.5 * tall + gap))
    if draw.chance(0.6):
        speed = draw.log_between(0.3, draw.conditions.fastest)
        ball = shapes.sphere(0.2 * size, subdivisions=draw.count(2, 4))
        away = 0.6 * size + 0.2 * size + speed * 0.66 * seconds
        draw.scene.add_rigid(
            ball,
            density=draw.log_between(50.0, 2e4),
            position=(-away, 0.0, 0.3 * size),
            velocity=(speed, 0.0, 0.0),
            gravity=(0.0, 0.0, 0.0),
        )
    return Expected()


def anvil(draw: Draw, seconds: float) -> Expected:
    """A body up to a million times as heavy falls on a light one, on a sheet that hangs, or on a stack of them."""
    size, ratio = draw.size, draw.log_between(10.0, 1e6)
    draw.scene.gravity = np.array([0.0, 0.0, -9.81])
    draw.scene.add_ground()
    light = size**3 * draw.log_between(0.01, 10.0)
    kind, top = draw.count(0, 2), 0.0
    if kind == 0:
        top = size
        sheet = shapes.grid(2.0 * size, 2.0 * size, cells=draw.count(4, 10))
        fabric = draw.fabric()
        cloth = draw.scene.add_cloth(sheet, **fabric, position=(0.0, 0.0, top))
        light = 4.0 * size**2 * fabric["area_density"]
        side = round(math.sqrt(len(sheet.vertices)))
        cloth.pin([0, side - 1, side * (side - 1), side * side - 1])
    else:
        for _ in range(draw.count(1, 3)):
            tall = size * draw.between(0.2, 0.5)
            top += tall + 1e-3 * size
            box = shapes.box(size, size, tall, cells=draw.count(1, 3))
            draw.scene.add_rigid(box, mass=light, position=(0.0, 0.0, top - 0.5 * tall))
    mesh = random_closed(draw.random, 0.8 * size)
    radius = float((mesh.vertices**2).sum(axis=1).max()) ** 0.5
    draw.scene.add_rigid(
        mesh,
        mass=ratio * light,
        position=(0.0, 0.0, top + radius + size * draw.log_between(1e-3, 0.3)),
        rotation=draw.turn(),
        velocity=(0.0, 0.0, -draw.log_between(0.05, 20.0)),
        name="anvil",
    )
    return Expected()

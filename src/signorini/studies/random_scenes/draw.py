"""A scene in the making: random numbers, and bodies placed where nothing is yet."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.scene.body import Body
from signorini.scene.cloth_material import ClothMaterial, ClothModel
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial
from signorini.studies.random_scenes.conditions import Conditions, random_conditions
from signorini.studies.random_scenes.materials import (
    log_uniform,
    of_any_law,
    random_cloth_material,
    random_solid_material,
    woven,
)
from signorini.studies.random_scenes.meshes import bad_sheet, ragged_tets
from signorini.studies.random_scenes.shapes import random_closed, random_curve, random_sheet, random_tets

Floats = NDArray[np.float64]
Random = np.random.Generator
Vector = tuple[float, float, float]

ROOM = 1.05
"""Radius of the sphere that a body keeps free around it, over that of its own bounding sphere."""
TRIES = 60
"""Places that are tried for a body before the region that it may be in is made larger."""


class Fabric(TypedDict):
    """What a cloth is made of."""

    area_density: float
    """[kg/m²]"""
    material: ClothMaterial
    model: ClothModel


class Draw:
    """The random numbers of one scene, and the scene that they fill."""

    def __init__(self, random: Random, name: str, *, more: Random | None = None) -> None:
        """`more` are random numbers of conditions, bad meshes and laws; without them there is none of these."""
        self.random = random
        self.more = more
        self.conditions = Conditions() if more is None else random_conditions(more)
        self.size = log_uniform(random, 0.02, 2.0)
        """Of a typical body [m]."""
        self.gravity = 9.81 if random.random() < 0.7 else 0.0
        friction = 0.0 if random.random() < 0.2 else float(random.uniform(0.0, 1.5))
        if self.conditions.friction is not None:
            friction = self.conditions.friction
        self.scene = Scene(gravity=(0.0, 0.0, -self.gravity), friction=friction, name=name)
        self.aim: Vector | None = None
        """Where free bodies fly to; by default in any direction."""
        self._taken: list[tuple[Floats, float]] = []

    def between(self, low: float, high: float) -> float:
        """A number, equally likely everywhere between `low` and `high`."""
        return float(self.random.uniform(low, high))

    def log_between(self, low: float, high: float) -> float:
        """A number, equally likely in each decade between `low` and `high`."""
        return log_uniform(self.random, low, high)

    def count(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return int(self.random.integers(low, high + 1))

    def chance(self, share: float) -> bool:
        """True in this share of the draws."""
        return bool(self.random.random() < share)

    def direction(self) -> Floats:
        """(3,) of length 1, equally likely everywhere."""
        x = self.random.normal(size=3)
        return np.asarray(x / np.linalg.norm(x), dtype=np.float64)

    def turn(self) -> Vector:
        """A rotation vector [rad]; a quarter of them is no rotation, so that faces are parallel."""
        if self.chance(0.25):
            return 0.0, 0.0, 0.0
        return vector(Rotation.from_quat(self.random.normal(size=4)).as_rotvec())

    def velocity(self, place: Vector) -> Vector:
        """Of a body that starts at `place`: up to the largest speed [m/s], towards the aim if there is one, or at rest."""
        if self.aim is not None:
            away = np.subtract(self.aim, place)
            return vector(
                self.log_between(0.1, self.conditions.fastest)
                * away
                / max(float(np.linalg.norm(away)), 1e-9 * self.size)
            )
        return (
            (0.0, 0.0, 0.0)
            if self.chance(0.4)
            else vector(self.log_between(0.05, self.conditions.fastest) * self.direction())
        )

    def spin(self, radius: float) -> Vector:
        """Not turning, or so fast that a point at `radius` [m] moves with the largest speed [rad/s]."""
        if self.chance(0.5):
            return 0.0, 0.0, 0.0
        return vector(self.log_between(0.05, self.conditions.fastest) / radius * self.direction())

    def take(self, centre: Floats | Vector, radius: float) -> None:
        """Keep a sphere [m] free of the bodies that come."""
        self._taken.append((np.asarray(centre, dtype=np.float64), radius))

    def place(self, radius: float) -> Vector:
        """The middle of a free sphere of `radius` [m] above z = 0, near the origin; it is taken then."""
        extent = 2.0 * self.size
        while True:
            for _ in range(TRIES):
                x = self.random.uniform((-extent, -extent, radius), (extent, extent, radius + 1.5 * extent))
                if all(np.linalg.norm(x - centre) > radius + other for centre, other in self._taken):
                    self.take(x, radius)
                    return vector(x)
            extent *= 1.3

    def fabric(self) -> Fabric:
        """Area density, material and model of a cloth, as `Scene.add_cloth` takes them."""
        density = self.log_between(0.01, 10.0)
        material = random_cloth_material(self.random)
        if self.more is None or self.more.random() < 0.35:
            return {"area_density": density, "material": material, "model": "mass-spring"}
        if self.more.random() < 0.6:
            material = woven(self.more, material)
        return {"area_density": density, "material": material, "model": "continuum"}

    def solid_material(self) -> SolidMaterial:
        """Any material of soft solids."""
        material = random_solid_material(self.random)
        return material if self.more is None else of_any_law(self.more, material)

    def add_free_body(self) -> Body:
        """Add a body of any kind that can move, in a free place."""
        kinds = (self.add_rigid, self.add_rigid, self.add_cloth, self.add_solid, self.add_rod)
        return kinds[self.random.integers(len(kinds))]()

    def add_rigid(self) -> Body:
        """Add a rigid body of any shape and of a density over five decades."""
        mesh = random_closed(self.random, self.size * self.between(0.3, 1.5))
        radius = bounding_radius(mesh.vertices)
        place = self.place(ROOM * radius)
        return self.scene.add_rigid(
            mesh,
            density=self.log_between(1.0, 1e5),
            position=place,
            rotation=self.turn(),
            velocity=self.velocity(place),
            angular_velocity=self.spin(radius),
        )

    def add_cloth(self) -> Body:
        """Add a sheet of any material; sometimes some of its vertices are pinned."""
        size = self.size * self.between(0.5, 2.0)
        mesh = random_sheet(self.random, size)
        if self.more is not None and self.more.random() < 0.5:
            mesh = bad_sheet(self.more, size)
        place = self.place(ROOM * bounding_radius(mesh.vertices))
        cloth = self.scene.add_cloth(
            mesh,
            **self.fabric(),
            position=place,
            rotation=self.turn(),
            velocity=self.velocity(place),
        )
        if self.chance(0.3):
            cloth.pin(self.random.integers(len(mesh.vertices), size=self.count(1, 4)))
        return cloth

    def add_solid(self) -> Body:
        """Add a soft solid of any material."""
        tets = random_tets(self.random, self.size * self.between(0.4, 1.2))
        if self.more is not None and self.more.random() < 0.4:
            tets = ragged_tets(self.more, tets)
        radius = bounding_radius(tets.vertices)
        place = self.place(ROOM * radius)
        return self.scene.add_soft_solid(
            tets,
            material=self.solid_material(),
            position=place,
            rotation=self.turn(),
            velocity=self.velocity(place),
            angular_velocity=self.spin(radius),
        )

    def add_rod(self) -> Body:
        """Add a rod, from thread to cable."""
        points, closed = random_curve(self.random, self.size * self.between(0.5, 2.0))
        place = self.place(ROOM * bounding_radius(points))
        return self.scene.add_rod(
            points,
            closed=closed,
            position=place,
            rotation=self.turn(),
            velocity=self.velocity(place),
            linear_density=self.log_between(1e-3, 1.0),
            stretching_stiffness=self.log_between(1.0, 1e6),
            bending_rigidity=self.log_between(1e-8, 1e-2),
            damping_time=self.log_between(1e-5, 1e-2),
        )


def bounding_radius(points: Floats) -> float:
    """Radius of the sphere around the origin that holds all points [m]."""
    return float(np.linalg.norm(points, axis=1).max())


def vector(x: Floats) -> Vector:
    """A plain vector, as scenes take it."""
    a, b, c = (float(value) for value in x)
    return a, b, c

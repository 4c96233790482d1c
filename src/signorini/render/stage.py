"""The stage of a picture: bodies that are moved, lit and drawn anew from frame to frame."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.render.bodies import Look, body_colors, body_finish, look_of, painted
from signorini.render.camera import Camera
from signorini.render.contact_arrows import contact_arrows
from signorini.render.drawn_surfaces import DrawnCloth, DrawnSurface
from signorini.render.frame_source import FrameSource
from signorini.render.ground import Floor, rgb
from signorini.render.light import CELLS, Light, light_in, smoothed, surface_samples
from signorini.render.patterns import Pattern, make_pattern
from signorini.render.raster import Raster
from signorini.render.refined_surfaces import RefinedSurfaces
from signorini.render.tubes import DrawnTubes

Floats = NDArray[np.float64]
TUBE_RADIUS = 0.006
"""Radius of the tubes around lone edges over that of the scene: rods have no thickness, and are to be seen."""
FINENESS = 0.04
"""Edges longer than this part of the scene's radius are divided for shading."""


@dataclass(frozen=True, slots=True, eq=False)
class _Actor:
    """A body on the stage."""

    drawn: DrawnSurface | DrawnTubes | DrawnCloth
    look: Look
    front: NDArray[np.float32]
    back: NDArray[np.float32]
    pattern: Pattern


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A body at a frame: drawn points and normals (n, 3), where it is lit (k, 3), and the triangles of those points."""

    points: Floats
    normals: Floats
    lit: Floats
    lit_triangles: NDArray[np.int32]


class Stage:
    """Makes the pictures of a trajectory."""

    def __init__(
        self,
        trajectory: FrameSource,
        box: Floats,
        *,
        size: tuple[int, int],
        view: Floats,
        subdivide: bool = True,
        contacts: bool = False,
        shown: Collection[str] | None = None,
    ):
        """`box` (2, 3) [m] holds the scene; the sun is behind the left shoulder of who looks along −`view` (3,).

        Only bodies named in `shown` are drawn, by default all.
        """
        self._trajectory = trajectory
        center, self._radius = 0.5 * (box[0] + box[1]), 0.5 * float(np.linalg.norm(box[1] - box[0]))
        self._sun = sun_direction(view)
        self._floor = Floor(trajectory.half_spaces, center, self._radius, self._sun)
        self._raster = Raster(size)
        self._refined = RefinedSurfaces(trajectory, kinds=("cloth",) if subdivide else ())
        self._contacts = contacts
        colors = body_colors(trajectory.bodies)
        self._actors: dict[str, _Actor] = {}
        for name, body in trajectory.bodies.items():
            if shown is not None and name not in shown:
                continue
            look, first = look_of(body), trajectory.positions(name, 0)
            longest = FINENESS * self._radius
            if name in self._refined.parts:
                drawn = DrawnCloth.of(self._refined.parts[name], first)
                first = drawn.between(first)
            elif len(body.triangles):
                drawn = DrawnSurface.of(first, body.triangles, crease=look.crease, longest=longest)
                first, _ = drawn.place(first)
            else:
                drawn = DrawnTubes(body.edges, TUBE_RADIUS * self._radius)
                first, _ = drawn.place(first)
            front, back = (rgb(color) for color in colors[name])
            uv = None
            if body.faces is not None and body.faces.has_uv and not isinstance(drawn, DrawnTubes):
                uv = drawn.spread(body.faces.triangle_uv(body.triangles))
            pattern = make_pattern(body_finish(body), first, drawn.triangles, uv)
            self._actors[name] = _Actor(drawn, look, front, back, pattern)

    def show(self, frame: int, camera: Camera) -> NDArray[np.uint8]:
        """The picture (h, w, 3) of a frame."""
        placed = self._place(frame)
        cloud = self._cloud(placed)
        light = self._light(placed, cloud)
        self._floor.look(camera, self._raster.size)
        self._raster.clear()
        for name, body in placed.items():
            self._draw(self._actors[name], body, light[name], camera)
        if self._contacts:
            for arrows in contact_arrows(self._trajectory.contacts(frame), self._radius):
                colors = np.repeat(arrows.color[None], len(arrows.points), axis=0)
                self._raster.draw(camera, arrows.points, arrows.triangles, colors, colors)
        return self._raster.image(self._floor.shaded(cloud), self._floor.depth)

    def _place(self, frame: int) -> dict[str, _Placed]:
        positions = {name: self._trajectory.positions(name, frame) for name in self._trajectory.bodies}
        refined = self._refined.place(positions)
        placed = {}
        for name, actor in self._actors.items():
            points, normals = actor.drawn.place(refined.get(name, positions[name]))
            if isinstance(actor.drawn, DrawnCloth):
                placed[name] = _Placed(points, normals, positions[name], self._trajectory.bodies[name].triangles)
            else:
                placed[name] = _Placed(points, normals, points, actor.drawn.triangles)
        return placed

    def _cloud(self, placed: dict[str, _Placed]) -> Floats:
        """Points spread over all surfaces, dense enough for shadows."""
        spacing = 2.0 * self._radius / CELLS
        samples = [surface_samples(body.lit, body.lit_triangles, spacing=spacing) for body in placed.values()]
        return np.concatenate([np.zeros((0, 3)), *samples])

    def _light(self, placed: dict[str, _Placed], cloud: Floats) -> dict[str, Light]:
        """The light on each body at its drawn vertices."""
        found = light_in(
            np.concatenate([np.zeros((0, 3)), *(body.lit for body in placed.values())]), cloud, sun=self._sun
        )
        lights, start = {}, 0
        for name, body in placed.items():
            rows = slice(start, start + len(body.lit))
            sky = np.ascontiguousarray(found.sky[:, rows].T)
            sun = smoothed(found.sun[rows], body.lit_triangles)
            drawn = self._actors[name].drawn
            if isinstance(drawn, DrawnCloth):
                sky, sun = drawn.between(sky), drawn.between(sun)
            lights[name] = Light(sky.T, sun)
            start = rows.stop
        return lights

    def _draw(self, actor: _Actor, body: _Placed, light: Light, camera: Camera) -> None:
        view, everything = camera.backward, slice(None)
        sides = []
        for sign, color in ((1.0, actor.front), (-1.0, actor.back)):
            normals = sign * body.normals
            bright = light.on(normals, everything, sun=self._sun, view=view)
            if not isinstance(actor.drawn, DrawnCloth):
                bright = smoothed(bright, actor.drawn.triangles)
            options = {"sunlit": light.sun, "sun": self._sun, "view": view}
            sides.append(painted(actor.look, color, bright, normals, **options))
        towards = camera.eye - body.points
        distance = np.maximum(np.linalg.norm(towards, axis=1), 1e-9)
        facing = np.abs(np.einsum("ij,ij->i", body.normals, towards)) / distance  # what is seen aslant is seen smaller
        pixel = 2.0 * camera.slopes(self._raster.size)[1] / self._raster.size[1]  # over the distance
        self._raster.draw(
            camera,
            body.points,
            actor.drawn.triangles,
            *sides,
            pattern=actor.pattern,
            period_pixels=actor.pattern.period * facing / (pixel * distance),
        )


def sun_direction(view: Floats) -> Floats:
    """Direction towards the sun: high, over the left shoulder of the camera, so that shadows fall to the right and back."""
    side = np.cross([0.0, 0.0, 1.0], view) if abs(view[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
    sun = 0.35 * view - 0.75 * side / np.linalg.norm(side) + np.array([0.0, 0.0, 1.35])
    return sun / np.linalg.norm(sun)

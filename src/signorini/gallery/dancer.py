"""A dancer in a skirt of six layers turns on the spot, there and back (after Otaduy2009 Fig. 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signorini.characters.bvh import load_bvh
from signorini.characters.dancer import procedural_dancer
from signorini.characters.skeleton import Skeleton
from signorini.errors import InputError
from signorini.gallery.entry import GalleryScene
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import cloth_material
from signorini.scene.motions import Chain, Turn
from signorini.scene.scene import Scene

Floats = NDArray[np.float64]
LENGTHS = (0.72, 0.675, 0.63, 0.585, 0.54, 0.495)
"""Lengths of the layers from waist to hem, from the innermost to the outermost [m]."""
ROWS = 35 / 80
"""Rings of vertices of a layer over the number of vertices around it."""
SPACING = 0.5
"""Distance between the layers at the waist, and to the body, times the number of vertices around [m]."""
FANNING = 1.2
"""Angle by which each layer opens more than the next, times the number of vertices around [rad]."""
STEEPEST = 0.62
"""Least angle of the skirt against the vertical at the start [rad]."""
WIDEST = 1.2
"""Largest angle of the skirt against the vertical at the start [rad]; beyond it no skirt fits the body."""
FOLDS, SWAY = 10, 0.07
"""Number of folds around the skirt at the start, and their amplitude as an angle [rad]."""
TURNS = ((0.4, 0.9), (3.4, -0.9), (6.4, 0.8))
"""Start and duration [s] of each full turn; a negative duration is a turn to the right."""


def build(
    *,
    friction: float = 0.3,
    stiffness: float = 1.0,
    resolution: int = 80,
    skeleton: Skeleton | None = None,
    bvh: str | Path | None = None,
    scale: float = 0.01,
) -> Scene:
    """A skirt of six layers of cotton with `resolution` vertices around each (16,800 vertices for 80), sewn to the waist.

    Without a `skeleton` the dancer turns by 360° in 0.9 s to the left, in 0.9 s to the right, and in 0.8 s to the left. With
    one (for instance `Skeleton.from_bvh("dance.bvh", frames=(1, 500))`) the skirt is fitted to its pose at time 0, in which the
    body must be upright and its hands above the waist. `bvh` is a file in units of `scale` [m], whose first frame, often a
    T-pose, is left out.
    """
    if bvh is not None:
        skeleton = Skeleton.from_bvh(bvh, scale=scale, frames=(1, load_bvh(bvh).frame_count))
    skeleton = skeleton or _turning_dancer()
    body, motion = skeleton.surface(body="blended", edge=min(1.6 / resolution, 0.035))
    scene = Scene(friction=friction, air_drag=1.0, name="dancer")
    scene.add_kinematic(body, motion=motion, name="dancer")
    waist = _waist(skeleton)
    radius, angle = _fit(body.vertices - waist, SPACING / resolution)
    for k, length in enumerate(LENGTHS):
        layer = SkirtLayer(
            radius=radius + (k + 1) * SPACING / resolution,
            angle=angle + k * FANNING / resolution,
            length=length,
            around=resolution,
            rings=max(3, round(ROWS * resolution)),
            folds=max(2, min(FOLDS, resolution // 7)),
        )
        scene.add_cloth(
            layer.at_rest(),
            area_density=0.15,
            material=cloth_material("cotton", "mass-spring").scaled(stiffness),
            model="mass-spring",
            initial_vertices=layer.folded(),
            position=(float(waist[0]), float(waist[1]), float(waist[2])),
            name=f"layer-{k + 1}",
        )
        scene.attach(f"layer-{k + 1}", np.arange(resolution), to="dancer")
    scene.add_ground()
    return scene


@dataclass(frozen=True, slots=True, kw_only=True)
class SkirtLayer:
    """A ring of fabric that begins with a circle of `radius` [m] about the origin and hangs down `length` [m] from it.

    At the start the lines from waist to hem are straight and at angles against the vertical that go to and fro between `angle`
    [rad] and more, `folds` times around: seen from below, a flower. At rest it is a cone that is wide enough for the folds.
    Ring k has the vertices k · around to (k + 1) · around - 1; triangles face outwards.
    """

    radius: float
    angle: float
    length: float
    around: int
    rings: int
    folds: int

    def at_rest(self) -> TriangleMesh:
        """The cone that has, far from the waist, the girth of the folded skirt."""
        _, girth = self._arc(np.linspace(0.0, 2.0 * math.pi, 2001), distance=1.0, radius=0.0)
        opening = math.asin(min(girth / (2.0 * math.pi), 0.999))
        along = np.linspace(0.0, self.length, self.rings)
        phi = np.tile(2.0 * math.pi * np.arange(self.around) / self.around, (self.rings, 1))
        return TriangleMesh(self._placed(along, phi, np.full_like(phi, opening)), self._triangles())

    def folded(self) -> Floats:
        """(rings · around, 3) where it starts: nowhere longer than at rest."""
        along = np.linspace(0.0, self.length, self.rings)
        fine = np.linspace(0.0, 2.0 * math.pi, 2001)
        phi = np.empty((self.rings, self.around))
        for row, distance in zip(phi, along, strict=True):
            arc, girth = self._arc(fine, distance=float(distance), radius=self.radius)
            row[:] = np.interp(girth * np.arange(self.around) / self.around, arc, fine)
        return self._placed(along, phi, self._angles(phi)[0])

    def _angles(self, phi: Floats) -> tuple[Floats, Floats]:
        """Angle against the vertical at the azimuths phi, and its derivative."""
        angle = self.angle + SWAY * (1.0 - np.cos(self.folds * phi))
        return angle, SWAY * self.folds * np.sin(self.folds * phi)

    def _arc(self, phi: Floats, *, distance: float, radius: float) -> tuple[Floats, float]:
        """Length [m] of a ring at a distance [m] from the waist up to each azimuth, and in all."""
        angle, change = self._angles(phi)
        speed = np.hypot(radius + distance * np.sin(angle), distance * change)
        arc = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(phi))])
        return arc, float(arc[-1])

    def _placed(self, along: Floats, phi: Floats, angle: Floats) -> Floats:
        r = self.radius + along[:, None] * np.sin(angle)
        return np.stack([r * np.cos(phi), r * np.sin(phi), -along[:, None] * np.cos(angle)], axis=2).reshape(-1, 3)

    def _triangles(self) -> NDArray[np.int32]:
        k, i = (m.ravel() for m in np.meshgrid(np.arange(self.rings - 1), np.arange(self.around), indexing="ij"))
        a, b = k * self.around + i, k * self.around + (i + 1) % self.around
        c, d = a + self.around, b + self.around
        even = ((k + i) % 2 == 0)[:, None]
        first = np.where(even, np.column_stack([a, c, d]), np.column_stack([a, c, b]))
        second = np.where(even, np.column_stack([a, d, b]), np.column_stack([b, c, d]))
        return np.concatenate([first, second]).astype(np.int32)


def _turning_dancer() -> Skeleton:
    turns = [Turn(angle=math.copysign(2.0 * math.pi, time), duration=abs(time), start=start) for start, time in TURNS]
    return replace(procedural_dancer(turn_time=TURNS[0][1], start=TURNS[0][0]), carrier=Chain(tuple(turns)))


def _waist(skeleton: Skeleton) -> Floats:
    """The centre of the waist (3,) [m] at time 0: a little above the first joint of the spine."""
    names = [name.lower() for name in skeleton.articulation.names]
    spine = [j for j, name in enumerate(names) if "spine" in name]
    if not spine:
        raise InputError("dancer: the skeleton has no joint with 'spine' in its name, where the skirt would be sewn on")
    x, _ = skeleton.articulation.pose(0.0)
    return x[spine[0]] + np.array([0.0, 0.0, 0.02 * float(np.ptp(x[:, 2]))])


def _fit(body: Floats, gap: float) -> tuple[float, float]:
    """Radius at the waist [m] and angle [rad] of the narrowest skirt around points (n, 3) about the centre of the waist."""
    r = np.hypot(body[:, 0], body[:, 1])
    near = np.abs(body[:, 2]) < 0.03
    if not near.any():
        raise InputError("dancer: there is no body around the waist of the skeleton")
    radius = float(r[near & (r < 2.0 * r[near].min())].max())
    below = (body[:, 2] < -gap) & (body[:, 2] > -LENGTHS[0])
    angle = max(STEEPEST, float(np.arctan2(r[below] - radius, -body[below, 2]).max()))
    if angle > WIDEST:
        raise InputError(
            "dancer: a hand or foot is beside the waist at time 0, where the skirt begins: choose a first frame in which the "
            "body is upright and its hands are above the waist"
        )
    return radius, angle


SCENE = GalleryScene(
    name="dancer",
    title="A dancer in a skirt of six layers turns by 360° in less than a second",
    build=build,
    dt=2e-3,
    seconds=10.0,
    figure="Otaduy2009 Fig. 1",
)

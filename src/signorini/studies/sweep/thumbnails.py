"""Small pictures of end states, all from one camera: drawn in milliseconds with Pillow, triangle by triangle from far to near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from signorini.files.runs.trajectory import Trajectory, TrajectoryPlane
from signorini.render.bodies import body_colors
from signorini.render.ground import BACKGROUND, rgb
from signorini.render.ground import TILES as TILE_COLORS
from signorini.render.pictures import DEFAULT_VIEW

SIZE = (240, 180)
"""Width and height of a picture [pixels]."""
FINER = 2
"""Pixels that are drawn for each that is stored, along each side: edges become smooth."""
SUN = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
"""Direction to the light."""
SHADE = (198, 194, 187)
"""Colour of the shadows on the ground."""
TILES = 12
"""Squares of the chequer on the ground along each side."""
NEARER = 0.08
"""Part of the height of the picture by which cloth counts as nearer than it is: it lies within millimetres of what it rests
on, and triangles are sorted as a whole."""
Floats = NDArray[np.float64]
Shape = tuple[float, tuple[float, ...], tuple[int, ...]]
"""Depth, corners and colour of something that is drawn."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A parallel projection."""

    center: Floats
    """(3,) what is in the middle of the picture [m]."""
    radius: float
    """Half of the height of what is seen [m]."""

    @property
    def axes(self) -> Floats:
        """(3, 3) rows: right, up, towards the camera."""
        back = np.array(DEFAULT_VIEW) / np.linalg.norm(DEFAULT_VIEW)
        right = np.cross((0.0, 0.0, 1.0), back)
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(back, right), back])

    def place(self, points: Floats) -> Floats:
        """(n, 3) pixels right and down, and the distance towards the camera [m]."""
        seen = (points - self.center) @ self.axes.T
        scale = FINER * SIZE[1] / (2.0 * self.radius)
        x, y = FINER * SIZE[0] / 2.0 + scale * seen[:, 0], FINER * SIZE[1] / 2.0 - scale * seen[:, 1]
        return np.column_stack([x, y, seen[:, 2]])


def common_camera(trajectories: Sequence[Trajectory]) -> Camera:
    """A camera that sees the end states of nine in ten runs where they are, and not one that flew away."""
    boxes = []
    for trajectory in trajectories:
        points = np.concatenate([trajectory.positions(name, -1) for name in trajectory.bodies])
        boxes.append((points.min(axis=0), points.max(axis=0)))
    low = np.percentile([box[0] for box in boxes], 5, axis=0)
    high = np.percentile([box[1] for box in boxes], 95, axis=0)
    return Camera((low + high) / 2.0, max(0.5 * float(np.linalg.norm(high - low)), 1e-6))


def draw_end(trajectory: Trajectory, camera: Camera, path: Path) -> None:
    """Write the last frame of a trajectory as a PNG file."""
    picture = Image.new("RGB", (FINER * SIZE[0], FINER * SIZE[1]), BACKGROUND)
    draw = ImageDraw.Draw(picture)
    surfaces = {name: trajectory.positions(name, -1) for name in trajectory.bodies}
    for plane in trajectory.half_spaces:
        if camera.axes[2] @ np.array(plane.normal) > 0.0:  # seen from above
            _draw_ground(draw, plane, camera)
            _draw_shadows(draw, trajectory, surfaces, camera, plane)
    shapes: list[Shape] = []
    colors = body_colors(trajectory.bodies)
    for name, body in trajectory.bodies.items():
        front, back = (rgb(color) for color in colors[name])
        closed = body.kind in ("rigid", "soft_solid")
        nearer = NEARER * camera.radius if body.kind == "cloth" else 0.0
        triangles = _shaded(surfaces[name], body.triangles, camera, front, back, inside=not closed)
        shapes += [(depth + nearer, corners, tone) for depth, corners, tone in triangles]
        placed = camera.place(surfaces[name])
        for a, b in body.edges:
            tone = tuple(int(255 * c) for c in front)
            shapes.append((float(placed[[a, b], 2].mean()), (*placed[a, :2], *placed[b, :2]), tone))
    for _, corners, tone in sorted(shapes, key=lambda shape: shape[0]):
        if len(corners) == 4:
            draw.line(corners, fill=tone, width=2 * FINER)
        else:
            draw.polygon(corners, fill=tone, outline=tone)
    picture.resize(SIZE, Image.Resampling.LANCZOS).save(path)


def _shaded(
    points: Floats,
    triangles: NDArray[np.int32],
    camera: Camera,
    front: NDArray[np.float32],
    back: NDArray[np.float32],
    *,
    inside: bool,
) -> list[Shape]:
    """Depth, corners and colour of each triangle, darker away from the light; inner sides only if `inside`."""
    if not len(triangles):
        return []
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    outside = normals @ camera.axes[2] > 0.0
    if not inside:
        corners, normals, outside = corners[outside], normals[outside], outside[outside]
    normals[~outside] *= -1.0
    bright = 0.45 + 0.55 * np.maximum(normals @ SUN, 0.0)
    tones = np.where(outside[:, None], front, back) * bright[:, None]
    placed = camera.place(corners.reshape(-1, 3)).reshape(-1, 3, 3)
    depths = placed[:, :, 2].mean(axis=1)
    colors = (255.0 * np.clip(tones, 0.0, 1.0)).astype(int)
    flat = placed[:, :, :2].reshape(-1, 6)
    return [
        (float(d), tuple(c), (int(r), int(g), int(b))) for d, c, (r, g, b) in zip(depths, flat, colors, strict=True)
    ]


def _draw_ground(draw: ImageDraw.ImageDraw, plane: TrajectoryPlane, camera: Camera) -> None:
    """A chequer around the middle of the picture, which shows how the plane lies."""
    normal = np.array(plane.normal)
    along = np.cross(normal, (0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (1.0, 0.0, 0.0))
    along /= np.linalg.norm(along)
    across = np.cross(normal, along)
    middle = camera.center + (plane.height - camera.center @ normal) * normal
    size = 2.4 * camera.radius / TILES
    for i in range(-TILES // 2, TILES // 2):
        for k in range(-TILES // 2, TILES // 2):
            corners = [(i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)]
            points = np.array([middle + size * (a * along + b * across) for a, b in corners])
            draw.polygon(camera.place(points)[:, :2].ravel().tolist(), fill=TILE_COLORS[(i + k) % 2])


def _draw_shadows(
    draw: ImageDraw.ImageDraw,
    trajectory: Trajectory,
    surfaces: Mapping[str, Floats],
    camera: Camera,
    plane: TrajectoryPlane,
) -> None:
    """What the light does not reach on the ground."""
    normal = np.array(plane.normal)
    if SUN @ normal < 0.2:  # the light grazes it
        return
    for name, body in trajectory.bodies.items():
        points = surfaces[name]
        fallen = points - ((points @ normal - plane.height) / (SUN @ normal))[:, None] * SUN
        placed = camera.place(fallen)[:, :2]
        for corners in placed[body.triangles].reshape(-1, 6):
            draw.polygon(corners.tolist(), fill=SHADE)

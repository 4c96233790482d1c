"""Pictures and films of a trajectory, made without a display (extra `render`: pyvista, imageio-ffmpeg)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.trajectory import Trajectory
from signorini.render.bodies import DrawnSurface, Look, look_of, painted
from signorini.render.ground import BACKGROUND, GroundSheet, rgb
from signorini.render.light import light_in, smoothed, surface_samples
from signorini.render.tubes import DrawnTubes

if TYPE_CHECKING:
    import pyvista

DEFAULT_SIZE = (1280, 720)
DEFAULT_VIEW = (1.0, -1.9, 0.85)
"""Direction from the scene to the camera: from the front right, a little above."""
TUBE_RADIUS = 0.006
"""Radius of the tubes around lone edges over that of the scene: rods have no thickness, and are to be seen."""
FINENESS = 0.04
"""Edges longer than this part of the scene's radius are divided for shading."""


def render_frame(
    trajectory: Trajectory,
    frame: int,
    path: str | Path,
    *,
    size: tuple[int, int] = DEFAULT_SIZE,
    view: tuple[float, float, float] = DEFAULT_VIEW,
    whole_motion: bool = False,
) -> Path:
    """Write a PNG of one frame. The camera frames that state, or with `whole_motion` all that ever happens."""
    number = trajectory.frame_index(frame)
    target = _checked_target(path, ".png")
    box = _bounds(trajectory, range(trajectory.frame_count) if whole_motion else [number])
    with _stage(trajectory, box, size=size, view=view, floor_pixels=1600) as stage:
        stage.show(number)
        stage.plotter.screenshot(str(target))
    return target


def render_film(
    trajectory: Trajectory,
    path: str | Path,
    *,
    size: tuple[int, int] = DEFAULT_SIZE,
    view: tuple[float, float, float] = DEFAULT_VIEW,
    fps: float | None = None,
    progress: bool = False,
) -> Path:
    """Write an mp4 of all frames; `fps` is that of the trajectory (real time) if not given."""
    _need("imageio")
    _need("imageio_ffmpeg")
    import imageio.v2 as imageio

    trajectory.frame_index(0)
    target = _checked_target(path, ".mp4")
    times = trajectory.times
    if fps is None:
        fps = 1.0 / float(np.median(np.diff(times))) if len(times) > 1 else 30.0
    even = (size[0] // 2 * 2, size[1] // 2 * 2)
    box = _bounds(trajectory, range(trajectory.frame_count))
    options: dict[str, Any] = {
        "fps": fps,
        "codec": "libx264",
        "quality": 8,
        "macro_block_size": 2,
        "pixelformat": "yuv420p",
    }
    with (
        _stage(trajectory, box, size=even, view=view, floor_pixels=1024) as stage,
        imageio.get_writer(target, format="FFMPEG", **options) as film,  # pyright: ignore[reportArgumentType]
        _ticks(trajectory.frame_count, progress) as tick,
    ):
        for number in range(trajectory.frame_count):
            stage.show(number)
            film.append_data(stage.plotter.screenshot(return_img=True))  # pyright: ignore[reportAttributeAccessIssue]
            tick()
    return target


class _Stage:
    """An off-screen scene whose bodies are moved, and lit anew, from frame to frame."""

    def __init__(
        self,
        plotter: pyvista.Plotter,
        trajectory: Trajectory,
        grounds: list[GroundSheet],
        *,
        sun: NDArray[np.float64],
        view: NDArray[np.float64],
        longest: float,
    ):
        self.plotter = plotter
        self._trajectory = trajectory
        self._grounds = grounds
        self._directions = {"sun": sun, "view": view}
        self._surfaces: dict[str, DrawnSurface | DrawnTubes] = {}
        self._sides: list[tuple[str, float, pyvista.PolyData, Look, NDArray[np.float32]]] = []
        seen: dict[str, int] = {}
        for name, body in trajectory.bodies.items():
            look = look_of(body.kind)
            front, back = look.colors[seen.get(body.kind, 0) % len(look.colors)]
            seen[body.kind] = seen.get(body.kind, 0) + 1
            first = trajectory.positions(name, 0)
            if len(body.triangles):
                self._surfaces[name] = DrawnSurface.of(first, body.triangles, crease=look.crease, longest=longest)
            else:
                self._surfaces[name] = DrawnTubes(body.edges, TUBE_RADIUS * longest / FINENESS)
            self._add_side(name, 1.0, look, front)
            self._add_side(name, -1.0, look, back)

    def _add_side(self, name: str, sign: float, look: Look, color: str) -> None:
        import pyvista

        drawn = self._surfaces[name]
        points, _ = drawn.place(self._trajectory.positions(name, 0))
        surface = pyvista.PolyData.from_regular_faces(points, drawn.triangles)
        surface.point_data["color"] = np.zeros((surface.n_points, 3), dtype=np.uint8)
        hidden: Any = "back" if sign > 0 else "front"
        self.plotter.add_mesh(surface, scalars="color", rgb=True, culling=hidden, lighting=False)
        self._sides.append((name, sign, surface, look, rgb(color)))

    def show(self, frame: int) -> None:
        """Move all bodies to where they are at a frame."""
        drawn = self._surfaces
        placed = {name: drawn[name].place(self._trajectory.positions(name, frame)) for name in drawn}
        samples = [surface_samples(placed[name][0], drawn[name].triangles) for name in drawn]
        cloud = np.concatenate([np.zeros((0, 3)), *samples])
        all_points = np.concatenate([np.zeros((0, 3)), *(points for points, _ in placed.values())])
        light = light_in(all_points, cloud, sun=self._directions["sun"])
        starts = dict(zip(placed, np.cumsum([0, *(len(points) for points, _ in placed.values())]), strict=False))
        for name, sign, surface, look, color in self._sides:
            points, normals = placed[name][0], sign * placed[name][1]
            rows = slice(starts[name], starts[name] + len(points))
            bright = smoothed(light.on(normals, rows, **self._directions), drawn[name].triangles)
            surface.points = points
            surface.point_data["color"] = painted(
                look, color, bright, normals, sunlit=light.sun[rows], **self._directions
            )
        for ground in self._grounds:
            ground.cast(cloud)
        self.plotter.render()


@contextlib.contextmanager
def _stage(
    trajectory: Trajectory,
    box: NDArray[np.float64],
    *,
    size: tuple[int, int],
    view: tuple[float, float, float],
    floor_pixels: int,
) -> Iterator[_Stage]:
    if min(size) < 16 or max(size) > 16384:
        raise InputError(f"size of a picture must be between 16 and 16384 pixels, got {size[0]} x {size[1]}")
    direction = np.asarray(view, dtype=np.float64)
    direction /= np.linalg.norm(direction)
    _need("pyvista")
    _silence_vtk()
    import pyvista

    plotter = pyvista.Plotter(off_screen=True, window_size=list(size), lighting="none")
    try:
        plotter.set_background(BACKGROUND)  # pyright: ignore[reportArgumentType, reportCallIssue]
        center, radius = 0.5 * (box[0] + box[1]), 0.5 * float(np.linalg.norm(box[1] - box[0]))
        sun = _sun_direction(direction)
        grounds = [
            GroundSheet(plotter, plane, center, radius, sun, pixels=floor_pixels) for plane in trajectory.half_spaces
        ]
        stage = _Stage(plotter, trajectory, grounds, sun=sun, view=direction, longest=FINENESS * radius)
        _aim(plotter, box, direction, size)
        plotter.enable_anti_aliasing("ssaa")
        yield stage
    finally:
        plotter.close()


def _aim(
    plotter: pyvista.Plotter, box: NDArray[np.float64], direction: NDArray[np.float64], size: tuple[int, int]
) -> None:
    """Look at the box from `direction`, as near as all its corners allow."""
    up = np.array([0.0, 0.0, 1.0]) if abs(direction[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
    right = np.cross(up, direction)
    right /= np.linalg.norm(right)
    above = np.cross(direction, right)
    corners = np.array([[box[i][0], box[j][1], box[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    angle = 26.0
    slope_v = np.tan(np.radians(0.5 * angle)) * 0.86  # a margin of 14 %
    slope_h = slope_v * size[0] / size[1]
    center, distance = 0.5 * (box[0] + box[1]), 0.0
    for _ in range(4):  # centre the projection of the box, then find the distance
        x, y, z = (corners - center) @ right, (corners - center) @ above, (corners - center) @ direction
        distance = float(np.max(z + np.maximum(np.abs(x) / slope_h, np.abs(y) / slope_v)))
        u, v = x / (distance - z), y / (distance - z)
        center = center + distance * (0.5 * (u.max() + u.min()) * right + 0.5 * (v.max() + v.min()) * above)
    camera = plotter.camera
    camera.focal_point = tuple(center)
    camera.position = tuple(center + distance * direction)
    camera.up = tuple(up)
    camera.view_angle = angle
    plotter.reset_camera_clipping_range()


def _sun_direction(view: NDArray[np.float64]) -> NDArray[np.float64]:
    """Towards the sun: high, over the left shoulder of the camera, so that shadows fall to the right and back."""
    side = np.cross([0.0, 0.0, 1.0], view) if abs(view[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
    sun = 0.35 * view - 0.75 * side / np.linalg.norm(side) + np.array([0.0, 0.0, 1.35])
    return sun / np.linalg.norm(sun)


def _bounds(trajectory: Trajectory, frames: Any) -> NDArray[np.float64]:
    """The box (2, 3) around all bodies over some frames (at most about sixty of them are looked at)."""
    numbers = list(frames)
    numbers = numbers[:: max(1, len(numbers) // 60)] + numbers[-1:]
    points = [trajectory.positions(name, k) for name in trajectory.bodies for k in numbers]
    if not points:
        return np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.5]])
    low, high = np.min([p.min(axis=0) for p in points], axis=0), np.max([p.max(axis=0) for p in points], axis=0)
    middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-3)
    return np.array([middle - half, middle + half])


def _checked_target(path: str | Path, suffix: str) -> Path:
    target = Path(path)
    if target.suffix.lower() != suffix:
        raise InputError(f"file {str(target)!r} must end in {suffix}")
    if not target.parent.is_dir():
        raise InputError(f"directory {str(target.parent)!r} for {target.name!r} does not exist")
    return target


@contextlib.contextmanager
def _ticks(count: int, enabled: bool) -> Iterator[Any]:
    if not enabled:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("film", total=count)
        yield lambda: bar.advance(task)


def _need(module: str) -> None:
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingExtraError(
            f'pictures and films need the package {module}: install it with pip install "signorini[render]"'
        )


def _silence_vtk() -> None:
    """VTK warns about the missing X server before it renders without one."""
    from vtkmodules.vtkCommonCore import vtkLogger, vtkObject

    vtkObject.GlobalWarningDisplayOff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)

"""Pictures and films of a trajectory, made without a display and without a graphics card.

Films need the extra `render` (imageio-ffmpeg); pictures need nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_path
from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.trajectory import Trajectory
from signorini.geometry.triangle_mesh import as_vector
from signorini.render.animated_picture import ENDINGS as ANIMATED
from signorini.render.animated_picture import animated_picture
from signorini.render.camera import make_camera
from signorini.render.frame_source import FrameSource
from signorini.render.stage import Stage

DEFAULT_SIZE = (1280, 720)
DEFAULT_VIEW = (1.0, -1.9, 0.85)
"""Direction from the scene to the camera: from the front right, a little above."""
PAGE_FRAMES = 300
"""Frames of a film inside of a page: of a longer one, every n-th is shown, because pages are sent and frames cost time."""
PAGE_SECONDS = 2.0
"""A film inside of a page that would last less is slowed down to this, to be seen at all [s]."""
ENCODING = ["-preset", "veryfast", "-crf", "20"]
"""Options of the encoder x264: twice as fast as its default, and films a fifth larger."""


def render_frame(
    trajectory: Trajectory,
    frame: int,
    path: str | Path,
    *,
    size: tuple[int, int] = DEFAULT_SIZE,
    view: Sequence[float] = DEFAULT_VIEW,
    camera: Sequence[float] | None = None,
    look_at: Sequence[float] | None = None,
    whole_motion: bool = False,
    subdivide: bool = True,
    contacts: bool = False,
    hide: Collection[str] = (),
) -> Path:
    """Write a PNG of one frame. The camera frames that state, or with `whole_motion` all that ever happens.

    `camera` is where it is taken from and `look_at` what is in its middle [m]; by default both are chosen so that everything is
    seen from the direction `view`. `subdivide` draws cloth smoothly; `contacts` adds contact forces as arrows; bodies named in
    `hide` are left out, to see what is behind them.
    """
    from PIL import Image

    number = trajectory.frame_index(frame)
    target = checked_target(path, ".png")
    shown = _shown(trajectory, hide)
    box = frame_bounds(trajectory, range(trajectory.frame_count) if whole_motion else [number], shown)
    eye = make_camera(box, checked_size(size), view=view, camera=camera, look_at=look_at)
    options: dict[str, Any] = {"subdivide": subdivide, "contacts": contacts, "shown": shown}
    stage = Stage(trajectory, box, size=size, view=eye.backward, **options)
    Image.fromarray(stage.show(number, eye)).save(target, compress_level=3)
    return target


def render_film(
    trajectory: Trajectory,
    path: str | Path,
    *,
    size: tuple[int, int] = DEFAULT_SIZE,
    view: Sequence[float] = DEFAULT_VIEW,
    camera: Sequence[float] | None = None,
    look_at: Sequence[float] | None = None,
    orbit: float = 0.0,
    fps: float | None = None,
    every: int = 1,
    subdivide: bool = True,
    contacts: bool = False,
    hide: Collection[str] = (),
    progress: bool = False,
) -> Path:
    """Write a film of all frames, or of every n-th and the last; without `fps` it lasts as long as what it shows.

    The ending chooses: .mp4 (extra `render`), or the animated pictures .webp and .gif, which are kept in memory until they are
    written. The camera is as in `render_frame`; `orbit` turns it about the vertical through its target during the film [degrees].
    """
    trajectory.frame_index(0)
    target = checked_target(path, ".mp4", *ANIMATED)
    if target.suffix.lower() == ".mp4":
        _need("imageio_ffmpeg")
    if every < 1:
        raise InputError(f"every must be at least 1, got {every}")
    if not np.isfinite(orbit):
        raise InputError(f"orbit must be a finite angle in degrees, got {orbit:g}")
    frames = sorted({*range(0, trajectory.frame_count, every), trajectory.frame_count - 1})
    fps = frame_rate(trajectory.times[frames]) if fps is None else fps
    even = (checked_size(size)[0] // 2 * 2, size[1] // 2 * 2)
    shown = _shown(trajectory, hide)
    box = frame_bounds(trajectory, range(trajectory.frame_count), shown)
    first = make_camera(box, even, view=view, camera=camera, look_at=look_at)
    options: dict[str, Any] = {"subdivide": subdivide, "contacts": contacts, "shown": shown}
    stage = Stage(trajectory, box, size=even, view=first.backward, **options)
    steps = max(trajectory.frame_count - 1, 1)
    encoder = _encoder(target, even, fps) if target.suffix.lower() == ".mp4" else animated_picture(target, fps)
    with encoder as write, _ticks(len(frames), progress) as tick:
        for number in frames:
            eye = first.orbited(np.radians(orbit) * number / steps) if orbit else first
            write(stage.show(number, eye))
            tick()
    return target


def render_trajectory(trajectory: Trajectory, path: str | Path, *, frame: int | None = None, **options: Any) -> Path:
    """Write a picture or a film of a trajectory, as the ending of `path` says: .png, or .mp4, .webp or .gif."""
    if Path(path).suffix.lower() in (".mp4", *ANIMATED):
        if frame is not None:
            raise InputError(f"frame = {frame} is for pictures: a film {str(path)!r} has all of them")
        return render_film(trajectory, path, **options)
    if Path(path).suffix.lower() != ".png":
        raise InputError(f"file {str(path)!r} must end in .png for a picture or in .mp4, .webp or .gif for a film")
    return render_frame(trajectory, -1 if frame is None else frame, path, **options)


def frame_rate(times: NDArray[np.float64]) -> float:
    """Frames a second that last as long as `times` (n,) [s] do: steps that fit no frame rate leave frames uneven."""
    return float((len(times) - 1) / (times[-1] - times[0])) if len(times) > 1 else 30.0


def film_pace(times: NDArray[np.float64]) -> tuple[int, float, str]:
    """Pace of a film inside a page: stride and rate of its frames, and a caption if these are not all frames in real time."""
    every = -(-len(times) // PAGE_FRAMES)
    fps, shown = frame_rate(times) / every, -(-len(times) // every)
    slower = max(1.0, PAGE_SECONDS * fps / shown)
    words = [f"every {every} frames"] if every > 1 else []
    words += [f"slowed down {slower:.3g} times"] if slower > 1.0 else []
    return every, fps / slower, ", ".join(words)


def _shown(trajectory: Trajectory, hide: Collection[str]) -> list[str]:
    """The bodies that are not hidden."""
    for name in hide:
        if name not in trajectory.bodies:
            known = ", ".join(repr(known) for known in trajectory.bodies) or "none"
            raise InputError(f"there is no body {name!r} to hide; bodies of this run: {known}")
    return [name for name in trajectory.bodies if name not in hide]


@contextlib.contextmanager
def _encoder(target: Path, size: tuple[int, int], fps: float) -> Iterator[Any]:
    """A function that appends a picture (h, w, 3) to a film."""
    import imageio_ffmpeg

    options: dict[str, Any] = {"fps": fps, "quality": None}  # annotated too narrowly there
    writer = imageio_ffmpeg.write_frames(
        str(target), size, codec="libx264", pix_fmt_out="yuv420p", macro_block_size=2, output_params=ENCODING, **options
    )
    writer.send(None)
    try:
        yield lambda image: writer.send(np.ascontiguousarray(image))
    finally:
        writer.close()


def frame_bounds(
    trajectory: FrameSource, frames: Iterable[int], shown: Iterable[str] | None = None
) -> NDArray[np.float64]:
    """The box (2, 3) around bodies, by default all, over some frames (at most about sixty of them are looked at)."""
    numbers = list(frames)
    numbers = numbers[:: max(1, len(numbers) // 60)] + numbers[-1:]
    points = [
        trajectory.positions(name, k) for name in (trajectory.bodies if shown is None else shown) for k in numbers
    ]
    if not points:
        return np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.5]])
    low, high = np.min([p.min(axis=0) for p in points], axis=0), np.max([p.max(axis=0) for p in points], axis=0)
    middle, half = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-3)
    return np.array([middle - half, middle + half])


def parse_point(option: str, text: str | None) -> tuple[float, float, float] | None:
    """A point such as "1,-2,0.5" of the command line."""
    if text is None:
        return None
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"{option} must be three numbers with commas between them, as in 1,-2,0.5, got {text!r}"
        ) from None
    return tuple(as_vector(option, (x, y, z)).tolist())  # pyright: ignore[reportReturnType]


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size of a picture (width, height) [pixels], or an `InputError`."""
    if min(size) < 16 or max(size) > 16384:
        raise InputError(f"size of a picture must be between 16 and 16384 pixels, got {size[0]} x {size[1]}")
    return size


def checked_target(path: str | Path, *endings: str) -> Path:
    """Path of a picture, or an `InputError`."""
    target = check_path("file of a picture", path)
    if target.suffix.lower() not in endings:
        raise InputError(f"file {str(target)!r} must end in {' or '.join(endings)}")
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
        raise MissingExtraError(f'films need the package {module}: install it with pip install "signorini[render]"')

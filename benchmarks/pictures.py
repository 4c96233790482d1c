"""Frames a second of the viewer with 20,000 vertices in headless Chromium (software GL), and the cost of stills and films."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from signorini.files.runs.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane, TrajectoryWriter
from signorini.geometry import shapes
from signorini.render.pictures import render_film, render_frame

FRAMES = 60


def waves(path: Path, cells: int) -> Trajectory:
    """A sheet that waves above the ground."""
    sheet = shapes.grid(1.0, 1.0, cells=cells)
    bodies = {"sheet": TrajectoryBody("sheet", "cloth", sheet.triangles, len(sheet.vertices))}
    ground = [TrajectoryPlane("floor", (0.0, 0.0, 1.0), 0.0)]
    writer = TrajectoryWriter.create(path / "trajectory.zarr", bodies, half_spaces=ground)
    x, y, _ = sheet.vertices.T
    for k in range(FRAMES):
        height = 0.3 + 0.05 * np.sin(9.0 * x + 0.2 * k) * np.cos(7.0 * y - 0.1 * k)
        writer.append(k / 60.0, {"sheet": np.column_stack([x, y, height])})
    (path / "steps.csv").touch()
    return Trajectory.open(path)


def cpu_seconds() -> float:
    """Of this process and of the encoders that it has ended [s]."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def viewer_rate(path: Path, size: tuple[int, int], query: str = "") -> float:
    """Frames that the viewer draws a second while it plays."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from signorini.viewer.recording import RunRecording
    from signorini.viewer.server import ViewerServer
    from support.chromium import Browser

    browser = Browser(*size)
    try:
        with ViewerServer(RunRecording(path)) as server:
            browser.open(server.url + query, until="viewer && viewer.drawn > 0")
            browser.click("#play")
            time.sleep(2.0)
            before, start = browser.evaluate("[viewer.drawn, performance.now()]")
            time.sleep(5.0)
            after, end = browser.evaluate("[viewer.drawn, performance.now()]")
            return 1e3 * (after - before) / (end - start)
    finally:
        browser.close()


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small", Path(folder) / "large"
        small.mkdir()
        large.mkdir()
        trajectory = waves(small, 49)
        render_frame(trajectory, 0, Path(folder) / "warm.png")
        start = cpu_seconds()
        render_frame(trajectory, -1, Path(folder) / "still.png")
        print(f"still, 1280 x 720, 2,500 vertices: {cpu_seconds() - start:.2f} CPU s")
        start = cpu_seconds()
        render_film(trajectory, Path(folder) / "film.mp4")
        print(f"film frame, 1280 x 720, 2,500 vertices: {(cpu_seconds() - start) / FRAMES:.3f} CPU s with encoder")
        count = waves(large, 141).bodies["sheet"].vertex_count
        for query in ("", "?plain"):
            rate = viewer_rate(large, (1280, 800), query)
            print(
                f"viewer, {count:,} vertices, 1280 x 800{' without antialiasing' if query else ''}: {rate:.1f} frames/s"
            )


if __name__ == "__main__":
    main()

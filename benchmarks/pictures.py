"""The viewer with 20,000 vertices in headless Chromium (software GL), and the cost of stills and films.

Frames a second say something on an idle machine only; the CPU time of a frame (all processes of the browser) also on a busy one.
"""

from __future__ import annotations

import os
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


def tree_seconds(root: int) -> float:
    """CPU time of a process and of all that it has started and that still run (Linux) [s]."""
    times, children = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        times[int(folder.name)] = int(fields[11]) + int(fields[12])
        children.setdefault(int(fields[1]), []).append(int(folder.name))
    total, todo = 0, [root]
    while todo:
        number = todo.pop()
        total += times.get(number, 0)
        todo += children.get(number, [])
    return total / os.sysconf("SC_CLK_TCK")


def viewer_rate(path: Path, size: tuple[int, int]) -> tuple[float, float, int]:
    """Frames that the viewer draws a second while it plays, the CPU time of one [s], and the level of less detail."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from signorini.viewer.recording import RunRecording
    from signorini.viewer.server import ViewerServer
    from support.chromium import Browser

    browser = Browser(*size)
    try:
        with ViewerServer(RunRecording(path)) as server:
            browser.open(server.url, until="viewer && viewer.drawn > 0")
            browser.click("#play")
            time.sleep(4.0)
            used, (before, start) = (
                tree_seconds(browser.process_id),
                browser.evaluate("[viewer.drawn, performance.now()]"),
            )
            time.sleep(5.0)
            used, (after, end) = (
                tree_seconds(browser.process_id) - used,
                browser.evaluate("[viewer.drawn, performance.now()]"),
            )
            return (
                1e3 * (after - before) / (end - start),
                used / (after - before),
                browser.evaluate("viewer.drawnLevel"),
            )
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
        for size in ((1280, 800), (1920, 1080)):
            rate, seconds, level = viewer_rate(large, size)
            what = f"viewer, {count:,} vertices, {size[0]} x {size[1]}, level {level} of less detail"
            print(f"{what}: {rate:.1f} frames/s, {1e3 * seconds:.1f} CPU ms a frame")


if __name__ == "__main__":
    main()

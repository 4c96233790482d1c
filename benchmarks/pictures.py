"""The viewer with 20,000 vertices in headless Chromium (software GL), and the cost of stills and films.

Frames a second say something on an idle machine only; the CPU time of a frame (all processes of the browser) also on a busy one.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from signorini.files.runs.trajectory import Trajectory, TrajectoryBody, TrajectoryPlane
from signorini.files.runs.trajectory_writer import TrajectoryWriter
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


def browser_seconds(root: int) -> dict[str, float]:
    """CPU time of the processes of a browser by their kind: gpu-process draws, renderer runs the page (Linux) [s]."""
    found: dict[int, tuple[int, int, str]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            kind = re.search(r"--type=([a-z-]+)", (folder / "cmdline").read_text())
        except OSError:
            continue  # it has ended
        found[int(folder.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]), kind[1] if kind else "main")
    total: dict[str, float] = {}
    for number, (_, ticks, kind) in found.items():
        above = number
        while above != root and above in found:
            above = found[above][0]
        if above == root:
            total[kind] = total.get(kind, 0.0) + ticks / os.sysconf("SC_CLK_TCK")
    return total


DRAW_ALL = """(async () => {
  viewer.level = LEVEL; viewer.touched = Infinity; // as if something moved
  const gl = viewer.renderer.gl, pixel = new Uint8Array(4), start = performance.now();
  for (let k = 0; k < viewer.times.length; k++) {
    viewer.stage(await viewer.cache.load(k), k);
    viewer.draw();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is drawn
  }
  return performance.now() - start;
})()"""


def viewer_costs(path: Path, size: tuple[int, int]) -> None:
    """Print the CPU time of a frame at each level of detail, and the frames a second of playing."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from signorini.viewer.recording import RunRecording
    from signorini.viewer.server import ViewerServer
    from support.chromium import Browser

    browser = Browser(*size)
    try:
        with ViewerServer(RunRecording(path)) as server:
            browser.open(server.url, until="viewer && viewer.drawn > 0")
            browser.evaluate(DRAW_ALL.replace("LEVEL", "0"))  # loads the frames
            for level in range(4):
                before = browser_seconds(browser.process_id)
                wall = browser.evaluate(DRAW_ALL.replace("LEVEL", str(level)))
                after = browser_seconds(browser.process_id)
                used = {kind: 1e3 * (after[kind] - before.get(kind, 0.0)) / FRAMES for kind in after}
                page, draw = used.get("renderer", 0.0), used.get("gpu-process", 0.0)
                print(
                    f"  level {level}: {page:.1f} ms page + {draw:.1f} ms drawing a frame (CPU), {wall / FRAMES:.1f} ms wall"
                )
            browser.evaluate("viewer.level = 0; viewer.touched = -Infinity; 0")
            browser.click("#play")
            time.sleep(4.0)
            drawn, start = browser.evaluate("[viewer.drawn, performance.now()]")
            time.sleep(5.0)
            after, end, level = browser.evaluate("[viewer.drawn, performance.now(), viewer.drawnLevel]")
            print(f"  played: {1e3 * (after - drawn) / (end - start):.1f} frames/s at level {level}")
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
            print(f"viewer, {count:,} vertices, window of {size[0]} x {size[1]}:")
            viewer_costs(large, size)


if __name__ == "__main__":
    main()

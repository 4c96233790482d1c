"""Trajectories of made-up motions, for tests of exports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from signorini.files.meshes.obj_file import read_obj
from signorini.files.runs.trajectory import TrajectoryBody
from signorini.files.runs.trajectory_writer import TrajectoryWriter
from signorini.geometry import shapes

FRAMES = 5
QUADS = """# two quads, a pentagon and a triangle; one texture seam; centimetres, y up
v 0 0 0
v 100 0 0
v 200 0 0
v 0 100 0
v 100 100 0
v 200 100 0
v 100 150 30
v 300 50 0
vt 0 0
vt 0.5 0
vt 1 0
vt 0 1
vt 0.5 1
vt 1 1
vt 0.25 0.75
o patch
f 1/1 2/2 5/5 4/4
f 2/7 3/3 6/6 5/5
f 4/4 5/5 7/7
f 3/3 8/2 6/6
"""


def quads_file(folder: Path) -> Path:
    """An OBJ file with quads, triangles and a texture seam, in centimetres with y up."""
    file = folder / "patch.obj"
    file.write_text(QUADS)
    return file


def stored_run(folder: Path) -> Path:
    """A run directory with a textured cloth of quads, a rigid ball that turns, a rod, and a box at rest."""
    raw = read_obj(quads_file(folder))
    ball, box = shapes.sphere(0.3, subdivisions=2), shapes.box(0.2, 0.2, 0.2)
    start = {
        "patch": raw.vertices * 0.01,
        "blue ball": ball.vertices + np.array([1.0, 0.0, 0.0]),
        "rope": np.column_stack([np.linspace(0, 1, 6), np.zeros(6), np.ones(6)]),
        "box": box.vertices,
    }
    edges = np.column_stack([np.arange(5), np.arange(1, 6)]).astype(np.int32)
    bodies = {
        "patch": TrajectoryBody("patch", "cloth", raw.triangles, len(raw.vertices), faces=raw.faces),
        "blue ball": TrajectoryBody("blue ball", "rigid", ball.triangles, len(ball.vertices)),
        "rope": TrajectoryBody("rope", "rod", np.zeros((0, 3), np.int32), 6, edges),
        "box": TrajectoryBody("box", "kinematic", box.triangles, len(box.vertices)),
    }
    out = folder / "run"
    out.mkdir()
    writer = TrajectoryWriter.create(out / "trajectory.zarr", bodies)
    random = np.random.default_rng(1)
    for k in range(FRAMES):
        turn = Rotation.from_rotvec([0.3 * k, 0.2 * k, 0.0]).as_matrix()
        writer.append(
            0.1 * k,
            {
                "patch": start["patch"] + 0.05 * k * random.normal(size=start["patch"].shape),
                "blue ball": start["blue ball"] @ turn.T + [0.0, 0.0, 0.1 * k],
                "rope": start["rope"] + 0.1 * k * random.normal(size=(6, 3)),
                "box": start["box"],
            },
        )
    return out

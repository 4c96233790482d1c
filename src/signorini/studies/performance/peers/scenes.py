"""The three scenes of the comparison, as arrays that every simulator reads.

S1: a sheet of 50 × 50 vertices hangs upright, tilted by 5 degrees with a slight ripple, 5 cm above the ground, and falls.
S2: 27 soft cubes of 0.1 m, 5 nodes along an edge, slightly turned, fall into an open box of 0.4 m × 0.4 m.
S3: a ball of 0.1 m and 1 kg falls on a sheet of 41 × 41 vertices that is pinned at its corners.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets

SECONDS = {"S1": 4.0, "S2": 2.0, "S3": 2.0}
"""Simulated time [s]."""
CLOTH = {"area_density": 0.2, "membrane": 1000.0, "thickness": 3.5e-4, "poisson": 0.3, "friction": 0.3}
"""kg/m², E h in N/m, m; the bending rigidity is that of a plate of this thickness, 1.1e-5 N m."""
SOLID = {"density": 1000.0, "young": 1e5, "poisson": 0.4, "friction": 0.4, "half_width": 0.2}
"""kg/m³, Pa; half the width of the box [m]."""
BALL = {"radius": 0.1, "mass": 1.0, "height": 1.3}
"""m, kg, and the height of its centre at the start [m]."""
Arrays = dict[str, NDArray]


def scene_arrays(name: str) -> Arrays:
    """Vertices at the start and at rest, elements, surface triangles and constants of a scene."""
    return {"S1": _falling_cloth, "S2": _soft_stack, "S3": _ball_on_cloth}[name]()


def write_scene(name: str, directory: Path, seconds: float = np.inf) -> Path:
    """The arrays of a scene in a file, and how long it is simulated: at most so many seconds."""
    path, simulated = directory / f"{name}.npz", np.array(min(SECONDS[name], seconds))
    np.savez(path, seconds=simulated, **scene_arrays(name))  # pyright: ignore[reportArgumentType]
    return path


def _constants(values: dict[str, float]) -> Arrays:
    return {name: np.array(value) for name, value in values.items()}


def _falling_cloth() -> Arrays:
    grid = shapes.grid(1.0, 1.0, cells=49)
    flat = np.array(grid.vertices)
    x = Rotation.from_euler("xy", [85.0, 3.0], degrees=True).apply(flat)
    x[:, 1] += 0.002 * np.sin(4.0 * np.pi * flat[:, 0]) * np.cos(np.pi * flat[:, 1])
    x[:, 2] += 0.05 - x[:, 2].min()
    return {"x": x, "rest": flat, "triangles": np.array(grid.triangles), **_constants(CLOTH)}


def _soft_stack() -> Arrays:
    cube, random, x = box_tets(0.1, 0.1, 0.1, cells=4), np.random.default_rng(7), []
    for level in range(3):
        for row in range(3):
            for column in range(3):
                turn = Rotation.from_rotvec(random.normal(size=3) * 0.05).as_matrix()
                centre = np.array([(column - 1) * 0.125, (row - 1) * 0.125, 0.08 + 0.125 * level])
                centre[:2] += random.uniform(-0.002, 0.002, 2)
                x.append(np.array(cube.vertices) @ turn.T + centre)
    nodes, count = len(cube.vertices), len(x)
    mesh, of_surface = cube.surface()
    surface = np.array(of_surface)[np.array(mesh.triangles)]
    triangles = np.concatenate([surface + nodes * k for k in range(count)])
    return {
        "x": np.concatenate(x),
        "rest": np.array(cube.vertices),
        "tets": np.array(cube.tetrahedra),
        "surface": surface,
        "triangles": triangles,
        "bodies": np.array(count),
        **_constants(SOLID),
    }


def _ball_on_cloth() -> Arrays:
    grid = shapes.grid(1.0, 1.0, cells=40)
    x = np.array(grid.vertices)
    corners = [int(np.argmin(((x[:, :2] - corner) ** 2).sum(axis=1))) for corner in _CORNERS]
    x[:, 2] += 1.0
    ball = {f"ball_{name}": value for name, value in _constants(BALL).items()}
    return {
        "x": x, "rest": x, "triangles": np.array(grid.triangles), "pins": np.array(corners), **_constants(CLOTH), **ball,
    }  # fmt: skip


_CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)])

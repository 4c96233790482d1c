"""Tubes around lone edges: on the surface of the right cylinder, with normals outward, and seen in a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.geometry.triangles import area_vectors
from signorini.render.tubes import SIDES, DrawnTubes


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, -2, 0), (0, 0, 3), (1, 2, -0.5)])
def test_a_tube_is_a_cylinder_about_its_edge(direction: tuple[float, float, float]) -> None:
    points = np.array([[0.3, -0.2, 0.5], [0.0, 0.0, 0.0]])
    points[1] = points[0] + direction
    tubes = DrawnTubes(np.array([[0, 1]], np.int32), 0.05)
    placed, normals = tubes.place(points)
    axis = np.array(direction) / np.linalg.norm(direction)
    away = placed - points[0] - ((placed - points[0]) @ axis)[:, None] * axis
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), 0.05)
    np.testing.assert_allclose(away / 0.05, normals, atol=1e-12)
    outward = area_vectors(placed, tubes.triangles)
    middle = normals[tubes.triangles].mean(axis=1)
    assert ((outward * middle).sum(axis=1) > 0.0).all()
    assert len(tubes.triangles) == 2 * SIDES


def test_rods_are_drawn_and_exported(tmp_path: Path) -> None:
    from PIL import Image

    from signorini.render.pictures import render_frame

    scene = sg.Scene()
    scene.add_rod([[0, 0, 0], [1, 0, 0], [1, 1, 0]], position=(0, 0, 0.5), name="rope")
    sg.run(scene, tmp_path / "run", seconds=0.02, dt=4e-3)
    picture = render_frame(sg.Trajectory.open(tmp_path / "run"), -1, tmp_path / "picture.png", size=(160, 120))
    pixels = np.asarray(Image.open(picture).convert("RGB"), dtype=float)
    assert (np.abs(pixels - pixels[0, 0]).max(axis=2) > 40).sum() > 50
    first, *_ = sg.export(tmp_path / "run", tmp_path / "frames.obj")
    assert first.read_text().splitlines()[-2:] == ["l 1 2", "l 2 3"]

"""The example with texture coordinates: its mesh has a seam, and its two pictures differ on the cloth only."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
from PIL import Image

import signorini as sg

FILE = Path(__file__).parents[2] / "examples/pictures/texture_coordinates.py"


def test_texture_coordinates_change_the_cloth_only(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(FILE))["main"](seconds=0.02, size=(320, 180))
    assert capsys.readouterr().out.split() == ["with-uv.png", "without-uv.png"]
    mesh = sg.load_mesh(tmp_path / "tablecloth.obj", unit="cm", up="y")
    assert mesh.faces is not None and mesh.faces.has_uv and len(mesh.faces.uv) > len(mesh.vertices), "it has a seam"
    with_uv, without = (np.asarray(Image.open(f"{name}.png")).astype(float) for name in ("with-uv", "without-uv"))
    red = with_uv[..., 0] > 1.5 * with_uv[..., 1]
    different = np.abs(with_uv - without).max(axis=2) > 8.0
    assert different[red].mean() > 0.2 and not different[~red].any()

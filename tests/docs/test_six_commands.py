"""The README's way from two OBJ files (centimetres, y up, quads, UVs) to a film and a Blender file, run as it stands there."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.files.meshes.obj_file import read_obj

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    """The commands under the heading, a here-document with its lines; the first one installs."""
    (block,) = re.findall(r"<!-- six commands: .*?-->\n```sh\n(.*?)```", README, flags=re.DOTALL)
    return re.findall(r"^cat (?s:.*?)^END$|^.+$", block, flags=re.MULTILINE)


def quad_grid(cells: int, size: float, height: float) -> str:
    """A square of quads with UVs, centimetres, y up."""
    rows = range(cells + 1)
    lines = [
        f"v {size * (i / cells - 0.5):.6f} {height:.6f} {size * (0.5 - j / cells):.6f}" for j in rows for i in rows
    ]
    lines += [f"vt {i / cells:.6f} {j / cells:.6f}" for j in rows for i in rows]
    for j in range(cells):
        for i in range(cells):
            corners = [
                j * (cells + 1) + i + 1,
                j * (cells + 1) + i + 2,
                (j + 1) * (cells + 1) + i + 2,
                (j + 1) * (cells + 1) + i + 1,
            ]
            lines.append("f " + " ".join(f"{corner}/{corner}" for corner in corners))
    return "\n".join(lines) + "\n"


def quad_box(width: float, low: float, high: float) -> str:
    """A box of six quads, centimetres, y up."""
    corners = [(x, y, z) for x in (-1, 1) for y in (low, high) for z in (-1, 1)]
    lines = [f"v {0.5 * width * x} {y} {0.5 * width * z}" for x, y, z in corners]
    faces = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
    return "\n".join([*lines, *(f"f {' '.join(map(str, face))}" for face in faces)]) + "\n"


def test_from_two_obj_files_to_a_film_and_a_blender_file(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    install, *rest = commands()
    assert install.startswith("pip install") and len(rest) <= 5
    (tmp_path / "cloth.obj").write_text(quad_grid(10, 80.0, 50.0))
    (tmp_path / "table.obj").write_text(quad_box(40.0, 5.0, 48.0))
    monkeypatch.chdir(tmp_path)
    for command in rest:
        short = command.replace("seconds = 1.0", "seconds = 0.1")
        program, *arguments = shlex.split(short.partition("<<")[0])
        if program == "signorini":  # in this process: starting Python four times takes longer than the simulation
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, f"{short}\n{result.output}"
        else:
            subprocess.run(short, shell=True, check=True)
    assert (tmp_path / "runs/mine/film.mp4").stat().st_size > 5_000
    source, stage = read_obj(tmp_path / "cloth.obj"), Usd.Stage.Open(str(tmp_path / "mine.usdc"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/cloth"))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == pytest.approx(0.01)
    assert (stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (30.0, 1.0, 4.0)
    assert set(mesh.GetFaceVertexCountsAttr().Get()) == {4}
    np.testing.assert_array_equal(mesh.GetFaceVertexIndicesAttr().Get(), source.faces.corners)
    np.testing.assert_allclose(np.array(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st").Get()), source.faces.uv, atol=1e-6)
    first, last = (np.array(mesh.GetPointsAttr().Get(time)) for time in (1, 4))
    np.testing.assert_allclose(first, source.vertices, atol=1e-4)
    hanging = np.abs(source.vertices[:, 0]) > 30.0
    assert (last[hanging, 1] < source.vertices[hanging, 1] - 1.0).all()
    assert last[:, 1].min() > 40.0 and sg.Trajectory.open(tmp_path / "runs/mine").frame_count == 4

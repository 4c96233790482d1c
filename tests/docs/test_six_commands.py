"""The README's way from two OBJ files (centimetres, y up, quads, UVs) to a film and a Blender file, run as it stands there."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.files.meshes.obj_file import read_obj
from support.six_commands import commands, write_meshes


def test_from_two_obj_files_to_a_film_and_a_blender_file(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    install, *rest = commands()
    assert install.startswith("pip install") and len(rest) <= 5
    write_meshes(tmp_path)
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

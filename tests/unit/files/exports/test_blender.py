"""Exports as Blender shows them: needs a Python with Blender's module bpy, named by SIGNORINI_BLENDER_PYTHON."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from signorini.files.exports.export import export
from signorini.files.runs.trajectory import Trajectory
from support.stored_runs import FRAMES, stored_run

SCRIPT = Path(__file__).parents[3] / "support/blender_import.py"
PYTHON = os.environ.get("SIGNORINI_BLENDER_PYTHON", "")


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="needs SIGNORINI_BLENDER_PYTHON, a Python with bpy")
def test_blender_shows_every_frame_where_it_is(tmp_path: Path) -> None:
    run = stored_run(tmp_path)
    export(run, tmp_path / "run.usdc")
    for ending in ("pc2", "mdd"):
        export(run, tmp_path / f"patch.{ending}", bodies=["patch"], up="y", scale=100)
    arguments = [PYTHON, str(SCRIPT), str(tmp_path), "patch", str(FRAMES)]
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    subprocess.run(arguments, check=True, capture_output=True, env=clean)
    found, trajectory = json.loads((tmp_path / "found.json").read_text()), Trajectory.open(run)
    for ending, unit in (("usdc", 1.0), ("pc2", 0.01), ("mdd", 0.01)):
        for k, shown in enumerate(found[ending]):
            points = unit * np.array(shown["points"])
            np.testing.assert_allclose(points, trajectory.positions("patch", k), atol=1e-6, err_msg=f"{ending} {k}")
            assert shown["sizes"] == [4, 4, 3, 3] and len(shown["uv"]) == 1

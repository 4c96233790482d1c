"""Films of subdivided cloth: the refined surface intersects in no frame (ipctk), though it is far from the flat one."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from reference.refined_check import RefinedCheck
from signorini.gallery import SCENES


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seconds"), [("falling-cloth", 4.0), ("dancer", 1.0)])
def test_the_refined_surface_never_intersects(tmp_path, name: str, seconds: float) -> None:
    scene = SCENES[name]
    sg.run(scene.build(), tmp_path / "run", dt=scene.dt, seconds=seconds, fps=30)
    check = RefinedCheck(sg.Trajectory.open(tmp_path / "run"))
    frames = range(check.trajectory.frame_count)
    assert [k for k in frames if check.intersects(k)] == []
    part = next(iter(check.refined.parts))
    last = check.trajectory.frame_count - 1
    smooth = check.placed(last)[part]
    moved = np.linalg.norm(smooth - check.refined.parts[part].flat @ check.trajectory.positions(part, last), axis=1)
    assert np.median(moved) > 1e-5, "it is smoother than the mesh"

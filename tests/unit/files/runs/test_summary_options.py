"""What a run was made with stands in its summary, and its fields in its trajectory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app


def summary_of(out: Path, *arguments: str) -> dict:
    result = CliRunner().invoke(app, ["run", *arguments, "-o", str(out), "--quiet"])
    assert result.exit_code == 0, result.output
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))


def test_all_options_of_a_built_in_scene_are_in_its_summary(tmp_path: Path) -> None:
    given = ("--resolution", "6", "--friction", "0.45", "--stiffness", "1.5", "--set", "sleep=false")
    found = summary_of(tmp_path / "drape", "drape", "--seconds", "0.01", *given)
    assert found["options"]["resolution"] == 6 and found["options"]["friction"] == 0.45
    assert found["options"]["stiffness"] == 1.5
    assert found["settings"]["sleep"] is False and found["settings"]["method"] == "cmr"
    assert found["recorded"] is False
    again = sg.resume(tmp_path / "drape", seconds=0.02)
    assert again["options"] == found["options"] and again["settings"] == found["settings"]


def test_fields_on_request_are_arrays_of_the_trajectory(tmp_path: Path) -> None:
    scene = sg.Scene()
    tets = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=2)
    scene.add_soft_solid(tets, young=1e5, poisson=0.3, density=1e3, position=(0, 0, 0.051), name="block")
    scene.add_cloth(sg.shapes.grid(0.1, 0.1, cells=2), position=(0, 0, 0.2), name="sheet")
    scene.add_ground(name="floor")
    sg.save_scene(tmp_path / "scene.toml", scene, dt=5e-3, seconds=0.05, fps=40)
    found = summary_of(tmp_path / "run", str(tmp_path / "scene.toml"), "--fields", "--friction", "0.7")
    assert found["options"] == {"friction": 0.7}
    trajectory = sg.Trajectory.open(tmp_path / "run")
    assert trajectory.has_fields and not trajectory.has_contacts
    names = trajectory.field_names("block")
    assert {"contact_force", "pressure", "stress", "strain"} <= set(names["vertices"])
    assert set(names["elements"]) == {"stress", "von_mises", "principal_stretches", "volume_ratio", "energy"}
    assert {"tension", "principal_tensions"} <= set(trajectory.field_names("sheet")["elements"])
    sim = sg.Simulation(sg.load_scene(tmp_path / "run" / "scene.toml").scene, dt=5e-3)
    for _ in range(10):
        sim.step()
    state = sim.solid_state("block")
    np.testing.assert_allclose(
        trajectory.field("block", "stress", -1, on="elements"), state.stress, rtol=1e-5, atol=1e-2
    )
    np.testing.assert_array_equal(trajectory.tetrahedra("block"), state.tetrahedra)
    force = trajectory.field("block", "contact_force", -1).sum(axis=0)
    np.testing.assert_allclose(force, sim.contact_force("block"), rtol=1e-4, atol=1e-4)

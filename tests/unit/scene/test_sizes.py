"""Sizes and masses of bodies, by closed forms, and where users see them."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

import signorini as sg
from signorini.cli.main import app
from signorini.scene.sizes import body_sizes


def scene() -> sg.Scene:
    made = sg.Scene(name="kinds")
    made.add_cloth(sg.shapes.grid(1.0, 2.0, cells=4), area_density=0.2, name="sheet", rotation=(0, math.pi / 2, 0))
    made.add_rigid(sg.shapes.box(0.1, 0.2, 0.3), density=1000.0, name="brick", position=(5, 0, 0))
    made.add_soft_solid(
        sg.shapes.box_tets(0.1, 0.1, 0.1, cells=(2, 2, 2)), density=500.0, name="jelly", position=(0, 5, 0)
    )
    made.add_rod([[0, 0, 3], [0.5, 0, 3], [1, 0, 3]], linear_density=0.1, name="rope")
    made.add_kinematic(sg.shapes.sphere(0.25, subdivisions=4), name="ball", position=(0, 0, 9))
    made.add_ground(height=-9)
    return made


def test_sizes_and_masses() -> None:
    found = {size.name: size for size in body_sizes(scene().bodies)}
    assert list(found) == ["sheet", "brick", "jelly", "rope", "ball"]
    masses = {"sheet": 0.4, "brick": 6.0, "jelly": 0.5, "rope": 0.1, "ball": None}
    for name, mass in masses.items():
        assert found[name].mass == (None if mass is None else pytest.approx(mass, rel=1e-12))
    assert found["sheet"].size == pytest.approx((0.0, 2.0, 1.0), abs=1e-12)
    assert found["brick"].size == pytest.approx((0.1, 0.2, 0.3))
    assert found["rope"].size == pytest.approx((1.0, 0.0, 0.0)) and found["rope"].triangles == 0
    assert found["brick"].mass_text == "6 kg" and found["sheet"].mass_text == "400 g" and found["ball"].mass_text == ""
    assert found["brick"].size_text == "0.1 × 0.2 × 0.3 m"


def test_the_summary_of_a_run_lists_them(tmp_path) -> None:
    sg.save_scene(tmp_path / "scene.toml", scene(), seconds=0.01, dt=0.005, fps=100)
    result = CliRunner().invoke(app, ["run", str(tmp_path / "scene.toml"), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    printed = " ".join(result.stdout.split())
    assert "sheet" in printed and "400 g" in printed and "6 kg" in printed
    assert "jelly: locking-free, because Poisson's ratio 0.47 is above 0.45" in printed
    bodies = json.loads((tmp_path / "out/summary.json").read_text())["bodies"]
    assert [body["name"] for body in bodies] == ["sheet", "brick", "jelly", "rope", "ball"]
    assert bodies[2]["elements"] == "locking-free, because Poisson's ratio 0.47 is above 0.45"
    assert bodies[1] == {
        "name": "brick", "kind": "rigid", "vertices": 8, "triangles": 12, "size": pytest.approx([0.1, 0.2, 0.3]),
        "mass": pytest.approx(6.0),
    }  # fmt: skip

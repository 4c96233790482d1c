"""What docs/bodies.md shows runs when it is typed from top to bottom, and its table of materials is that of the code."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import numpy as np

import signorini as sg
from signorini.scene.cloth_material import PRESETS, ClothMaterial

PAGE = Path(__file__).parents[2] / "docs/bodies.md"


def test_the_examples_run_one_after_the_other(capsys):
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, "bodies.md", "exec"), names)
    assert "0.2" in capsys.readouterr().out
    assert sg.Simulation(names["ropes"]).step().max_speed > 0
    sim = names["sim"]
    assert sim.intersections() == 0
    assert np.isfinite(sim.pin_force("sheet")).all()
    view = sim.bodies["weight"]
    assert view.pose.shape == (4, 4)
    assert view.rotation.shape == view.velocity.shape == view.angular_velocity.shape == (3,)
    assert sim.contact_torque("ball").shape == (3,)
    assert len(sim.contact_pressure("ball")) == len(sim.bodies["ball"].positions)


def test_the_table_of_cloth_materials_is_that_of_the_presets():
    text = PAGE.read_text(encoding="utf-8").split("## Materials of cloth\n")[1].split("\n## ")[0]
    head, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*", text, re.M)
    )
    assert head[2:] == list(PRESETS)
    shown: dict[str, dict[str, float | None]] = {name: {} for name in PRESETS}
    for row in rows:
        field = re.match(r"`(\w+)`", row[0])
        assert field, row
        for name, value in zip(PRESETS, row[2:], strict=True):
            shown[name][field[1]] = None if value == "–" else float(value)
    usual = asdict(
        ClothMaterial(membrane_stiffness=1.0, bending_rigidity=1.0, damping_time=1.0, bending_damping_time=1.0)
    )
    for name, material in PRESETS.items():
        given = asdict(material)
        assert shown[name] == {field: given[field] for field in shown[name]}
        # What the table leaves out, the presets leave at its default.
        assert all(given[field] == usual[field] for field in given if field not in shown[name])

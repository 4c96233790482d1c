"""What docs/bodies.md shows runs when it is typed from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import signorini as sg

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

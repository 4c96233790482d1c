"""The independent energy balance of rigid bodies closes where the motion follows the forces, and is open where it does not."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from reference.energy_audit import EnergyAudit


def pushed_box() -> sg.Simulation:
    """A box of 1 kg on the ground with friction, pushed by a scripted one at 0.5 m/s."""
    scene = sg.Scene(friction=0.3)
    scene.add_ground()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1000, position=(0, 0, 0.051), name="box")
    slow = sg.motions.Translate(velocity=(0.5, 0, 0))
    scene.add_kinematic(sg.shapes.box(0.1, 0.1, 0.1), position=(-0.11, 0, 0.06), motion=slow, name="pusher")
    return sg.Simulation(scene, dt=4e-3)


def test_the_balance_of_a_pushed_box_closes() -> None:
    """The script does m v² at the impact, of which a half is lost, and then works against friction of 0.3 · 9.81 N."""
    sim = pushed_box()
    audit = EnergyAudit(sim)
    for _ in range(100):
        sim.step()
        audit.after_step()
    way = float(sim.bodies["box"].positions[:, 0].mean())
    assert way > 0.15
    assert audit.friction_loss == pytest.approx(0.3 * 9.81 * way, rel=0.01)
    assert audit.script_work == pytest.approx(audit.friction_loss + 0.5**2, rel=0.01)
    assert audit.impact_loss == pytest.approx(
        0.5 * 0.5**2 + 9.81e-3, rel=0.01
    )  # of the pusher, and of the fall from 1 mm
    assert max(map(abs, audit.errors)) < 1e-6 * audit.scale
    assert audit.growth < 1e-6 * audit.scale


def test_what_no_force_explains_leaves_it_open() -> None:
    sim = pushed_box()
    audit = EnergyAudit(sim)
    for step in range(40):
        if step == 30:
            sim.bodies["box"].velocity = sim.bodies["box"].velocity + np.array([0.0, 0.2, 0.0])
        sim.step()
        audit.after_step()
    assert np.abs(audit.errors[:30]).max() < 1e-6 * audit.scale
    assert audit.errors[-1] == pytest.approx(0.5 * 0.2**2, rel=0.05)
    assert audit.errors[-1] > 0.01 * audit.scale


def test_it_refuses_what_it_does_not_know() -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(1, 1, cells=2))
    with pytest.raises(ValueError, match="knows rigid bodies"):
        EnergyAudit(sg.Simulation(scene))

"""Contact pressure over the area that is in contact."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.studies.validation.cases.weights import PLATE, pressed_block, pressure_below


@pytest.mark.parametrize("cells", [(4, 4, 4), (3, 5, 4)])
def test_pressure_under_a_flat_block_is_uniform_over_all_vertices_of_the_face(cells: tuple[int, int, int]) -> None:
    """A soft block without Poisson's effect under a heavy plate: p = F / A at inner vertices, edges and corners alike.

    Measured: within 0.3 %.
    """
    sim = pressed_block(cells)
    z, pressure = sim.bodies["block"].positions[:, 2], sim.contact_pressure("block")
    assert sim.contact_force("block", by="floor")[2] / 0.01 == pytest.approx(PLATE, rel=1e-3)
    assert len(pressure_below(sim)) == (cells[0] + 1) * (cells[1] + 1)
    np.testing.assert_allclose(pressure_below(sim), PLATE, rtol=0.02)
    between = (z > z.min() + 1e-3) & (z < z.max() - 1e-3)
    assert not pressure[between].any()


def test_normal_force_and_friction_of_each_pair() -> None:
    """A box on a slope of 20° by gravity that leans: friction holds m g sin, the slope presses m g cos; pairs are opposite."""
    angle = np.radians(20.0)
    g = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    scene = sg.Scene(gravity=tuple(g), friction=0.6)
    scene.add_rigid(sg.shapes.box(0.2, 0.2, 0.1), density=500, position=(0, 0, 0.052), name="box")
    scene.add_ground(name="floor")
    sim = sg.Simulation(scene, dt=5e-3)
    assert sim.pair_forces() == [] and sim.pair_force("box", "floor").contacts == 0
    for _ in range(60):
        sim.step()
    (pair,) = sim.pair_forces()
    weight = 500 * 0.2 * 0.2 * 0.1 * 9.81
    on_box = pair.on("box")
    np.testing.assert_allclose(on_box.normal, [0, 0, weight * np.cos(angle)], atol=1e-3 * weight)
    np.testing.assert_allclose(on_box.friction, [-weight * np.sin(angle), 0, 0], atol=1e-3 * weight)
    assert on_box.pressing == pytest.approx(on_box.normal[2]) and 0 < on_box.sticking <= on_box.contacts
    np.testing.assert_array_equal(sim.pair_force("floor", "box").total, -on_box.total)
    np.testing.assert_allclose(sim.contact_force("box", by="floor"), sim.contact_force("box"), atol=1e-12)

"""What files and viewers read of a moment: forces that balance, and strains and stresses with closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini.geometry.triangles import vertex_means
from signorini.simulation.frame_readout import frame_readout
from signorini.simulation.strain import triangle_strain


@pytest.fixture(scope="module")
def resting() -> sg.Simulation:
    """A soft block that is stretched to 1.1 times its length, and a sheet at rest on the ground."""
    scene = sg.Scene(friction=0.5)
    block = sg.shapes.box_tets(0.1, 0.1, 0.1, cells=(2, 2, 2))
    stuff = {"young": 1e4, "poisson": 0.3, "density": 1e3, "model": "corotational"}
    scene.add_soft_solid(block, **stuff, position=(0.5, 0, 0.3), name="block")
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), area_density=0.5, position=(0, 0, 0.003), name="sheet")
    scene.add_ground(name="floor")
    return sg.Simulation(scene, dt=4e-3)


def test_there_are_no_contacts_before_the_first_step(resting: sg.Simulation) -> None:
    assert len(frame_readout(resting)) == 0


@pytest.mark.parametrize("factor", [1.2, 0.7])
def test_strain_and_stress_of_a_stretched_block(resting: sg.Simulation, factor: float) -> None:
    """A turned block of small Poisson's ratio: P = 2 μ (F − I) + λ tr(F − I) I along its own axes."""
    view = resting.bodies["block"]
    before = view.node_positions
    turn = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
    view.node_positions = ((before - before.mean(0)) * [factor, 1.0, 1.0]) @ turn.T + [0.5, 0, 0.5]
    found = frame_readout(resting)
    view.node_positions = before
    np.testing.assert_allclose(found.fields["strain"]["block"], factor - 1.0, rtol=1e-5)
    mu, e = 1e4 / 2.6, factor - 1.0
    lam = 1e4 * 0.3 / (1.3 * 0.4)
    P = np.diag([2.0 * mu * e + lam * e, lam * e, lam * e])
    sigma = P @ np.diag([factor, 1.0, 1.0]) / factor
    deviator = sigma - np.trace(sigma) / 3.0 * np.eye(3)
    mises = np.sqrt(1.5 * np.sum(deviator**2))
    np.testing.assert_allclose(found.fields["stress"]["block"], mises, rtol=1e-4)
    np.testing.assert_allclose(found.fields["strain"]["sheet"], 0.0, atol=1e-7)


def test_strain_of_a_turned_triangle_is_that_of_its_stretches() -> None:
    rest = np.array([[0.0, 0, 0], [1, 0, 0], [0.2, 0.9, 0]])
    corners = np.array([[0, 1, 2]])
    turn = Rotation.from_rotvec([1.0, 2.0, -0.5]).as_matrix()
    for stretch, strain in (((1.3, 0.9, 1.0), 0.3), ((1.05, 0.6, 1.0), -0.4)):
        now = (rest * stretch) @ turn.T + 3.0
        assert triangle_strain(rest, now, corners) == pytest.approx([strain])


def test_means_at_vertices() -> None:
    found = vertex_means(np.array([1.0, 3.0]), np.array([[0, 1, 2], [2, 1, 3]]), 5)
    np.testing.assert_allclose(found, [1.0, 2.0, 2.0, 3.0, 0.0])


def test_forces_of_a_sheet_at_rest_carry_its_weight(resting: sg.Simulation) -> None:
    for _ in range(60):
        resting.step()
    found = frame_readout(resting)
    on_sheet = np.array([found.names[a] == "sheet" for a, _ in found.bodies])
    assert on_sheet.any() and {found.names[b] for _, b in found.bodies[on_sheet]} == {"floor"}
    total = found.forces[on_sheet].sum(axis=0)
    np.testing.assert_allclose(total, resting.contact_force("sheet"), atol=1e-12)
    assert total[2] == pytest.approx(0.5 * 0.04 * 9.81, rel=1e-3)
    assert found.sticks[on_sheet].all()
    assert len(found) == len(resting.contacts())
    np.testing.assert_allclose(found.normals[on_sheet], np.tile([0.0, 0, 1], (on_sheet.sum(), 1)))
    assert np.abs(found.points[on_sheet][:, :2]).max() <= 0.1 + 1e-9
    np.testing.assert_array_equal(found.fields["pressure"]["sheet"], resting.contact_pressure("sheet").astype("f4"))

"""Stress and tension from nodal forces, against the laws themselves and against naive sums."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.geometry.triangles import triangle_areas
from signorini.scene.solids.solid_elements import memberships
from signorini.simulation.contact_area import contact_areas
from signorini.simulation.material.element_stress import parts_of_body
from signorini.simulation.readout import constraint_forces


def warped(points: np.ndarray) -> np.ndarray:
    """A smooth, large deformation with rotation [m]."""
    x, y, z = points.T
    bent = np.column_stack([1.2 * x + 0.8 * y * z, y - 0.3 * x + x * x, z + 0.5 * x * y])
    return bent + np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("law", ["corotational", "neo-hookean"])
def test_cauchy_s_stress_is_the_derivative_of_the_energy(law: str) -> None:
    """An affine motion x + h G x changes the energy of an element of volume v by h v σ : G, by central differences."""
    scene, tets = sg.Scene(gravity=(0, 0, 0)), sg.shapes.box_tets(0.2, 0.1, 0.1, cells=(2, 1, 1))
    scene.add_soft_solid(tets, young=1e4, poisson=0.3, density=1e3, model=law, name="block")
    sim = sg.Simulation(scene, dt=1e-3)
    body, x, h = sim.bodies["block"], warped(tets.vertices), 1e-6
    body.node_positions = x
    found = sim.solid_state("block")
    volume = found.volume_ratio * found.rest_volume
    for i in range(3):
        for j in range(3):
            G = np.zeros((3, 3))
            G[i, j] = h
            energies = []
            for sign in (1.0, -1.0):
                body.node_positions = x + sign * x @ G.T
                energies.append(sim.solid_state("block").energy)
            change = (energies[0] - energies[1]) / (2.0 * h)
            np.testing.assert_allclose(
                change, volume * found.stress[:, i, j], rtol=1e-5, atol=1e-6 * np.abs(change).max()
            )
    assert repr(found).startswith(f"SolidState of {len(found)} tetrahedra: von Mises up to")


def test_tetrahedra_of_locking_free_solids_share_their_patches_by_volume() -> None:
    """Naive: a tetrahedron stands with a sixth in the patch of each of its edges, and in one group; nothing is left over."""
    scene = sg.Scene(gravity=(0, 0, 0))
    stuff = {"young": 1e4, "poisson": 0.49, "density": 1e3}
    scene.add_soft_solid(sg.shapes.box_tets(0.1, 0.1, 0.1, cells=1), **stuff, position=(1, 0, 0), name="other")
    solid = scene.add_soft_solid(sg.shapes.box_tets(0.3, 0.1, 0.2, cells=(3, 2, 2)), **stuff, name="block")
    sim, members = sg.Simulation(scene, dt=1e-3), memberships(solid.tets, solid.material)
    slot, corners, volumes = sim._world.model.bodies["block"], solid.tets.tetrahedra, solid.tets.volumes()
    sets = {s.nodes.shape[1]: s for s, _ in parts_of_body(sim._world, sim.state, slot.number)}
    assert sets.keys() == members.keys() and len(sets) > 2
    at_edges, in_groups = np.zeros(len(corners), int), np.zeros(len(corners), int)
    for width, (element, tetrahedron, weight) in members.items():
        held = np.bincount(element, weights=weight * volumes[tetrahedron], minlength=len(sets[width]))
        np.testing.assert_allclose(held, sets[width].volume)  # pyright: ignore[reportAttributeAccessIssue]
        for e, t in zip(element, tetrahedron, strict=True):
            assert set(corners[t]) <= set(sets[width].nodes[e] - slot.first_node)
        np.add.at(at_edges, tetrahedron[(weight > 0.1) & (weight < 0.2)], 1)
        np.add.at(in_groups, tetrahedron[weight == 1.0], 1)
    assert (at_edges == 6).all() and (in_groups == 1).all()


@pytest.mark.parametrize("law", ["corotational", "stable-neo-hookean"])
def test_stress_of_a_locking_free_solid_has_the_pressure_of_its_groups(law: str) -> None:
    """In a uniform deformation all elements agree with linear tetrahedra; in any other the energies add up to the solid's."""
    tets = sg.shapes.box_tets(0.3, 0.1, 0.2, cells=(3, 2, 2))
    states = {}
    for element in ("tetrahedra", "locking-free"):
        scene = sg.Scene(gravity=(0, 0, 0))
        stuff = {"young": 1e4, "poisson": 0.48, "density": 1e3, "model": law, "element": element}
        scene.add_soft_solid(tets, **stuff, name="block")
        sim = sg.Simulation(scene, dt=1e-3)
        sim.bodies["block"].node_positions = tets.vertices @ np.array([[1.2, 0.1, 0], [0, 0.9, 0.2], [0.1, 0, 0.97]]).T
        states[element] = sim.solid_state("block")
        sim.bodies["block"].node_positions = warped(tets.vertices)
        energy = sim.solid_state("block").energy
        assert energy.sum() == pytest.approx(sim._moment.energies(sim._world.model).elastic, rel=1e-9)
    plain, free = states["tetrahedra"], states["locking-free"]
    assert np.abs(plain.pressure).min() > 1e3
    np.testing.assert_allclose(free.stress, plain.stress, rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(free.energy, plain.energy, rtol=1e-9)
    np.testing.assert_allclose(free.rest_volume, tets.volumes())


def test_tension_of_a_sheet_that_is_stretched_along_its_threads() -> None:
    """Uniform stretch: every triangle carries the same tension, and a cut through the sheet carries the force of the pins."""
    scene = sg.Scene(gravity=(0, 0, 0))
    mesh = sg.shapes.grid(0.4, 0.2, cells=(16, 8))
    sheet = scene.add_cloth(mesh, area_density=0.2, name="sheet")
    x = mesh.vertices[:, 0]
    left, right = np.flatnonzero(x < x.min() + 1e-9), np.flatnonzero(x > x.max() - 1e-9)
    sheet.pin(left)
    sheet.pin(right, motion=lambda points, time: points + np.array([0.008 * min(time / 0.5, 1.0), 0, 0]))
    sim = sg.Simulation(scene, dt=0.05)
    for _ in range(60):
        sim.step()
    found = sim.cloth_state("sheet")
    middle = np.abs(mesh.vertices[mesh.triangles].mean(axis=1)[:, 0]) < 0.1
    # Σ over a strip of area × tension / its length is the force through it, which the pins of either end hold.
    x = sim.bodies["sheet"].positions
    areas = triangle_areas(x, mesh.triangles)
    strip = np.ptp(x[np.unique(mesh.triangles[middle])][:, 0])
    through = float((areas * found.tension[:, 0, 0])[middle].sum()) / strip
    assert through == pytest.approx(sim_pin_force(sim, right), rel=0.02)
    assert found.principal_stretches[middle, 0] == pytest.approx(1.02, rel=2e-3)
    np.testing.assert_allclose(found.principal_tensions[middle, 0], found.tension[middle, 0, 0], rtol=1e-2)


def sim_pin_force(sim: sg.Simulation, nodes: np.ndarray) -> float:
    """The pull [N] along x of the pins of some nodes."""
    assert sim._solved is not None
    return float(constraint_forces(sim._world.model, sim._solved)[nodes, 0].sum())


def test_the_area_of_an_edge_counts_only_faces_that_are_pressed() -> None:
    """A box that is pressed from below, and one that is pressed from below and from the side; naive: a third of each face."""
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(1.0, 1.0, 1.0), density=1.0, position=(0, 0, 1), name="box")
    sim = sg.Simulation(scene, dt=1e-3)
    slot, x = sim._world.model.bodies["box"], sim.bodies["box"].positions
    below = np.flatnonzero(x[:, 2] < 0.6)
    up = np.tile([0.0, 0.0, 1.0], (len(below), 1))
    area = contact_areas(slot, x, below, np.ones(len(below)), up)
    assert area.sum() == pytest.approx(1.0) and not area[np.setdiff1d(np.arange(len(x)), below)].any()
    right = np.flatnonzero(x[:, 0] > 0.4)
    both = np.concatenate([below, right])
    push = np.concatenate([up, np.tile([-1.0, 0.0, 0.0], (len(right), 1))])
    assert contact_areas(slot, x, both, np.ones(len(both)), push).sum() == pytest.approx(2.0)
    weak = np.concatenate([np.ones(len(below)), np.full(len(right), 1e-4)])
    edge = np.intersect1d(below, right)
    np.testing.assert_allclose(contact_areas(slot, x, both, weak, push)[edge], area[edge])


def test_wrong_kinds_are_named() -> None:
    scene = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), name="sheet")
    sim = sg.Simulation(scene, dt=1e-3)
    with pytest.raises(sg.InputError, match="'sheet' must be a soft solid of this simulation; there are: none"):
        sim.solid_state("sheet")
    with pytest.raises(sg.InputError, match="'shet' must be a cloth of this simulation; there are: sheet"):
        sim.cloth_state("shet")

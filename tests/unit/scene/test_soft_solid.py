"""Masses, drag and elements of a solid."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.elements.laws.neo_hookean import NEO_HOOKEAN
from signorini.elements.tetrahedra import Tetrahedra
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.tet_shapes import box_tets, sphere_tets
from signorini.model.contribution import Contribution
from signorini.scene.solid_material import SolidMaterial

MATERIAL = SolidMaterial(
    young=1e5, poisson=0.4, density=500.0, mass_damping=0.3, stiffness_damping=0.01, model="neo-hookean"
)


def contribution(mesh: TetMesh, density: float) -> Contribution:
    return sg.Scene().add_soft_solid(mesh, material=MATERIAL, density=density).contribution(air_drag=0.0)


def test_mass_is_density_times_volume_and_its_centre_is_right() -> None:
    mesh = box_tets(1.0, 2.0, 0.5, cells=(2, 3, 1)).moved(np.eye(3), np.array([1.0, 2.0, 3.0]))
    solid = contribution(mesh, 700.0).nodes
    assert solid.mass.sum() == pytest.approx(700.0)
    np.testing.assert_allclose(solid.mass @ mesh.vertices / 700.0, [1.0, 2.0, 3.0])
    assert (solid.mass > 0.0).all()


def test_a_corner_gets_a_quarter_of_its_tetrahedra() -> None:
    mesh = sphere_tets(1.0, edge=0.6)
    solid = contribution(mesh, 2.0).nodes
    volume = mesh.volumes()
    for node in (0, 7, len(mesh.vertices) - 1):
        mine = (mesh.tetrahedra == node).any(axis=1)
        assert solid.mass[node] == pytest.approx(0.5 * volume[mine].sum())


def test_elements_carry_the_material() -> None:
    mesh = box_tets(1.0, 1.0, 1.0, cells=2)
    solid = contribution(mesh, 500.0)
    (t,) = solid.elements
    assert isinstance(t, Tetrahedra)
    assert len(t) == len(mesh.tetrahedra)
    np.testing.assert_array_equal(t.nodes, mesh.tetrahedra)
    assert t.volume.sum() == pytest.approx(1.0)
    assert set(t.lame_mu) == {MATERIAL.lame_mu}
    assert set(t.lame_lambda) == {MATERIAL.lame_lambda}
    assert set(t.stiffness_damping) == {0.01}
    assert t.law is NEO_HOOKEAN
    assert set(solid.nodes.drag) == {0.3}
    corners = mesh.vertices[t.nodes]
    rest = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    np.testing.assert_allclose(rest @ t.rest_inverse, np.broadcast_to(np.eye(3), rest.shape), atol=1e-14)
    for array, kind in ((t.nodes, np.int32), (t.rest_inverse, np.float64)):
        assert array.dtype == kind
        assert array.flags.c_contiguous


def test_bad_density_is_named() -> None:
    with pytest.raises(sg.InputError, match=r"density must be positive and finite, got -1 kg/m³"):
        contribution(box_tets(1, 1, 1), -1.0)

"""Masses, drag and elements of a solid."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.errors import InputError
from signorini.geometry.tet_shapes import box_tets, sphere_tets
from signorini.scene.solid_elements import build_solid_elements
from signorini.scene.solid_material import SolidMaterial

MATERIAL = SolidMaterial(
    young=1e5, poisson=0.4, density=500.0, mass_damping=0.3, stiffness_damping=0.01, model="neo-hookean"
)


def test_mass_is_density_times_volume_and_its_centre_is_right() -> None:
    mesh = box_tets(1.0, 2.0, 0.5, cells=(2, 3, 1)).moved(np.eye(3), np.array([1.0, 2.0, 3.0]))
    solid = build_solid_elements(mesh, MATERIAL, 700.0, "block")
    assert solid.mass.sum() == pytest.approx(700.0)
    np.testing.assert_allclose(solid.mass @ mesh.vertices / 700.0, [1.0, 2.0, 3.0])
    assert (solid.mass > 0.0).all()


def test_a_corner_gets_a_quarter_of_its_tetrahedra() -> None:
    mesh = sphere_tets(1.0, edge=0.6)
    solid = build_solid_elements(mesh, MATERIAL, 2.0, "ball")
    volume = mesh.volumes()
    for node in (0, 7, len(mesh.vertices) - 1):
        mine = (mesh.tetrahedra == node).any(axis=1)
        assert solid.mass[node] == pytest.approx(0.5 * volume[mine].sum())


def test_elements_carry_the_material() -> None:
    mesh = box_tets(1.0, 1.0, 1.0, cells=2)
    solid = build_solid_elements(mesh, MATERIAL, 500.0, "block")
    t = solid.tetrahedra
    assert len(t) == len(mesh.tetrahedra)
    np.testing.assert_array_equal(t.nodes, mesh.tetrahedra)
    assert t.volume.sum() == pytest.approx(1.0)
    assert set(t.lame_mu) == {MATERIAL.lame_mu}
    assert set(t.lame_lambda) == {MATERIAL.lame_lambda}
    assert set(t.stiffness_damping) == {0.01}
    assert set(t.neo_hookean) == {1}
    assert set(solid.drag) == {0.3}
    corners = mesh.vertices[t.nodes]
    rest = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    np.testing.assert_allclose(rest @ t.rest_inverse, np.broadcast_to(np.eye(3), rest.shape), atol=1e-14)
    for array, kind in ((t.nodes, np.int32), (t.rest_inverse, np.float64), (t.neo_hookean, np.uint8)):
        assert array.dtype == kind
        assert array.flags.c_contiguous


def test_bad_density_names_the_solid() -> None:
    with pytest.raises(InputError, match=r"density of solid 'jelly'.*-1 kg/m³"):
        build_solid_elements(box_tets(1, 1, 1), MATERIAL, -1.0, "jelly")

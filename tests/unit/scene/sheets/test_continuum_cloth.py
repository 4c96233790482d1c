"""A continuum cloth has the numbers of its material on any mesh: patch tests of the membrane, moments of the plate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import signorini as sg
from signorini.elements.element import NO_STATE
from signorini.errors import InputError
from signorini.geometry import shapes
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.sheets.continuum_cloth import build_continuum
from signorini.scene.sheets.warp import warp_directions
from signorini.studies.validation.cases.sheets.meshes import seven_meshes

FABRIC = ClothMaterial(
    membrane_stiffness=1000.0,
    weft_stiffness=600.0,
    poisson_ratio=0.3,
    shear_stiffness=100.0,
    bending_rigidity=1.0,
    damping_time=0.0,
    bending_damping_time=0.0,
)
MESHES, FINE_MESHES = (seven_meshes(1.0, 1.0, edge) for edge in (0.1, 0.05))


def build(mesh: TriangleMesh, material: ClothMaterial = FABRIC, warp=(1.0, 0.0, 0.0)):
    free = np.zeros(len(mesh.triangles), dtype=np.bool_)
    return build_continuum(mesh, material, warp_directions(mesh, warp), free, "sheet")


def tension_of(mesh: TriangleMesh, warp, strain: float) -> tuple[float, float]:
    """Tension per strain along x [N/m] of a sheet that may contract and shear freely, and its contraction over the strain."""
    membrane = build(mesh, warp=warp)[0]

    def energy(stretch: float, across: float, shear: float) -> float:
        q = mesh.vertices.copy()
        q[:, 0], q[:, 1] = (1 + stretch) * q[:, 0] + shear * q[:, 1], (1 + across) * q[:, 1]
        return membrane.energy(q, NO_STATE)

    def relaxed(stretch: float) -> tuple[float, float]:
        across, shear = 0.0, 0.0
        for _ in range(12):
            across = minimize_scalar(lambda a, s=shear: energy(stretch, a, s), (across - strain, across), tol=1e-12).x
            shear = minimize_scalar(lambda s, a=across: energy(stretch, a, s), (shear - strain, shear), tol=1e-12).x
        return energy(stretch, across, shear), across

    value, across = relaxed(strain)
    return 2.0 * value / strain**2, -across / strain


@pytest.mark.parametrize("name", MESHES)
def test_uniaxial_tension_shear_and_biaxial_tension_are_those_of_the_material(name: str) -> None:
    mesh, e = MESHES[name], 1e-3
    along, nu12 = tension_of(mesh, (1.0, 0.0, 0.0), e)
    across, nu21 = tension_of(mesh, (0.0, 1.0, 0.0), e)
    assert (along, nu12) == pytest.approx((1000.0, 0.3), rel=5e-3)
    assert (across, nu21) == pytest.approx((600.0, 0.18), rel=5e-3)
    bias, _ = tension_of(mesh, (1.0, 1.0, 0.0), e)
    compliance = 0.25 / 1000.0 + 0.25 / 600.0 + 0.25 * (1.0 / 100.0 - 2.0 * 0.3 / 1000.0)
    assert bias == pytest.approx(1.0 / compliance, rel=5e-3)
    membrane = build(mesh)[0]
    taut = mesh.vertices * [1.0 + e, 1.0 + e, 1.0]
    strain, stress = membrane.strain_and_stress(taut)
    np.testing.assert_allclose(strain, np.tile([e + e * e / 2, e + e * e / 2, 0.0], (len(strain), 1)), atol=1e-12)
    q12 = 0.3 * 600.0 / (1.0 - 0.3 * 0.18)
    expected = (e + e * e / 2) * (1000.0 / (1.0 - 0.3 * 0.18) + q12)
    np.testing.assert_allclose(stress[:, 0], expected, rtol=1e-9)
    sheared = taut.copy()
    sheared[:, 0] += 1e-4 * taut[:, 1]
    np.testing.assert_allclose(membrane.strain_and_stress(sheared)[1][:, 2], 100.0 * 1e-4, rtol=5e-3)


def plate_energy(mesh: TriangleMesh, height: str) -> float:
    """Energy of a plate of B = 1 N·m bent to a height, over that of the height's constant curvature ½ (κ11² + κ22² + 2 κ12²)."""
    material = ClothMaterial(membrane_stiffness=1.0, bending_rigidity=1.0, damping_time=0.0, bending_damping_time=0.0)
    x, y, small = mesh.vertices[:, 0], mesh.vertices[:, 1], 1e-4
    q = mesh.vertices.copy()
    q[:, 2] = (
        small * {"twist": x * y / np.sqrt(2.0), "x": 0.5 * x**2, "y": 0.5 * y**2, "bias": 0.25 * (x + y) ** 2}[height]
    )
    return 2.0 * build(mesh, material)[1].energy(q, NO_STATE) / small**2


@pytest.mark.parametrize("name", MESHES)
def test_twist_is_exact_and_curvature_converges_on_any_mesh(name: str) -> None:
    coarse, fine = MESHES[name], FINE_MESHES[name]
    assert plate_energy(coarse, "twist") == pytest.approx(1.0, rel=1e-5)  # its moments vanish at a free border
    # A free border has no moment: the layer that a cylinder has there is as wide as a part of an edge.
    for height in ("x", "y", "bias"):
        missing = [1.0 - plate_energy(mesh, height) for mesh in (coarse, fine)]
        assert 0.0 < missing[1] < 0.6 * missing[0] < 0.6 * 0.13


def test_a_crease_stays_and_a_gentle_bend_does_not() -> None:
    material = ClothMaterial(
        membrane_stiffness=100.0,
        bending_rigidity=1e-4,
        crease_curvature=50.0,
        damping_time=0.0,
        bending_damping_time=0.0,
    )
    mesh = shapes.grid(0.1, 0.1, cells=8)
    plate = build(mesh, material)[1]
    for radius, stays in ((0.1, False), (0.005, True)):
        q = mesh.vertices.copy()
        angle = mesh.vertices[:, 0] / radius
        q[:, 0], q[:, 2] = radius * np.sin(angle), radius * (1.0 - np.cos(angle))
        state = plate.initial_state(q)
        for _ in range(60):
            state = plate.next_state(q, state)
        assert (np.abs(state).max() > 0.1) == stays
        if stays:
            assert np.abs(plate.moments(q, state)).max() <= 1.01 * plate.crease_moment.max()


def test_warp_of_wrong_shape_and_impossible_materials_are_named() -> None:
    mesh = shapes.grid(1.0, 1.0, cells=2)
    with pytest.raises(InputError, match="one row per triangle"):
        warp_directions(mesh, np.ones((3, 3)))
    with pytest.raises(InputError, match="texture coordinates"):
        warp_directions(mesh, "uv")
    with pytest.raises(InputError, match="poisson_ratio must be below"):
        ClothMaterial(
            membrane_stiffness=1.0, poisson_ratio=1.2, bending_rigidity=0.0, damping_time=0, bending_damping_time=0
        )
    with pytest.raises(InputError, match="model must be one of"):
        sg.Scene().add_cloth(mesh, model="springs")  # pyright: ignore[reportArgumentType]

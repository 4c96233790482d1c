"""Membrane triangles against finite differences, and their tension field against the maximum over all directions."""

from __future__ import annotations

import numpy as np
import pytest

from reference import elements as naive
from signorini.elements import tension_field_kernels as field
from signorini.elements.element import NO_STATE
from signorini.elements.membrane import Membrane
from signorini.elements.plate_bending import PlateBending
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.sheets.continuum_cloth import build_continuum
from signorini.scene.sheets.warp import warp_directions
from support.element_sets import assembled

MATERIAL = ClothMaterial(
    membrane_stiffness=800.0,
    weft_stiffness=500.0,
    poisson_ratio=0.3,
    shear_stiffness=60.0,
    bending_rigidity=3e-5,
    weft_bending_rigidity=2e-5,
    strain_limit=0.1,
    damping_time=0.0,
    bending_damping_time=0.0,
)
MESH = TriangleMesh(
    np.array([[0, 0, 0], [1, 0.1, 0], [0.3, 0.9, 0.0], [1.2, 1.1, 0.1]]), np.array([[0, 1, 2], [1, 3, 2]])
)


def pair() -> tuple[Membrane, PlateBending]:
    membrane, plate = build_continuum(MESH, MATERIAL, warp_directions(MESH, (1, 0.4, 0)), np.zeros(2, np.bool_), "two")
    assert isinstance(membrane, Membrane)
    assert isinstance(plate, PlateBending)
    return membrane, plate


def twin(e: np.ndarray, Q: np.ndarray) -> float:
    """The relaxed energy: taut, or the largest ½ ε²/a of 20,000 directions."""
    taut = Q @ e
    if taut[0] + taut[1] > 0.0 and taut[0] * taut[1] >= taut[2] ** 2:
        return 0.5 * float(e @ taut)
    S, angle = np.linalg.inv(Q), np.linspace(0.0, np.pi, 20001)
    t = np.array([np.cos(angle) ** 2, np.sin(angle) ** 2, np.cos(angle) * np.sin(angle)])
    return float((0.5 * np.maximum(e @ t, 0.0) ** 2 / np.einsum("ak,ab,bk->k", t, S, t)).max())


def test_relaxed_energy_is_the_largest_of_all_tensions() -> None:
    q, s = (tuple(row[0]) for row in (pair()[0].stretching, pair()[0].compliance))
    Q = np.array([[q[0], q[2], 0.0], [q[2], q[1], 0.0], [0.0, 0.0, q[3]]])
    rng = np.random.default_rng(0)
    for _ in range(300):
        e = 0.05 * rng.normal(size=3)
        energy = field.energy_density(*e, q, s, 0.0, np.inf, (0.0, 0.0))
        assert energy == pytest.approx(twin(e, Q), abs=1e-6 * 0.5 * float(e @ Q @ e))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("ratio", [1e-3, 0.05, 1.0, 20.0, 1e3])
def test_tension_in_a_narrow_cone_of_directions_is_found(ratio: float, sign: float) -> None:
    """Both strains are compressive, and the shear is hardly larger: warp, weft and what is halfway are all compressed."""
    q, s = (tuple(row[0]) for row in (pair()[0].stretching, pair()[0].compliance))
    Q = np.array([[q[0], q[2], 0.0], [q[2], q[1], 0.0], [0.0, 0.0, q[3]]])
    a, b = 0.02, 0.02 * ratio
    e = np.array([-a, -b, sign * 2.0 * np.sqrt(a * b) * (1.0 + 1e-2)])
    energy = field.energy_density(*e, q, s, 0.0, np.inf, (0.0, 0.0))
    assert 0.0 < energy == pytest.approx(twin(e, Q), rel=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_force_is_the_gradient_and_the_matrix_semidefinite(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = MESH.vertices + rng.normal(size=(4, 3)) * rng.choice([0.02, 0.1, 0.4])
    for elements in pair():
        A, b = assembled(elements, q, None, 1.0)
        force = naive.force_by_differences(lambda x, own=elements: own.energy(x, NO_STATE), q)
        np.testing.assert_allclose(b, force, atol=2e-6 * np.abs(force).max())
        values = np.linalg.eigvalsh(A)
        assert values[0] > -1e-9 * values[-1]


def test_stiffness_of_a_taut_membrane_is_the_derivative_of_its_force() -> None:
    membrane, rng = pair()[0], np.random.default_rng(1)
    q = 1.05 * MESH.vertices + 0.01 * rng.normal(size=(4, 3))
    A, _ = assembled(membrane, q, None, 1.0)
    K = -naive.jacobian_by_differences(lambda x: assembled(membrane, x, None, 1.0)[1], q)
    np.testing.assert_allclose(A, K, atol=1e-6 * np.abs(K).max())


def test_linearisation_at_a_velocity_adds_stiffness_times_velocity() -> None:
    rng = np.random.default_rng(2)
    q, v = MESH.vertices + 0.1 * rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    for elements in pair():
        A, with_velocity = assembled(elements, q, v, 0.3)
        _, without = assembled(elements, q, None, 0.3)
        np.testing.assert_allclose((with_velocity - without).ravel(), A @ v.ravel(), atol=1e-9 * np.abs(A).max())


@pytest.mark.parametrize(("axis", "stiffness"), [(0, 800.0), (1, 500.0)])
def test_a_fabric_locks_at_its_strain_limit(axis: int, stiffness: float) -> None:
    """Stress of a stretch that keeps the width: as without a limit up to it, `locked_ratio` E per strain beyond 1.5 times it."""
    mesh = TriangleMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), np.array([[0, 1, 2], [1, 3, 2]]))
    membrane = build_continuum(mesh, MATERIAL, warp_directions(mesh, (1, 0, 0)), np.zeros(2, np.bool_), "two")[0]
    assert isinstance(membrane, Membrane)

    def stress(strain: float) -> float:
        q = mesh.vertices.copy()
        q[:, axis] *= np.sqrt(1.0 + 2.0 * strain)  # Green's strain
        return float(membrane.strain_and_stress(q)[1][0, axis])

    poisson = MATERIAL.poisson_ratio, MATERIAL.poisson_ratio * 500.0 / 800.0
    held = stiffness / (1.0 - poisson[0] * poisson[1])  # the other direction keeps its length
    assert stress(0.099) == pytest.approx(held * 0.099, rel=1e-9)
    steep = (stress(0.2) - stress(0.16)) / 0.04
    assert steep == pytest.approx(held + (MATERIAL.locked_ratio - 1.0) * stiffness, rel=1e-9)
    assert stress(0.2) - stress(0.15) > 15.0 * (stress(0.09) - stress(0.04))

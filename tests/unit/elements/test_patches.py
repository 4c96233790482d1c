"""Patches of tetrahedra against dense means, finite differences and the patch test; groups of tetrahedra."""

from __future__ import annotations

import numpy as np
import pytest

from reference import elements as differences
from reference import tetrahedra as naive
from signorini.elements.element import NO_STATE, Elements
from signorini.elements.patches import Patches
from signorini.elements.tetrahedra import Tetrahedra
from signorini.elements.tetrahedron_groups import around_edges, disjoint_groups, face_neighbours
from signorini.geometry.tet_shapes import box_tets, sphere_tets
from signorini.scene.solid_material import SolidMaterial
from signorini.scene.solids.solid_elements import build_tetrahedra, solid_elements
from support.element_sets import assembled

MODELS = ["corotational", "neo-hookean", "stable-neo-hookean"]
MESH = box_tets(1.0, 1.2, 0.9, cells=2)


def sets(model: str, poisson: float = 0.49, damping: float = 0.0) -> tuple[Elements, ...]:
    material = SolidMaterial(young=10.0, poisson=poisson, density=1.0, model=model, stiffness_damping=damping)
    assert material.locking_free == (poisson > 0.45)
    return solid_elements(MESH, material, MESH.volumes())


def total(elements: tuple[Elements, ...], q: naive.Array, dt: float = 1.0) -> tuple[naive.Array, naive.Array]:
    both = [assembled(e, q, dt=dt) for e in elements]
    return sum(A for A, _ in both), sum(b for _, b in both)  # type: ignore[return-value]


def energy(elements: tuple[Elements, ...], q: naive.Array) -> float:
    return sum(e.energy(q, NO_STATE) for e in elements)


def moved(amount: float) -> naive.Array:
    return MESH.vertices + amount * np.random.default_rng(3).normal(size=MESH.vertices.shape)


def test_a_patch_has_the_mean_deformation_of_its_tetrahedra() -> None:
    q, tetrahedra = moved(0.2), sets("corotational")[0]
    assert isinstance(tetrahedra, Tetrahedra)
    F, volume = naive.gradients(tetrahedra, q), MESH.volumes()
    edge, member = around_edges(MESH.tetrahedra)
    group = disjoint_groups(MESH.tetrahedra)
    want = [np.average(F[member[edge == e]], axis=0, weights=volume[member[edge == e]]) for e in range(edge.max() + 1)]
    want += [np.average(F[group == g], axis=0, weights=volume[group == g]) for g in range(group.max() + 1)]
    found = np.concatenate([e.mean_gradients(q) for e in sets("corotational") if isinstance(e, Patches)])
    assert len(found) == len(want)
    for one in want:
        assert np.abs(found - one).max(axis=(1, 2)).min() < 1e-12
    whole = sum(e.volume.sum() for e in sets("corotational") if isinstance(e, Patches) and e.lame_mu[0] > 0.0)
    assert whole == pytest.approx(0.98 * MESH.volume())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("amount", [0.05, 0.6])
def test_force_is_the_gradient_of_the_energy_and_stiffness_semidefinite(model: str, amount: float) -> None:
    elements, q = sets(model), moved(amount)
    A, b = total(elements, q)
    expected = differences.force_by_differences(lambda x: energy(elements, x), q)
    np.testing.assert_allclose(b, expected, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_allclose(A, A.T, atol=1e-13 * np.abs(A).max())
    assert np.linalg.eigvalsh(A).min() >= -1e-12 * np.abs(A).max()
    np.testing.assert_allclose(b.sum(axis=0), 0.0, atol=1e-12 * np.abs(b).max())


@pytest.mark.parametrize("model", MODELS)
def test_stiffness_at_rest_is_the_derivative_of_the_force_with_six_rigid_modes(model: str) -> None:
    elements = sets(model)
    A, b = total(elements, MESH.vertices)
    np.testing.assert_allclose(b, 0.0, atol=1e-12)
    K = -differences.jacobian_by_differences(lambda x: total(elements, x)[1], MESH.vertices)
    np.testing.assert_allclose(A, K, atol=1e-7 * np.abs(K).max())
    values = np.linalg.eigvalsh(A)
    assert (np.abs(values[:6]) < 1e-11 * values[-1]).all()
    assert values[6] > 1e-4 * values[-1]  # no mode beyond rigid motion is free


@pytest.mark.parametrize("model", MODELS)
def test_uniform_strain_is_exact(model: str) -> None:
    """All models agree with plain tetrahedra where every tetrahedron has the same deformation."""
    q = MESH.vertices @ (np.eye(3) + 0.2 * np.random.default_rng(0).normal(size=(3, 3))).T
    material = SolidMaterial(young=10.0, poisson=0.49, density=1.0, model=model)
    plain = build_tetrahedra(MESH, material)
    assert energy(sets(model), q) == pytest.approx(plain.energy(q, NO_STATE), rel=1e-12)
    np.testing.assert_allclose(total(sets(model), q)[1], assembled(plain, q)[1], atol=1e-11)


def test_linearisation_at_a_velocity_and_damping() -> None:
    q, dt, beta = moved(0.1), 0.3, 0.07
    v = np.random.default_rng(1).normal(size=q.shape)
    for plain, damped in zip(sets("neo-hookean"), sets("neo-hookean", damping=beta), strict=True):
        A, without = assembled(plain, q, dt=dt)
        _, with_velocity = assembled(plain, q, v, dt)
        np.testing.assert_allclose((with_velocity - without).ravel(), A @ v.ravel(), atol=1e-12 * np.abs(A).max())
        np.testing.assert_allclose(assembled(damped, q, v, dt)[0], (1.0 + beta / dt) * A, atol=1e-12 * np.abs(A).max())


def test_ordinary_solids_stay_plain_tetrahedra_and_the_user_decides() -> None:
    assert [type(e) for e in sets("neo-hookean", 0.45)] == [Tetrahedra]
    material = SolidMaterial(young=1.0, poisson=0.49, density=1.0, element="tetrahedra")
    assert len(solid_elements(MESH, material, MESH.volumes())) == 1
    material = SolidMaterial(young=1.0, poisson=-0.2, density=1.0, element="locking-free")
    A, _ = total(solid_elements(MESH, material, MESH.volumes()), MESH.vertices)
    assert np.linalg.eigvalsh(A).min() >= -1e-12 * np.abs(A).max()


def test_groups_are_small_connected_and_cover_the_mesh() -> None:
    mesh = sphere_tets(0.1, edge=0.03)
    group, neighbours = disjoint_groups(mesh.tetrahedra), face_neighbours(mesh.tetrahedra)
    counts = np.bincount(group)
    assert counts.min() > 4
    assert counts.max() <= 24
    assert 6.0 < counts.mean() < 11.0
    assert (np.diff(np.unique(group)) == 1).all()
    for g in range(0, len(counts), 7):
        members = set(np.flatnonzero(group == g).tolist())
        reached, front = set(), [min(members)]
        while front:
            e = front.pop()
            if e not in reached:
                reached.add(e)
                front += [int(f) for f in neighbours[e] if int(f) in members]
        assert reached == members

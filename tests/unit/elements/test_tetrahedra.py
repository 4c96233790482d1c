"""Forces and stiffness of tetrahedra against finite differences, naive twins, NumPy's eigenvalues and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from reference import elements as differences
from reference import solid_laws as laws
from reference import tetrahedra as naive
from signorini.elements.laws import neo_hookean_kernels
from signorini.elements.tetrahedra import Tetrahedra
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.solid_material import SolidMaterial
from signorini.scene.solids.solid_elements import build_tetrahedra
from signorini.studies.problems.soft_cubes import elastic_matrix
from support.element_sets import assembled

MODELS: list[str] = ["corotational", "neo-hookean"]
SINGLE = TetMesh(np.array([[0.1, 0, 0], [1, 0.2, 0], [0, 1.1, 0.3], [0.2, 0.1, 0.9]]), np.array([[0, 1, 2, 3]]))


def elements(mesh: TetMesh, model: str, *, poisson: float = 0.3, damping: float = 0.0) -> Tetrahedra:
    material = SolidMaterial(young=10.0, poisson=poisson, density=1.0, stiffness_damping=damping, model=model)
    return build_tetrahedra(mesh, material)


def deformed(seed: int, amount: float) -> tuple[TetMesh, naive.Array]:
    mesh = box_tets(1.0, 1.2, 0.9)
    return mesh, mesh.vertices + amount * np.random.default_rng(seed).normal(size=mesh.vertices.shape)


def lowest_det(tetrahedra: Tetrahedra, q: naive.Array) -> float:
    return np.linalg.det(naive.gradients(tetrahedra, q)).min()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("amount", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_energy_is_that_of_the_twin(model: str, amount: float, seed: int) -> None:
    mesh, q = deformed(seed, amount)
    tetrahedra = elements(mesh, model)
    assert (lowest_det(tetrahedra, q) < 0.0) == (amount > 0.5)  # ordinary elements, and inverted ones
    assert naive.kernel_energy(tetrahedra, q) == pytest.approx(naive.energy(tetrahedra, q), rel=1e-12)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("amount", [0.0, 0.05, 0.3, 1.0])
def test_force_is_the_negative_gradient_of_the_energy(model: str, amount: float) -> None:
    mesh, q = deformed(4, amount)
    tetrahedra = elements(mesh, model)
    dt = 0.25
    _, b = assembled(tetrahedra, q, dt=dt)
    expected = differences.force_by_differences(lambda x: naive.energy(tetrahedra, x), q)
    np.testing.assert_allclose(b / dt, expected, atol=3e-8 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("amount", [0.1, 1.0])
def test_forces_sum_to_zero_and_exert_no_moment(model: str, amount: float) -> None:
    mesh, q = deformed(5, amount)
    _, b = assembled(elements(mesh, model), q)
    size = np.abs(b).max()
    assert size > 0.1
    np.testing.assert_allclose(b.sum(axis=0), 0.0, atol=1e-13 * size)
    np.testing.assert_allclose(np.cross(q, b).sum(axis=0), 0.0, atol=1e-13 * size)


@pytest.mark.parametrize("model", MODELS)
def test_rigid_motion_gives_no_force_and_turns_everything(model: str) -> None:
    mesh, q = deformed(6, 0.2)
    tetrahedra = elements(mesh, model)
    Q = Rotation.random(rng=np.random.default_rng(0)).as_matrix()
    _, b = assembled(tetrahedra, mesh.vertices @ Q.T + [3.0, -2.0, 1.0])
    np.testing.assert_allclose(b, 0.0, atol=1e-13)
    A0, b0 = assembled(tetrahedra, q)
    A1, b1 = assembled(tetrahedra, q @ Q.T - [1.0, 2.0, 3.0])
    turn = np.kron(np.eye(len(q)), Q)
    np.testing.assert_allclose(b1, b0 @ Q.T, atol=1e-12 * np.abs(b0).max())
    np.testing.assert_allclose(A1, turn @ A0 @ turn.T, atol=1e-12 * np.abs(A0).max())


@pytest.mark.parametrize("model", MODELS)
def test_stiffness_is_the_derivative_of_the_force(model: str) -> None:
    mesh = box_tets(1.0, 1.2, 0.9)
    tetrahedra = elements(mesh, model)
    Q = Rotation.random(rng=np.random.default_rng(8)).as_matrix()
    q = mesh.vertices @ Q.T
    if model == "neo-hookean":  # in tension nothing is projected; co-rotational stiffness is exact without strain only
        q = 1.05 * q + 0.004 * np.random.default_rng(9).normal(size=q.shape)
    dt = 0.5
    A, _ = assembled(tetrahedra, q, dt=dt)
    K = -differences.jacobian_by_differences(lambda x: assembled(tetrahedra, x)[1], q)
    assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() > -1e-7
    np.testing.assert_allclose(A, dt**2 * K, atol=1e-8 * np.abs(K).max())


@pytest.mark.parametrize("model", MODELS)
def test_at_rest_both_are_linear_elasticity(model: str) -> None:
    mesh = box_tets(1.0, 1.2, 0.9, cells=(1, 2, 1))
    A, _ = assembled(elements(mesh, model, poisson=0.4), mesh.vertices)
    K, _ = elastic_matrix(mesh.vertices, mesh.tetrahedra.astype(np.int64), 10.0, 0.4)
    np.testing.assert_allclose(A, K.to_scipy().toarray(), atol=1e-12)


def test_corotational_stiffness_is_linear_elasticity_turned_with_the_element() -> None:
    q = SINGLE.vertices + 0.4 * np.random.default_rng(2).normal(size=(4, 3))
    tetrahedra = elements(SINGLE, "corotational")
    turn = np.kron(np.eye(4), naive.nearest_rotation(naive.gradients(tetrahedra, q)[0]))
    K = elastic_matrix(SINGLE.vertices, SINGLE.tetrahedra.astype(np.int64), 10.0, 0.3)[0].to_scipy().toarray()
    A, b = assembled(tetrahedra, q)
    np.testing.assert_allclose(A, turn @ K @ turn.T, atol=1e-12)
    force = turn @ K @ (turn.T @ q.ravel() - SINGLE.vertices.ravel())  # Müller and Gross's formula itself
    np.testing.assert_allclose(b.ravel(), -force, atol=1e-12)


def density_hessian(F: naive.Array, *, project: bool) -> tuple[naive.Array, naive.Array]:
    """P (9,) and the second derivative (9, 9) of the Neo-Hookean density for μ = 2, λ = 5."""
    return laws.density_hessian(neo_hookean_kernels, F, 2.0, 5.0, np.zeros(0), project=project)


def some_gradients() -> list[naive.Array]:
    rng = np.random.default_rng(11)
    found = [np.eye(3) + amount * rng.normal(size=(3, 3)) for amount in (0.1, 0.3, 1.0, 2.0) for _ in range(4)]
    found += [np.diag(d) for d in ([0.3, 1, 1], [1, 1, 1e-9], [1, 1, -0.5], [0.05, 0.04, 0.03], [0.5, 0.5, 0.5])]
    return found


@pytest.mark.parametrize("F", some_gradients())
def test_neo_hookean_derivatives_hold_for_any_deformation(F: naive.Array) -> None:
    step = 1e-6
    P, H = density_hessian(F, project=False)
    slope, curvature = np.zeros(9), np.zeros((9, 9))
    for k in range(9):
        d = np.zeros(9)
        d[k] = step
        ahead, behind = F + d.reshape(3, 3), F - d.reshape(3, 3)
        slope[k] = naive.neo_hookean_density(ahead, 2.0, 5.0) - naive.neo_hookean_density(behind, 2.0, 5.0)
        curvature[k] = density_hessian(ahead, project=False)[0] - density_hessian(behind, project=False)[0]
    np.testing.assert_allclose(P, slope / (2.0 * step), atol=1e-8 * max(1.0, np.abs(P).max()))
    np.testing.assert_allclose(H, curvature / (2.0 * step), atol=1e-7 * np.abs(H).max())


@pytest.mark.parametrize("F", some_gradients())
def test_neo_hookean_projection_clears_negative_rotations_and_reverses_other_negative_eigenvalues(
    F: naive.Array,
) -> None:
    _, H = density_hessian(F, project=False)
    U, _, Vt = np.linalg.svd(F)
    rotations = []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        turn = np.outer(U[:, i], Vt[j]) - np.outer(U[:, j], Vt[i])
        sign = np.sign(np.linalg.det(U) * np.linalg.det(Vt))  # U V' may be a reflection in NumPy's decomposition
        if sign < 0.0 and 2 in (i, j):
            turn = np.outer(U[:, i], Vt[j]) + np.outer(U[:, j], Vt[i])
        rotations.append(turn.ravel() / np.sqrt(2.0))
    Q = np.array(rotations).T
    turning = Q.T @ H @ Q
    np.testing.assert_allclose(turning, np.diag(np.diag(turning)), atol=1e-12 * np.abs(H).max())
    others = H - Q @ turning @ Q.T
    value, vector = np.linalg.eigh(0.5 * (others + others.T))
    expected = vector @ np.diag(np.abs(value)) @ vector.T + Q @ np.maximum(np.diag(np.diag(turning)), 0.0) @ Q.T
    np.testing.assert_allclose(density_hessian(F, project=True)[1], expected, atol=1e-12 * np.abs(H).max())


def test_projection_has_work_to_do_in_these_cases() -> None:
    lowest = [np.linalg.eigvalsh(density_hessian(F, project=False)[1]).min() for F in some_gradients()]
    assert sum(value < -0.1 for value in lowest) > 5


def test_neo_hookean_energy_is_smooth_where_it_is_continued() -> None:
    for F in (np.diag([1.0, 1.0, 0.2]), 0.2 ** (1 / 3) * np.eye(3)):
        below, above = (density_hessian(s * F, project=False) for s in (1.0 - 1e-9, 1.0 + 1e-9))
        np.testing.assert_allclose(below[0], above[0], atol=1e-6)
        np.testing.assert_allclose(below[1], above[1], atol=1e-5)


@pytest.mark.parametrize("model", MODELS)
def test_linearisation_at_a_velocity_and_damping(model: str) -> None:
    mesh, q = deformed(12, 0.2)
    v = np.random.default_rng(1).normal(size=q.shape)
    dt, beta = 0.3, 0.07
    A, without = assembled(elements(mesh, model), q, dt=dt)
    _, with_velocity = assembled(elements(mesh, model), q, v, dt)
    np.testing.assert_allclose((with_velocity - without).ravel(), A @ v.ravel(), atol=1e-12 * np.abs(A).max())
    damped, b = assembled(elements(mesh, model, damping=beta), q, v, dt)
    np.testing.assert_allclose(damped, (1.0 + beta / dt) * A, atol=1e-12 * np.abs(A).max())
    np.testing.assert_array_equal(b, with_velocity)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    collapse=st.sampled_from([1.0, 0.3, 1e-6, 0.0, -1.0, 30.0]),
    axes=st.sampled_from([(0,), (0, 2), (0, 1, 2)]),
    model=st.sampled_from(MODELS),
    poisson=st.sampled_from([-0.5, 0.0, 0.3, 0.49]),
)
def test_stiffness_is_positive_semidefinite_however_deformed(
    seed: int, collapse: float, axes: tuple[int, ...], model: str, poisson: float
) -> None:
    mesh, q = deformed(seed, 0.3)
    q[:, axes] *= collapse  # 0 makes everything flat, a line or a point
    A, b = assembled(elements(mesh, model, poisson=poisson), q, dt=0.1)
    assert np.isfinite(A).all()
    assert np.isfinite(b).all()
    np.testing.assert_allclose(A, A.T, atol=1e-14 * np.abs(A).max())
    assert np.linalg.eigvalsh(A).min() >= -1e-13 * np.abs(A).max()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stretch", [0.6, 1.0, 1.5])
def test_patch_of_uniform_strain_has_the_stress_of_the_closed_form(model: str, stretch: float) -> None:
    mesh = box_tets(1.0, 2.0, 1.5, cells=(3, 3, 3))
    tetrahedra = elements(mesh, model)
    mu, lam = tetrahedra.lame_mu[0], tetrahedra.lame_lambda[0]
    _, b = assembled(tetrahedra, mesh.vertices * [stretch, 1.0, 1.0])
    inner = (np.abs(mesh.vertices) < 0.49 * np.array([1.0, 2.0, 1.5])).all(axis=1)
    assert inner.sum() == 8
    np.testing.assert_allclose(b[inner], 0.0, atol=1e-12)
    if model == "corotational":
        stress = (2.0 * mu + lam) * (stretch - 1.0)
    else:  # ∂Ψ/∂F11 with I = s² + 2 and J = s
        distortion = mu * stretch ** (-2.0 / 3.0) * (stretch - (stretch**2 + 2.0) / (3.0 * stretch))
        stress = distortion + (lam + 2.0 / 3.0 * mu) * (stretch - 1.0)
    end = mesh.vertices[:, 0] > 0.49
    np.testing.assert_allclose(b[end].sum(axis=0), [-stress * 3.0, 0.0, 0.0], atol=1e-12)


BAD_STARTS = {
    "mirrored": np.diag([1.0, 1.0, -1.0]),
    "flat": np.diag([1.0, 1.1, 0.0]),
    "a line": np.diag([1.0, 0.0, 0.0]),
    "turned inside out": -1.5 * np.eye(3),
    "nearly a point": 1e-3 * np.eye(3),
    "stretched and mirrored": np.diag([-3.0, 1.0, 0.4]),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("poisson", [0.0, 0.45])
@pytest.mark.parametrize("start", BAD_STARTS)
def test_flat_and_inverted_elements_recover(model: str, poisson: float, start: str) -> None:
    """Backward Euler steps from rest each time, an implicit descent, must bring the element back to its shape."""
    tetrahedra = elements(SINGLE, model, poisson=poisson)
    rng = np.random.default_rng(3)
    q = SINGLE.vertices @ BAD_STARTS[start].T + 1e-4 * rng.normal(size=(4, 3))
    initial = naive.kernel_energy(tetrahedra, q)
    assert lowest_det(tetrahedra, q) < 1e-2
    mass = 0.2 * np.eye(12)
    for _ in range(400):
        A, b = assembled(tetrahedra, q, dt=0.3)
        q = q + 0.3 * np.linalg.solve(mass + A, b.ravel()).reshape(4, 3)
    assert lowest_det(tetrahedra, q) > 0.99
    assert naive.kernel_energy(tetrahedra, q) < 1e-6 * initial


@pytest.mark.parametrize("model", MODELS)
def test_a_point_is_finite(model: str) -> None:
    A, b = assembled(elements(SINGLE, model), np.zeros((4, 3)))
    assert np.isfinite(A).all()
    if model == "corotational":  # unrotated: it is pushed out to the resting shape
        assert ((b @ SINGLE.vertices.T).trace()) > 0.0
    else:  # no direction is preferred
        np.testing.assert_array_equal(b, 0.0)


def test_concatenation_shifts_the_nodes_of_each_body() -> None:
    one, two = elements(SINGLE, "neo-hookean"), elements(box_tets(1.0, 1.0, 1.0), "neo-hookean", damping=0.1)
    assert one.group() == two.group() != elements(SINGLE, "corotational").group()
    both = Tetrahedra.joined([one, two.shifted(4)])
    assert len(both) == 7
    np.testing.assert_array_equal(both.nodes[1:], two.nodes + 4)
    assert both.law is one.law
    np.testing.assert_array_equal(both.stiffness_damping[1:], two.stiffness_damping)
    q = np.concatenate([1.1 * SINGLE.vertices, 0.8 * box_tets(1.0, 1.0, 1.0).vertices])
    A, b = assembled(both, q)
    A1, b1 = assembled(one, q[:4])
    A2, b2 = assembled(two, q[4:])
    np.testing.assert_array_equal(b, np.concatenate([b1, b2]))
    np.testing.assert_array_equal(A[:12, :12], A1)
    np.testing.assert_array_equal(A[12:, 12:], A2)
    assert not A[:12, 12:].any()

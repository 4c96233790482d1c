"""Hinge angles, moments and stiffness against finite differences of a plain energy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import elements as naive
from signorini.elements.element import NO_STATE
from signorini.elements.hinges import Hinges, hinge_angles
from support.element_sets import assembled

FLAT = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.8, 0.0], [0.7, -0.9, 0.0]])
ONE = np.array([[0, 1, 2, 3]], dtype=np.int32)


def folded(angle: float) -> naive.Array:
    """`FLAT` with the second triangle turned about the edge; positive angles move x3 down, away from the normal."""
    q = FLAT.copy()
    q[3, 1], q[3, 2] = -0.9 * np.cos(angle), -0.9 * np.sin(angle)
    return q


def hinge(rest: float = 0.0, k: float = 2.0, c: float = 0.0) -> Hinges:
    return Hinges(ONE, np.array([rest]), np.array([k]), np.array([c]))


def force(hinges: Hinges, q: naive.Array) -> naive.Array:
    return assembled(hinges, q, np.zeros_like(q), 1.0)[1]


def random_shape(seed: int) -> naive.Array:
    """A scaled, turned and shifted fold at any angle short of ±π, where the angle jumps."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    q = folded(rng.uniform(-2.9, 2.9)) + rng.uniform(-0.15, 0.15, (4, 3)) * [1.0, 1.0, 0.0]
    return 10.0 ** rng.uniform(-2.0, 1.0) * q @ turn.T + rng.normal(size=3)


@pytest.mark.parametrize("angle", [-3.0, -np.pi / 2, -0.1, 0.0, 1e-8, 0.5, np.pi / 2, 3.0])
def test_angle_has_size_and_sign(angle: float) -> None:
    assert hinge_angles(ONE, folded(angle))[0] == pytest.approx(angle, abs=1e-12)


def test_angle_does_not_depend_on_which_triangle_comes_first() -> None:
    q = folded(0.7)
    assert hinge_angles(np.array([[1, 0, 3, 2]], np.int32), q)[0] == pytest.approx(0.7, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_angle_is_that_of_the_twin(seed: int) -> None:
    q = random_shape(seed)
    assert hinge_angles(ONE, q)[0] == pytest.approx(naive.hinge_angle(*q), abs=1e-9)


def test_energy_is_that_of_the_twin() -> None:
    hinges, q = hinge(rest=0.3, k=5.0), folded(-0.8)
    energy = hinges.energy(q, NO_STATE)
    assert energy == pytest.approx(0.5 * 5.0 * 1.1**2)
    assert energy == pytest.approx(naive.hinge_energy(hinges, q))


@pytest.mark.parametrize("angle", [-2.0, 0.0, 0.4, 1.9])
def test_rest_shape_has_no_force(angle: float) -> None:
    np.testing.assert_allclose(force(hinge(rest=angle), folded(angle)), 0.0, atol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_force_is_the_negative_gradient_of_the_energy(seed: int) -> None:
    q, hinges = random_shape(seed), hinge(rest=0.35)
    size = np.ptp(q, axis=0).max()
    expected = naive.force_by_differences(lambda x: naive.hinge_energy(hinges, x), q, step=1e-6 * size)
    np.testing.assert_allclose(force(hinges, q), expected, atol=1e-6 * np.abs(expected).max() + 1e-9)


def test_force_moves_a_folded_sheet_back_to_flat() -> None:
    q = folded(0.5)
    after = q + 1e-3 * force(hinge(), q)
    assert 0.0 < hinge_angles(ONE, after)[0] < 0.5


@pytest.mark.parametrize("seed", range(5))
def test_forces_sum_to_zero_and_exert_no_moment(seed: int) -> None:
    q = random_shape(seed)
    f = force(hinge(), q)
    scale = np.abs(f).max()
    np.testing.assert_allclose(f.sum(axis=0), 0.0, atol=1e-10 * scale)
    np.testing.assert_allclose(np.cross(q, f).sum(axis=0), 0.0, atol=1e-10 * scale)


@pytest.mark.parametrize("angle", [0.0, 0.9, -1.4])
def test_stiffness_is_the_derivative_of_the_force_at_rest(angle: float) -> None:
    # Away from rest the product of the moment and the curvature of θ is left out: only there the two agree.
    hinges, q, dt = hinge(rest=angle), folded(angle), 0.5
    A, _ = assembled(hinges, q, np.zeros_like(q), dt)
    K = -naive.jacobian_by_differences(lambda x: force(hinges, x), q)
    np.testing.assert_allclose(A, dt**2 * K, atol=1e-6 * np.abs(K).max())


def test_linearisation_at_a_velocity_adds_stiffness_times_velocity() -> None:
    q, v = random_shape(3), np.random.default_rng(0).normal(size=(4, 3))
    A, with_velocity = assembled(hinge(), q, v, 0.3)
    _, without = assembled(hinge(), q, np.zeros_like(q), 0.3)
    np.testing.assert_allclose((with_velocity - without).ravel(), A @ v.ravel(), rtol=1e-9, atol=1e-12)


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    collapse=st.sampled_from(["none", "first triangle", "edge", "onto each other", "point"]),
)
def test_stiffness_is_finite_and_positive_semidefinite(seed: int, collapse: str) -> None:
    q = random_shape(seed)
    if collapse == "first triangle":
        q[2] = 0.3 * q[0] + 0.7 * q[1]
    elif collapse == "edge":
        q[1] = q[0]
    elif collapse == "onto each other":
        q[3] = q[2]
    elif collapse == "point":
        q[:] = q[0]
    A, b = assembled(hinge(c=1.0), q, np.zeros_like(q), 0.1)
    assert np.isfinite(A).all()
    assert np.isfinite(b).all()
    np.testing.assert_allclose(A, A.T, atol=1e-12 * max(np.abs(A).max(), 1e-12))
    assert np.linalg.eigvalsh(A).min() >= -1e-12 * np.abs(A).max()


@pytest.mark.parametrize("seed", range(10))
def test_damping_takes_the_energy_of_the_angular_rate_only(seed: int) -> None:
    q, dt = random_shape(seed), 0.5
    size = np.ptp(q, axis=0).max()
    v = size * np.random.default_rng(seed).normal(size=q.shape)
    C = (assembled(hinge(c=3.0), q, v, dt)[0] - assembled(hinge(), q, v, dt)[0]) / dt
    h = 1e-6
    rate = (naive.hinge_angle(*(q + h * v)) - naive.hinge_angle(*(q - h * v))) / (2.0 * h)
    assert v.ravel() @ C @ v.ravel() == pytest.approx(3.0 * rate**2, rel=1e-5)
    spin = np.cross([0.3, -0.2, 0.5], q)
    np.testing.assert_allclose(C @ spin.ravel(), 0.0, atol=1e-9 * np.abs(C).max() * np.abs(spin).max())


def test_concatenation_shifts_the_nodes_of_each_body() -> None:
    both = Hinges.joined([hinge(rest=0.1), hinge(rest=0.2).shifted(4)])
    np.testing.assert_array_equal(both.nodes, [[0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_array_equal(both.rest_angle, [0.1, 0.2])

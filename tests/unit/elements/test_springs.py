"""Spring forces and stiffness against finite differences of a plain energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import elements as naive
from signorini.elements.element import NO_STATE
from signorini.elements.springs import Springs
from support.element_sets import assembled

NODES = 6


def net(seed: int, *, stretched: float | None = None) -> tuple[Springs, naive.Array]:
    """Springs between all pairs of six nodes; rest lengths are random, or the lengths divided by `stretched`."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.0, 1.0, (NODES, 3))
    nodes = np.array([(i, j) for i in range(NODES) for j in range(i)], dtype=np.int32)
    length = np.linalg.norm(q[nodes[:, 1]] - q[nodes[:, 0]], axis=1)
    rest = rng.uniform(0.3, 2.0, len(nodes)) if stretched is None else length / stretched
    k = rng.uniform(1.0, 10.0, len(nodes))
    return Springs(nodes, rest, k, 0.2 * k, rng.uniform(0.1, 1.0, len(nodes))), q


def undamped(springs: Springs) -> Springs:
    return replace(springs, damping_constant=0.0 * springs.damping_constant)


@pytest.mark.parametrize("seed", range(5))
def test_energy_is_that_of_the_twin(seed: int) -> None:
    springs, q = net(seed)
    lengths = np.linalg.norm(q[springs.nodes[:, 1]] - q[springs.nodes[:, 0]], axis=1)
    assert (lengths < springs.rest_length).any()  # both stiffnesses take part
    assert (lengths > springs.rest_length).any()
    assert springs.energy(q, NO_STATE) == pytest.approx(naive.spring_energy(springs, q), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_force_is_the_negative_gradient_of_the_energy(seed: int) -> None:
    springs, q = net(seed)
    dt = 0.25
    _, b = assembled(springs, q, np.zeros_like(q), dt)
    expected = naive.force_by_differences(lambda x: naive.spring_energy(springs, x), q)
    np.testing.assert_allclose(b / dt, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_forces_sum_to_zero_and_exert_no_moment(seed: int) -> None:
    springs, q = net(seed)
    _, b = assembled(springs, q, np.zeros_like(q), 1.0)
    np.testing.assert_allclose(b.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(q, b).sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("stretched", [1.0, 1.001, 1.7])
def test_stiffness_is_the_derivative_of_the_force_of_stretched_springs(stretched: float) -> None:
    springs, q = net(1, stretched=stretched)
    if stretched == 1.0:  # at rest the derivative jumps between the two stiffnesses: take them equal
        springs = replace(springs, stiffness_in_compression=springs.stiffness_in_tension)
    dt = 0.5
    A, _ = assembled(undamped(springs), q, np.zeros_like(q), dt)
    K = -naive.jacobian_by_differences(lambda x: assembled(springs, x, np.zeros_like(q), 1.0)[1], q, step=1e-7)
    np.testing.assert_allclose(A, dt**2 * K, atol=1e-5 * np.abs(K).max())


def test_stiffness_along_a_compressed_spring_is_that_of_compression_and_across_is_clamped() -> None:
    springs = Springs(np.array([[0, 1]], np.int32), np.array([2.0]), np.array([7.0]), np.array([3.0]), np.zeros(1))
    A, _ = assembled(springs, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.zeros((2, 3)), 1.0)
    np.testing.assert_allclose(A[:3, :3], np.diag([3.0, 0.0, 0.0]), atol=1e-15)
    np.testing.assert_allclose(A[:3, 3:], -A[:3, :3])


def test_linearisation_at_a_velocity_adds_stiffness_times_velocity() -> None:
    springs, q = net(2)
    v = np.random.default_rng(0).normal(size=q.shape)
    A, with_velocity = assembled(undamped(springs), q, v, 0.3)
    _, without = assembled(undamped(springs), q, np.zeros_like(q), 0.3)
    np.testing.assert_allclose((with_velocity - without).ravel(), A @ v.ravel(), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), collapse=st.sampled_from([1.0, 0.3, 1e-6, 0.0, -1.0]))
def test_stiffness_is_positive_semidefinite_however_the_springs_are_deformed(seed: int, collapse: float) -> None:
    springs, q = net(seed)
    q[: NODES // 2] = collapse * q[: NODES // 2] + (1.0 - collapse) * q[-1]  # 0 puts nodes on one point
    A, b = assembled(springs, q, np.zeros_like(q), 0.1)
    assert np.isfinite(A).all()
    assert np.isfinite(b).all()
    np.testing.assert_allclose(A, A.T, atol=1e-13)
    assert np.linalg.eigvalsh(A).min() >= -1e-12 * np.abs(A).max()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_damping_takes_energy_and_only_along_the_springs(seed: int) -> None:
    springs, q = net(seed)
    dt = 0.5
    v = np.random.default_rng(seed + 1).normal(size=q.shape)
    C = (assembled(springs, q, v, dt)[0] - assembled(undamped(springs), q, v, dt)[0]) / dt
    rate = [
        c * ((v[j] - v[i]) @ (q[j] - q[i]) / np.linalg.norm(q[j] - q[i])) ** 2
        for (i, j), c in zip(springs.nodes, springs.damping_constant, strict=True)
    ]
    assert v.ravel() @ C @ v.ravel() == pytest.approx(sum(rate), rel=1e-9)
    spin = np.cross([0.3, -0.2, 0.5], q)  # a rigid motion stretches nothing
    np.testing.assert_allclose(C @ spin.ravel(), 0.0, atol=1e-12)


def test_concatenation_shifts_the_nodes_of_each_body() -> None:
    one, _ = net(1)
    two, _ = net(2)
    both = Springs.joined([one, two.shifted(NODES)])
    assert len(both) == len(one) + len(two)
    np.testing.assert_array_equal(both.nodes[len(one) :], two.nodes + NODES)
    compression = np.concatenate([one.stiffness_in_compression, two.stiffness_in_compression])
    np.testing.assert_array_equal(both.stiffness_in_compression, compression)

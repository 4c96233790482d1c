"""Bending elements of rods against finite differences of a plain energy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import elements as naive
from signorini.elements.element import NO_STATE
from signorini.elements.rod_bending import RodBending
from support.element_sets import assembled


def chain(count: int, *, rest: float, damping: float = 0.0) -> RodBending:
    first = np.arange(count - 2)
    nodes = np.column_stack([first, first + 1, first + 2]).astype(np.int32)
    rng = np.random.default_rng(0)
    return RodBending(nodes, np.full(len(nodes), rest), rng.uniform(1.0, 3.0, len(nodes)), np.full(len(nodes), damping))


def naive_energy(bending: RodBending, q: naive.Array) -> float:
    """Σ ½ k (2 tan(φ/2) − κ₀)², φ from the angle between the segments."""
    total = 0.0
    for (a, b, c), rest, k in zip(bending.nodes, bending.rest_curvature, bending.curvature_stiffness, strict=True):
        u, w = q[b] - q[a], q[c] - q[b]
        angle = np.arctan2(np.linalg.norm(np.cross(u, w)), u @ w)
        total += 0.5 * k * (2.0 * np.tan(0.5 * angle) - rest) ** 2
    return float(total)


def crumpled(seed: int, count: int = 5) -> naive.Array:
    rng = np.random.default_rng(seed)
    return np.column_stack([np.arange(count), np.zeros(count), np.zeros(count)]) + 0.4 * rng.uniform(-1, 1, (count, 3))


@pytest.mark.parametrize("rest", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_energy_and_force_are_those_of_the_twin(rest: float, seed: int) -> None:
    bending, q = chain(5, rest=rest), crumpled(seed)
    assert bending.energy(q, NO_STATE) == pytest.approx(naive_energy(bending, q), rel=1e-12)
    expected = naive.force_by_differences(lambda x: naive_energy(bending, x), q)
    np.testing.assert_allclose(assembled(bending, q)[1], expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_forces_sum_to_zero_and_exert_no_moment(seed: int) -> None:
    q = crumpled(seed)
    force = assembled(chain(5, rest=0.2), q)[1]
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-13)
    np.testing.assert_allclose(np.cross(q, force).sum(axis=0), 0.0, atol=1e-12)


def test_stiffness_of_a_straight_rod_is_the_derivative_of_its_force() -> None:
    bending = chain(5, rest=0.0)
    q = np.outer(np.arange(5), [1.0, 2.0, 2.0]) / 3.0
    K = -naive.jacobian_by_differences(lambda x: assembled(bending, x)[1], q)
    np.testing.assert_allclose(assembled(bending, q, dt=0.5)[0], 0.25 * K, atol=1e-7 * np.abs(K).max())


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), rest=st.sampled_from([0.0, 0.5, 3.0]), fold=st.sampled_from([1.0, 0.0, -1.0]))
def test_stiffness_is_finite_and_positive_semidefinite(seed: int, rest: float, fold: float) -> None:
    q = crumpled(seed)
    q[4] = q[2] + fold * (q[4] - q[2])  # 0: two vertices on one point; -1: nearly folded back
    A, b = assembled(chain(5, rest=rest, damping=0.1), q, dt=0.1)
    assert np.isfinite(A).all()
    assert np.isfinite(b).all()
    assert np.linalg.eigvalsh(0.5 * (A + A.T)).min() >= -1e-9 * max(np.abs(A).max(), 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_damping_takes_the_energy_of_the_rate_of_curvature_only(seed: int) -> None:
    bending, q, dt, h = chain(5, rest=0.1, damping=0.07), crumpled(seed), 0.5, 1e-6
    C = (assembled(bending, q, dt=dt)[0] - assembled(chain(5, rest=0.1), q, dt=dt)[0]) / dt
    v = np.random.default_rng(seed).normal(size=q.shape)
    rate = (bending.curvatures(q + h * v) - bending.curvatures(q - h * v)) / (2.0 * h)
    assert v.ravel() @ C @ v.ravel() == pytest.approx(0.07 * bending.curvature_stiffness @ rate**2, rel=1e-6)
    spin = np.cross([0.3, -0.2, 0.5], q)
    np.testing.assert_allclose(C @ spin.ravel(), 0.0, atol=1e-12)

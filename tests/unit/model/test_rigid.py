"""Quaternions against SciPy, and the free rotation of rigid bodies against the closed form of Euler's top."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipk

from signorini.model import rigid_bodies_kernels as kernels
from signorini.model.rigid_bodies import RigidBodies, build_rigid_bodies, predict_spin, turned, turned_vectors


def one_body(inertia: np.ndarray) -> RigidBodies:
    return build_rigid_bodies([0], np.array([1.0]), inertia[None])


def spin(bodies: RigidBodies, rotations: np.ndarray, w: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Orientation and angular velocity after a step without contact, as the time loop composes them."""
    free = predict_spin(bodies, rotations, w, dt)
    w1 = np.linalg.solve(free.inertia, free.momentum[:, :, None])[:, :, 0]
    after = turned(rotations, dt * (w1 + free.drift))
    momentum = np.einsum("bij,bj->bi", free.inertia, w1)
    return after, bodies.angular_velocity(after, momentum)


def energy(bodies: RigidBodies, rotations: np.ndarray, w: np.ndarray) -> float:
    return 0.5 * float((w * bodies.momentum(rotations, w)).sum())


@pytest.mark.parametrize("seed", range(3))
def test_vectors_turn_as_in_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    R, x = Rotation.random(6, random_state=seed), rng.normal(size=(6, 3))
    np.testing.assert_allclose(turned_vectors(R.as_quat(), x), R.apply(x), atol=1e-14)
    back = [kernels.rotate_back(r, *v) for r, v in zip(R.as_quat(), x, strict=True)]
    np.testing.assert_allclose(back, R.inv().apply(x), atol=1e-14)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-5, 0.9e-4, 1.1e-4, 0.3, 3.0, 20.0])
def test_turns_compose_as_in_scipy(size: float) -> None:
    rng = np.random.default_rng(1)
    R = Rotation.random(5, random_state=3)
    vectors = rng.normal(size=(5, 3))
    vectors *= size / np.linalg.norm(vectors, axis=1, keepdims=True)
    after = turned(R.as_quat(), vectors)
    np.testing.assert_allclose(np.linalg.norm(after, axis=1), 1.0, atol=1e-15)
    expected = (Rotation.from_rotvec(vectors) * R).as_matrix()
    np.testing.assert_allclose(Rotation.from_quat(after).as_matrix(), expected, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-11, 1e-6, 0.4, 3.1])
def test_the_turn_between_two_orientations_leads_from_one_to_the_other(angle: float) -> None:
    R = Rotation.random(random_state=5)
    vector = angle * np.array([2.0, -1.0, 2.0]) / 3.0
    out = np.empty(3)
    kernels.turn_between(R.as_quat(), turned(R.as_quat()[None], vector[None])[0], out)
    np.testing.assert_allclose(out, vector, atol=1e-14)


def test_world_inertia_is_the_turned_tensor() -> None:
    J0 = np.array([[2.0, 0.3, -0.1], [0.3, 1.0, 0.2], [-0.1, 0.2, 3.0]])
    bodies, R = one_body(J0), Rotation.random(random_state=2)
    J = R.as_matrix() @ J0 @ R.as_matrix().T
    rotations, w = R.as_quat()[None], np.array([[0.3, -2.0, 1.0]])
    np.testing.assert_allclose(bodies.world_inertia(rotations)[0], J, atol=1e-14)
    np.testing.assert_allclose(bodies.momentum(rotations, w)[0], J @ w[0], atol=1e-14)
    np.testing.assert_allclose(bodies.angular_velocity(rotations, w)[0], np.linalg.solve(J, w[0]), atol=1e-14)


def test_a_ball_turns_at_constant_rate() -> None:
    bodies, w = one_body(0.4 * np.eye(3)), np.array([[3.0, -4.0, 12.0]])
    rotations = Rotation.random(random_state=1).as_quat()[None]
    free = predict_spin(bodies, rotations, w, 0.02)
    np.testing.assert_allclose(free.drift, 0.0, atol=1e-12)
    after, _ = spin(bodies, rotations, w, 0.02)
    expected = Rotation.from_rotvec(0.02 * w[0]) * Rotation.from_quat(rotations[0])
    np.testing.assert_allclose(Rotation.from_quat(after[0]).as_matrix(), expected.as_matrix(), atol=1e-13)


@pytest.mark.parametrize("dt", [1e-3, 2e-2])
def test_momentum_and_energy_of_free_rotation_do_not_drift(dt: float) -> None:
    """10,000 steps of a tumbling body of principal moments 1 : 2 : 2.7 (as a brick), at 5 rad/s.

    The momentum is constant but for rounding; the energy changes by 1e-7 at 20 ms (0.1 rad a step), 1e-13 at 1 ms.
    """
    tilt = Rotation.random(random_state=7).as_matrix()
    bodies = one_body(tilt @ np.diag([0.01, 0.02, 0.027]) @ tilt.T)
    rotations, w = Rotation.random(random_state=8).as_quat()[None], np.array([[3.0, 4.0, 0.5]])
    L0, E0 = bodies.momentum(rotations, w), energy(bodies, rotations, w)
    energies = []
    for _ in range(10_000):
        rotations, w = spin(bodies, rotations, w, dt)
        energies.append(energy(bodies, rotations, w) / E0)
    assert np.abs(bodies.momentum(rotations, w) - L0).max() < 1e-12 * np.linalg.norm(L0)
    assert np.abs(np.array(energies) - 1.0).max() < 2e-7
    assert abs(np.mean(energies[-2000:]) - np.mean(energies[:2000])) < 2e-7


@pytest.mark.parametrize("dt", [4e-3, 2e-2])
def test_a_racket_flips_at_the_period_of_eulers_top(dt: float) -> None:
    """Rotation about the middle axis is unstable; ω2 changes sign every half period 2 K(k) / rate (Landau-Lifshitz §37)."""
    I1, I2, I3 = moments = np.array([0.0011, 0.0153, 0.0164])
    bodies, R = one_body(np.diag(moments)), Rotation.random(random_state=4)
    body_w = np.array([0.02, 6.0, 0.1])
    rotations, w = R.as_quat()[None], R.apply(body_w)[None]
    twice_energy, square = moments @ body_w**2, ((moments * body_w) ** 2).sum()
    assert square > twice_energy * I2
    rate = np.sqrt((I3 - I2) * (square - twice_energy * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (twice_energy * I3 - square) / ((I3 - I2) * (square - twice_energy * I1))
    half_period = 2.0 * ellipk(m) / rate
    times, before, t = [], body_w[1], 0.0
    while len(times) < 5:
        rotations, w = spin(bodies, rotations, w, dt)
        now = Rotation.from_quat(rotations[0]).inv().apply(w[0])[1]
        if now * before < 0.0:
            times.append(t + dt * before / (before - now))
        before, t = now, t + dt
        assert t < 20.0 * half_period
    np.testing.assert_allclose(np.diff(times), half_period, rtol=0.01)

"""The work of scripts and the loss by friction through contacts, beside the same in plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.methods.energy_balance_kernels import contact_work


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("scripted", [False, True])
def test_contact_work_is_that_of_plain_sums(scripted: bool, shifted: bool) -> None:
    random, m, v, bodies = np.random.default_rng(5), 200, 30, 6
    vertices = random.integers(-1, v, (m, 4)).astype(np.int32)
    weights = random.normal(size=(m, 4))
    normal = random.normal(size=(m, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    pair = random.integers(0, bodies, (m, 2)).astype(np.int32)
    impulse = random.normal(size=(m, 3)) * (random.random(m) < 0.6)[:, None]
    moving, movable = random.normal(size=(v, 3)), np.array([True, True, False, True, True, False])
    prescribed = random.normal(size=(v, 3)) if scripted else np.zeros((0, 3))
    scripts, friction = np.zeros(bodies), np.zeros(bodies)
    n, points = 8, m if shifted else 0
    shift, spins = random.normal(size=(points, 2, 3)), random.integers(-1, n, (points, 2)).astype(np.int32)
    velocity = random.normal(size=(n, 3))
    contact_work(
        vertices, weights, normal, pair, impulse, moving, shift, spins, velocity, prescribed, movable, scripts, friction
    )

    w = np.where(vertices >= 0, weights, 0.0)[:, :, None]
    tangential = impulse - (impulse * normal).sum(axis=1, keepdims=True) * normal
    sliding = (w * moving[vertices]).sum(axis=1)
    if shifted:
        turning = np.where(spins[:, :, None] >= 0, np.cross(velocity[spins], shift), 0.0)
        sliding += turning[:, 0] - turning[:, 1]
    loss = -(tangential * sliding).sum(axis=1)
    body = np.where(movable[pair[:, 0]], pair[:, 0], pair[:, 1])
    expected = np.bincount(body, loss, bodies)
    assert np.abs(expected).max() > 1.0
    assert friction == pytest.approx(expected, rel=1e-12)
    if scripted:
        work = -(impulse * (w * prescribed[vertices]).sum(axis=1)).sum(axis=1)
        assert scripts == pytest.approx(np.bincount(body, work, bodies), rel=1e-12)
    else:
        assert not scripts.any()

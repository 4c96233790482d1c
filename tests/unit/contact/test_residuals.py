"""The residuals against their definitions, written down with dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

from reference.ica import dense_jacobians
from reference.problems import random_mlcp
from signorini.solvers import measure


@pytest.mark.parametrize("cone", ["pyramid", "cone"])
@pytest.mark.parametrize("seed", range(6))
def test_residuals_are_as_defined(cone, seed):
    rng = np.random.default_rng(seed)
    problem = random_mlcp(rng, rows=4, columns=3, contacts=3, friction=0.4)
    dv = rng.normal(scale=0.1, size=(problem.node_count, 3))
    lam = rng.uniform(0.0, 1e-3, size=3)
    gam = rng.uniform(-0.4, 0.4, size=(3, 2)) * lam[:, None]
    residuals = measure(problem, dv, np.column_stack([lam, gam]), cone)

    A = problem.A.to_scipy().toarray()
    D_inv = np.linalg.inv(A * np.kron(np.eye(problem.node_count), np.ones((3, 3))))
    J, H = dense_jacobians(problem)
    u_n = J @ dv.ravel() + problem.free_velocity[:, 0] + problem.gap / problem.dt
    u_t = (H @ dv.ravel()).reshape(-1, 2) + problem.free_velocity[:, 1:]
    f = J.T @ lam + H.T @ gam.ravel()
    r = A @ dv.ravel() - f
    b_n = np.diag(J @ D_inv @ J.T)
    assert residuals.normal == pytest.approx(np.abs(np.minimum(b_n * lam, u_n)).max())
    assert residuals.penetration_velocity == pytest.approx(max(0.0, -u_n.min()))
    assert residuals.dynamics == pytest.approx(np.abs(D_inv @ r).max())
    assert residuals.dynamics_relative == pytest.approx(np.linalg.norm(r) / np.linalg.norm(f))
    B_t = H @ D_inv @ H.T
    blocks = [B_t[2 * c : 2 * c + 2, 2 * c : 2 * c + 2] for c in range(3)]
    expected = [friction_distance(blocks[c], u_t[c], gam[c], 0.4 * lam[c], cone) for c in range(3)]
    assert residuals.friction == pytest.approx(max(expected))


def friction_distance(B: np.ndarray, u: np.ndarray, gam: np.ndarray, bound: float, cone: str) -> float:
    if cone == "pyramid":
        b = np.diag(B)
        return float(np.abs(b * (gam - np.clip(gam - u / b, -bound, bound))).max())
    b = np.linalg.eigvalsh(B)[-1]
    step = gam - u / b
    projected = step * min(1.0, bound / np.linalg.norm(step))
    return float(b * np.linalg.norm(gam - projected))


def test_complementarity_counts_not_only_penetration():
    """A contact that pushes while it separates is wrong, however far it is from penetrating."""
    problem = random_mlcp(np.random.default_rng(0), contacts=1)
    problem.free_velocity[:] = [[1.0, 0.0, 0.0]]
    impulse = np.array([[1.0, 0.0, 0.0]])
    residuals = measure(problem, np.zeros((problem.node_count, 3)), impulse)
    assert residuals.penetration_velocity == 0.0
    assert residuals.normal > 0.5

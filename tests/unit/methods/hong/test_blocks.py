"""Forces in blocks against their definition, element by element: both models, damping, full and half-full blocks."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.elements.laws.neo_hookean_kernels import G0, G1, G2, J0
from signorini.methods.hong import blocks_kernels, forces_kernels
from signorini.methods.hong.blocks import build_blocks
from signorini.methods.hong.blocks_kernels import DETERMINANT, DISTORTION, DISTORTION_SLOPE, FAR, LANES, ROWS
from signorini.methods.hong.forces import elastic_forces
from signorini.methods.hong.solids import Solids

NODES = 40


def random_tets(count: int, models: list[int], seed: int = 0) -> tuple[Solids, np.ndarray]:
    """Elements of any nodes and rest shapes, and node positions in which some are inverted, blown up and crushed."""
    rng = np.random.default_rng(seed)
    nodes = np.array([rng.choice(NODES, 4, replace=False) for _ in range(count)], dtype=np.int32).reshape(-1, 4)
    q = rng.standard_normal((NODES, 3))
    edges = (q[nodes[:, 1:]] - q[nodes[:, :1]]).transpose(0, 2, 1)
    rest = edges @ (np.eye(3) + 0.4 * rng.standard_normal((count, 3, 3)))
    rest[1::5] *= -1.0  # inverted
    rest[2::5] *= 0.4  # det F of 15 and more
    rest[3::5] *= 3.0  # det F of 1/27 and less
    volume, mu = rng.uniform(0.5, 2.0, count), rng.uniform(1.0, 3.0, count)
    tets = Solids(
        nodes, np.linalg.inv(rest).astype(np.float64), volume, mu, rng.uniform(1.0, 9.0, count), rng.uniform(0.0, 0.2, count),
        np.resize(np.array(models, dtype=np.uint8), count),
    )  # fmt: skip
    return tets, q


def naive_element(tets: Solids, e: int, q, v):
    """Frame, elastic and viscous forces (3, 3) on the nodes 1, 2, 3 of element e, from the formulas."""
    n, G = tets.nodes[e], tets.rest_inverse[e]
    F, rate = ((x[n[1:]] - x[n[0]]).T @ G for x in (q, v))
    mu, lam, beta = tets.lame_mu[e], tets.lame_lambda[e], tets.stiffness_damping[e]
    if tets.neo_hookean[e]:
        J, square, S = np.linalg.det(F), (F**2).sum(), F
        cofactor = np.array([np.cross(F[(i + 1) % 3], F[(i + 2) % 3]) for i in range(3)])
        d, least = J - J0, 3.0 * J0 ** (2.0 / 3.0)
        g, slope = (J ** (-2 / 3), -2 / 3 * J ** (-5 / 3)) if d >= 0 else (G0 + d * (G1 + d * G2 / 2), G1 + d * G2)
        size, growth = square, 1.0
        if square < least:
            size += 5.0 * (least - square) ** 3 / (3.0 * least**2)
            growth -= 5.0 * (least - square) ** 2 / least**2
        P = mu * growth * g * F + (0.5 * mu * size * slope + (lam + 2 / 3 * mu) * (J - 1)) * cofactor
    else:
        U, _, Vt = np.linalg.svd(F)
        S = U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt
        P = 2 * mu * (F - S) + lam * (np.trace(S.T @ F) - 3.0) * S
    strain = 0.5 * (S.T @ rate + rate.T @ S)
    viscous = beta * S @ (2 * mu * strain + lam * np.trace(strain) * np.eye(3))
    return S, -tets.volume[e] * G @ P.T, -tets.volume[e] * G @ viscous.T


@pytest.mark.parametrize("count", [1, 16, 33, 70])
@pytest.mark.parametrize("models", [[1], [0], [1, 0, 0]])
@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_forces_are_those_of_the_formulas(count, models, damping):
    """Blocks hold one model each, whatever the order of the elements; those that fill up a block add nothing."""
    tets, q = random_tets(count, models)
    tets.stiffness_damping[:] *= damping
    tets.stiffness_damping[::3] = 0.0
    rng, b = np.random.default_rng(1), build_blocks(tets)
    v, inverse_mass, drag = rng.standard_normal(q.shape), rng.uniform(0.5, 2.0, NODES), rng.uniform(0.0, 1.0, NODES)
    inverse_mass[3], gravity = 0.0, np.array([0.1, 0.2, -9.81])
    frames, elastic, total = np.empty((count, 3, 3)), np.empty((count, 3, 3)), np.zeros((NODES, 3))
    for e in range(count):
        frames[e], elastic[e], viscous = naive_element(tets, e, q, v)
        total[tets.nodes[e, 1:]] += elastic[e] + viscous
        total[tets.nodes[e, 0]] -= (elastic[e] + viscous).sum(axis=0)
    expected = total * inverse_mass[:, None] + gravity - drag[:, None] * v
    expected[3] = 0.0
    force = elastic_forces(tets, q)
    assert force.frames == pytest.approx(frames, rel=1e-9, abs=1e-9)
    assert force.forces == pytest.approx(elastic, rel=1e-9, abs=1e-10 * np.abs(elastic).max())
    a, again = np.empty((NODES, 3)), np.empty((NODES, 3))
    forces_kernels.accelerate_at(
        b.nodes, b.order, b.constants, b.counts, b.neo_hookean, b.damped, q, v, inverse_mass, gravity, drag, False,
        frames, elastic, a,
    )  # fmt: skip
    forces_kernels.accelerate(
        b.nodes, b.order, b.constants, b.counts, b.damped, force.frames, force.forces, v, inverse_mass, gravity, drag, again
    )  # fmt: skip
    assert a == pytest.approx(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())
    assert again == pytest.approx(expected, rel=1e-9, abs=1e-10 * np.abs(expected).max())
    assert b.damped.any() == (damping > 0.0 and count > 1)


def test_blocks_hold_every_element_once():
    tets, _ = random_tets(37, [0, 1, 1])
    b = build_blocks(tets)
    kept = np.concatenate([b.order[k * LANES : k * LANES + n] for k, n in enumerate(b.counts)])
    assert sorted(kept.tolist()) == list(range(37))
    for k, n in enumerate(b.counts):
        rows = b.order[k * LANES : k * LANES + n]
        assert (tets.neo_hookean[rows] == b.neo_hookean[k]).all()
        assert (b.nodes[k * LANES : k * LANES + n] == tets.nodes[rows]).all()
    assert len(build_blocks(random_tets(0, [1])[0]).counts) == 0


def test_the_distortion_is_exact_to_rounding():
    """g = J^(-2/3) and g' by vectors are as good as by a logarithm, also at the ends of the approximation and beyond."""
    J = np.concatenate(
        [np.random.default_rng(0).uniform(J0, FAR, 20 * LANES - 6), [J0, np.nextafter(FAR, 9.0), FAR, 50.0, 1.0, 6.0]]
    )
    W = np.empty(ROWS * LANES)
    for part in J.reshape(-1, LANES):
        W[DETERMINANT * LANES : (DETERMINANT + 1) * LANES] = part
        blocks_kernels.distort(W)
        exact = part.astype(np.longdouble) ** (np.longdouble(-2.0) / 3)
        assert W[DISTORTION * LANES : (DISTORTION + 1) * LANES] == pytest.approx(
            exact.astype(float), rel=8e-16, abs=0.0
        )
        assert W[DISTORTION_SLOPE * LANES :] == pytest.approx((-2 * exact / 3 / part).astype(float), rel=1e-15, abs=0.0)
    below = np.linspace(-3.0, J0, LANES)
    W[DETERMINANT * LANES : (DETERMINANT + 1) * LANES] = below
    blocks_kernels.distort(W)
    d = below - J0
    assert W[DISTORTION * LANES : (DISTORTION + 1) * LANES] == pytest.approx(G0 + d * (G1 + 0.5 * d * G2), rel=1e-14)
    assert W[DISTORTION_SLOPE * LANES :] == pytest.approx(G1 + d * G2, rel=1e-14)

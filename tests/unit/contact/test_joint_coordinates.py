"""Change to the coordinates of mechanisms against dense matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference.joint_coordinates import dense_change, dense_jacobian
from signorini.contact.frames import FramedProblem
from signorini.contact.joint_coordinates import JointCoordinates, LimitRows, MechanismCoordinates
from signorini.contact.mlcp import Mlcp
from signorini.linalg.block_matrix import BlockMatrix

NODES = 9


def problem(rng: np.random.Generator, contacts: int = 6) -> FramedProblem:
    counts = rng.integers(1, 5, contacts)
    counts[0] = 0  # a contact that moves nothing
    nodes = np.concatenate([rng.choice(NODES, k, replace=False) for k in counts]).astype(np.int32)
    mlcp = Mlcp(
        A=BlockMatrix(
            np.arange(NODES + 1, dtype=np.int32), np.arange(NODES, dtype=np.int32), np.tile(np.eye(3), (NODES, 1, 1))
        ),
        jacobian_indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        jacobian_nodes=nodes,
        jacobian_blocks=rng.normal(size=(len(nodes), 3, 3)),
        gap=rng.random(contacts),
        free_velocity=rng.normal(size=(contacts, 3)),
        friction=np.full(contacts, 0.3),
        dt=1e-2,
    )
    return FramedProblem(mlcp, np.tile(np.eye(3), (contacts, 1, 1)))


def mechanisms(rng: np.random.Generator) -> list[MechanismCoordinates]:
    """One of two bodies with four free motions (six columns, the last two empty), and one of one body with three."""
    found = []
    for nodes, free in (([1, 2, 5, 6], 4), ([7, 8], 3)):
        width = 3 * -(-free // 3)
        T = np.zeros((3 * len(nodes), width))
        T[:, :free] = rng.normal(size=(len(T), free))
        back = np.zeros((width, len(T)))
        back[:free] = np.linalg.pinv(T[:, :free])
        found.append(MechanismCoordinates(np.array(nodes), T, back, rng.normal(size=len(T)), 2.0))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_contact_problem_in_coordinates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, own = problem(rng), mechanisms(rng)
    row = rng.normal(size=12)
    limits = LimitRows(np.array([0]), (row,), np.array([0.4]), np.array([0.01]))
    coordinates = JointCoordinates(own, limits, NODES)
    reduced = coordinates.reduced(given).mlcp
    T, G = dense_change(own, NODES), dense_jacobian(given.mlcp, NODES)
    np.testing.assert_allclose(dense_jacobian(reduced, NODES), G @ T, atol=1e-12)
    shifted = given.mlcp.free_velocity + (G @ coordinates.shift.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(reduced.free_velocity, shifted, atol=1e-12)
    for c in range(reduced.contact_count):  # no node twice in a contact
        nodes = reduced.jacobian_nodes[reduced.jacobian_indptr[c] : reduced.jacobian_indptr[c + 1]]
        assert len(set(nodes.tolist())) == len(nodes)
    limited = coordinates.with_limits(reduced)
    wide = np.zeros(3 * NODES)
    wide[(3 * own[0].nodes[:, None] + np.arange(3)).ravel()] = row
    np.testing.assert_allclose(dense_jacobian(limited, NODES)[-3], wide @ T, atol=1e-12)
    assert not dense_jacobian(limited, NODES)[-2:].any()
    assert limited.free_velocity[-1, 0] == pytest.approx(0.4 + row @ own[0].shift)


def test_velocities_of_coordinates_and_back() -> None:
    rng = np.random.default_rng(7)
    own = mechanisms(rng)
    nothing = LimitRows(np.zeros(0, np.intp), (), np.zeros(0), np.zeros(0))
    coordinates = JointCoordinates(own, nothing, NODES)
    w = rng.normal(size=(NODES, 3))
    for m in own:  # coordinates that move nothing
        w[m.nodes[len(m.virtual) :]] = 0.0
        w[m.virtual[-1]] *= 1.0 if m.T[:, -1].any() else np.array([1.0, 0.0, 0.0])
    v = coordinates.velocities_of(w)
    T = dense_change(own, NODES)
    np.testing.assert_allclose(v, (T @ w.ravel()).reshape(-1, 3) + coordinates.shift, atol=1e-12)
    np.testing.assert_allclose(coordinates.coordinates_of(v), w, atol=1e-12)
    plain = problem(rng)
    assert coordinates.with_limits(plain.mlcp) is plain.mlcp
    assert replace(plain).mlcp is plain.mlcp

"""The map from nodes to surface vertices against a dense matrix and against finite differences of positions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.model.rigid_attachments import RigidAttachments, attached_map
from signorini.model.surface_map import SurfaceMap, join_rows, node_rows, prescribed_rows, rigid_rows, weighted_rows

NODES = 12
"""0 to 3 of a cloth, 4 to 7 of a tetrahedron, 8 and 9, 10 and 11 of two rigid bodies."""


def cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def mixed_map() -> SurfaceMap:
    rng = np.random.default_rng(3)
    weights = rng.dirichlet(np.ones(4), 3)
    weights[1] = [0.0, 0.25, 0.0, 0.75]
    return join_rows(
        [
            node_rows(np.arange(4)),
            weighted_rows(np.tile([4, 5, 6, 7], (3, 1)), weights),
            rigid_rows(rng.normal(size=(2, 3)), 8, 0),
            rigid_rows(rng.normal(size=(3, 3)), 10, 1),
            prescribed_rows(2),
        ]
    )


def dense(surface_map: SurfaceMap) -> np.ndarray:
    """(v, 3, n, 3)"""
    M = np.zeros((surface_map.vertex_count, 3, NODES, 3))
    for i in range(surface_map.vertex_count):
        for e in range(surface_map.indptr[i], surface_map.indptr[i + 1]):
            M[i, :, surface_map.nodes[e]] += surface_map.weights[e] * np.eye(3) - cross_matrix(surface_map.arms[e])
    return M


def random_state(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(NODES, 3))
    q[[9, 11]] = 0.0
    return q, Rotation.random(2, random_state=seed).as_quat(), rng.normal(size=(NODES, 3))


def test_rows_have_the_nodes_they_were_given() -> None:
    surface_map = mixed_map()
    assert np.diff(surface_map.indptr).tolist() == [1] * 4 + [4, 2, 4] + [2] * 5 + [0, 0]
    assert surface_map.widest == 4
    assert surface_map.rotating
    assert not join_rows([node_rows(np.arange(3))]).rotating


def test_velocities_are_the_product_with_the_blocks() -> None:
    _, rotations, v = random_state(1)
    surface_map = mixed_map().turned(rotations)
    np.testing.assert_allclose(surface_map.velocities(v), np.einsum("vinj,nj->vi", dense(surface_map), v), atol=1e-14)


@pytest.mark.parametrize("attached", [False, True])
def test_velocities_are_the_derivative_of_positions(attached: bool) -> None:
    q, rotations, v = random_state(2)
    surface_map = mixed_map()
    if attached:
        surface_map = attached_map(surface_map, attachments())
    h = 1e-6

    def moved(step: float) -> np.ndarray:
        turned = (Rotation.from_rotvec(step * v[[9, 11]]) * Rotation.from_quat(rotations)).as_quat()
        there = q + step * v
        there[[9, 11]] = 0.0
        return surface_map.positions(there, turned)

    expected = (moved(h) - moved(-h)) / (2.0 * h)
    np.testing.assert_allclose(surface_map.turned(rotations).velocities(v), expected, atol=1e-8)


def test_positions_of_each_kind() -> None:
    q, rotations, _ = random_state(4)
    surface_map = mixed_map()
    x = surface_map.positions(q, rotations)
    assert np.array_equal(x[:4], q[:4])
    np.testing.assert_allclose(x[5], 0.25 * q[5] + 0.75 * q[7], atol=1e-15)
    arms = surface_map.rest_arms[surface_map.rotor == 1]
    np.testing.assert_allclose(x[9:12], q[10] + Rotation.from_quat(rotations[1]).apply(arms), atol=1e-14)
    assert not x[12:].any()


def attachments() -> RigidAttachments:
    """Cloth node 2 and nodes 4 and 6 of the tetrahedron, to the two bodies."""
    rng = np.random.default_rng(9)
    return RigidAttachments(
        np.array([2, 4, 6], np.int32),
        np.array([1, 0, 1], np.int32),
        np.array([10, 8, 10], np.int32),
        rng.normal(size=(3, 3)),
    )


def test_attached_nodes_are_replaced_by_the_bodies_that_carry_them() -> None:
    q, rotations, v = random_state(5)
    plain, bodies = mixed_map(), attachments()
    reduced = attached_map(plain, bodies)
    assert not set(reduced.nodes.tolist()) & {2, 4, 6}
    bodies.place(q, rotations)
    bodies.carry(v, rotations)
    np.testing.assert_allclose(reduced.positions(q, rotations), plain.positions(q, rotations), atol=1e-14)
    expected = plain.turned(rotations).velocities(v)
    np.testing.assert_allclose(reduced.turned(rotations).velocities(v), expected, atol=1e-14)

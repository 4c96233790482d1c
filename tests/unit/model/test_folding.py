"""Elimination of attached nodes against the dense product T'AT."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.linalg.block_matrix import BlockMatrix, build_pattern
from signorini.model.folding import build_folding, fold, reduced_pairs
from signorini.model.rigid_attachments import RigidAttachments

NODES = 10
"""0 to 5 are particles, 6 and 7, 8 and 9 are two rigid bodies."""
PAIRS = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 3], [1, 4]])
ATTACHED = {"one": ([1], [0]), "neighbours": ([1, 2], [0, 0]), "two bodies": ([2, 1, 4], [0, 1, 1])}


def cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


@pytest.mark.parametrize("case", ATTACHED)
def test_the_reduced_system_is_the_dense_product(case: str) -> None:
    rng = np.random.default_rng(len(case))
    nodes, rotor = (np.array(part, np.int32) for part in ATTACHED[case])
    attachments = RigidAttachments(nodes, rotor, (6 + 2 * rotor).astype(np.int32), rng.normal(size=(len(nodes), 3)))
    rotations = Rotation.random(2, random_state=1).as_quat()
    pattern = build_pattern(NODES, reduced_pairs(NODES, PAIRS, attachments))
    dense = _random_matrix(rng)
    A = BlockMatrix(pattern.indptr, pattern.indices, np.zeros_like(pattern.data))
    for i in range(NODES):
        for k in range(A.indptr[i], A.indptr[i + 1]):
            A.data[k] = dense[i, :, A.indices[k], :]
    b, mass = rng.normal(size=(NODES, 3)), rng.uniform(1.0, 2.0, NODES)
    T = np.zeros((NODES, 3, NODES, 3))
    for i in range(NODES):
        T[i, :, i] = np.eye(3)
    for k, i in enumerate(nodes):
        T[i, :, i] = 0.0
        T[i, :, attachments.linear[k]] = np.eye(3)
        T[i, :, attachments.linear[k] + 1] = -cross_matrix(attachments.arms(rotations)[k])
    T = T.reshape(3 * NODES, 3 * NODES)
    expected = T.T @ dense.reshape(3 * NODES, 3 * NODES) @ T
    expected_b = T.T @ b.ravel()
    for i in nodes:
        expected[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = mass[i] * np.eye(3)
    fold(build_folding(pattern, attachments), attachments, rotations, A.data, b, mass)
    np.testing.assert_allclose(A.to_scipy().toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(b.ravel(), expected_b, atol=1e-12)


def _random_matrix(rng: np.random.Generator) -> np.ndarray:
    """Symmetric (n, 3, n, 3), with blocks on the diagonal and at the pairs."""
    M = np.zeros((NODES, 3, NODES, 3))
    for i, j in [*PAIRS.tolist(), *((i, i) for i in range(NODES))]:
        block = rng.normal(size=(3, 3))
        M[i, :, j] += block
        M[j, :, i] += block.T
    return M


def test_nothing_attached_changes_nothing() -> None:
    none = RigidAttachments(*(np.zeros(0, np.int32) for _ in range(3)), np.zeros((0, 3)))
    assert reduced_pairs(NODES, PAIRS, none) is PAIRS

"""Contact problems in the coordinates of mechanisms by dense matrices: the naive twin of `contact/joint_coordinates`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signorini.contact.joint_coordinates import MechanismCoordinates
from signorini.contact.mlcp import Mlcp


def dense_change(mechanisms: Sequence[MechanismCoordinates], node_count: int) -> np.ndarray:
    """(3n, 3n) the matrix that takes coordinates of all nodes to their velocities, without shifts."""
    T = np.eye(3 * node_count)
    for m in mechanisms:
        own = (3 * m.nodes[:, None] + np.arange(3)).ravel()
        T[own] = 0.0
        virtual = (3 * m.virtual[:, None] + np.arange(3)).ravel()
        T[np.ix_(own, virtual)] = m.T
    return T


def dense_jacobian(mlcp: Mlcp, node_count: int) -> np.ndarray:
    """(3m, 3n)"""
    G = np.zeros((3 * mlcp.contact_count, 3 * node_count))
    for c in range(mlcp.contact_count):
        for e in range(mlcp.jacobian_indptr[c], mlcp.jacobian_indptr[c + 1]):
            node = mlcp.jacobian_nodes[e]
            G[3 * c : 3 * c + 3, 3 * node : 3 * node + 3] += mlcp.jacobian_blocks[e]
    return G

"""Element sets in tests: what they add to a system, dense, and how to find them in a model."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements, Linearisation, Weights, backward_euler
from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries
from signorini.model.model import Model

Array = NDArray[np.float64]
Kind = TypeVar("Kind", bound=Elements)


def elements_of(model: Model, kind: type[Kind]) -> Kind:
    """The one set of a kind in a model."""
    (found,) = [elements for elements in model.elements if isinstance(elements, kind)]
    return found


def at(q: Array, v: Array | None = None, frame_velocity: Array | None = None) -> Linearisation:
    """A linearisation at positions q (n, 3), reached with the velocity v (n, 3)."""
    still = np.zeros_like(q)
    offset = still if v is None else v
    return Linearisation(q, offset, still if frame_velocity is None else frame_velocity, still, 0.0)


def assembled_sparse(
    elements: Elements,
    where: Linearisation,
    weights: Weights,
    internal: Array | None = None,
) -> tuple[BlockMatrix, Array]:
    """What a set adds to the matrix and to the right-hand side."""
    nodes, k, q = elements.nodes, elements.nodes.shape[1], where.positions
    couples = [nodes[:, [a, b]] for a in range(k) for b in range(a)]
    pattern = build_pattern(len(q), np.concatenate([*couples, np.zeros((0, 2), np.int32)]))
    entries = find_entries(pattern, np.repeat(nodes, k, axis=1), np.tile(nodes, (1, k))).reshape(-1, k, k)
    b = np.zeros_like(q)
    state = elements.initial_state(q) if internal is None else internal
    elements.assemble(where, weights, state, entries, pattern.data, b)
    return pattern, b


def assembled(
    elements: Elements, q: Array, v: Array | None = None, dt: float = 1.0, internal: Array | None = None
) -> tuple[Array, Array]:
    """The same for a step of backward Euler, with a dense matrix."""
    A, b = assembled_sparse(elements, at(q, v), backward_euler(dt), internal)
    return A.to_scipy().toarray(), b

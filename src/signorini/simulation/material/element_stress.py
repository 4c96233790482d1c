"""Stress of elements from the forces on their nodes, whatever their law: the mean over an element of size v is −Σ f xᵀ / v.

The forces f of an element on its nodes x balance the stress inside of it, so that the virial theorem gives its mean. With the
area of a membrane in place of a volume it is the tension.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import ElementPart, own_rows
from signorini.elements.element import Elements, Linearisation, Weights
from signorini.methods.moment import World
from signorini.model.state import State

Floats = NDArray[np.float64]
ONLY_FORCES = Weights(force=1.0, damping=0.0, stiffness=0.0)


def parts_of_body(world: World, state: State, number: int) -> Iterator[tuple[Elements, Floats]]:
    """The element sets of a body, each with its internal state."""
    internal = world.model.element_states(state)
    for part in world.parts.elements:
        if part.body == number:
            yield part.elements, _own_state(world, part, internal[part.number])


def _own_state(world: World, part: ElementPart, internal: Floats) -> Floats:
    return internal if part.rows is None else own_rows(internal, part.rows, len(world.model.elements[part.number]))


def element_forces(elements: Elements, positions: Floats, internal: Floats) -> Floats:
    """Forces (e, k, 3) [N] of the elements at rest on their nodes, at positions (n, 3) [m] of all nodes of the model.

    The set is taken apart: each element gets nodes of its own, so that no two forces are added up.
    """
    e, k = elements.nodes.shape
    alone = replace(elements, nodes=np.arange(e * k, dtype=np.int32).reshape(e, k))  # pyright: ignore[reportArgumentType]
    x = np.ascontiguousarray(positions[elements.nodes.ravel()])
    still, forces = np.zeros_like(x), np.zeros_like(x)
    at = Linearisation(x, still, still, still, 0.0)
    nowhere = np.zeros((e, k, k), np.int32)  # all blocks of the matrix, which nobody reads, are one
    alone.assemble(at, ONLY_FORCES, internal, nowhere, np.zeros((1, 3, 3)), forces)
    return forces.reshape(e, k, 3)


def mean_stress(forces: Floats, corners: Floats, size: Floats) -> Floats:
    """(e, 3, 3) −Σ f xᵀ / size, symmetric, of forces (e, k, 3) [N] at corners (e, k, 3) [m].

    `size` (e,) is the present volume [m³], which gives a stress [Pa], or the present area [m²], which gives a tension [N/m].
    """
    arms = corners - corners.mean(axis=1, keepdims=True)  # forces sum to zero; so does rounding
    virial = -np.einsum("eai,eaj->eij", forces, arms)
    return 0.5 * (virial + virial.transpose(0, 2, 1)) / size[:, None, None]

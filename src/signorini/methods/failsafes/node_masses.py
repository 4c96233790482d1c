"""Mass matrix of the nodes, block by block, for impulses and fail-safes, which act at once and feel no elasticity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.model.model import Model
from signorini.model.state import State


def mass_blocks(model: Model, state: State, inertia: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 3, 3) masses and moments of inertia of the nodes, with what is attached to a rigid body added to it.

    `inertia` (b, 3, 3) is that of the rigid bodies in the world [kg m²].
    """
    blocks = model.mass[:, None, None] * np.eye(3)
    blocks[model.rigids.spins] = inertia
    a = model.attachments
    if len(a):
        m, arm = model.mass[a.nodes, None, None], a.arms(state.rotations)
        np.add.at(blocks, a.linear, m * np.eye(3))
        square = (arm**2).sum(axis=1)[:, None, None] * np.eye(3)
        np.add.at(blocks, a.linear + 1, m * (square - arm[:, :, None] * arm[:, None, :]))
    return blocks

"""Elements in blocks of the same material model, laid out for vector instructions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.methods.hong import blocks_kernels as kernels
from signorini.methods.hong.blocks_kernels import CONSTANTS, LANES
from signorini.methods.hong.solids import Solids


@dataclass(frozen=True, slots=True)
class ElementBlocks:
    """b blocks of LANES elements, the last of each model filled up with elements of no size at node 0."""

    nodes: NDArray[np.int32]
    """(b LANES, 4)"""
    order: NDArray[np.int32]
    """(b LANES,) the number of each among the tetrahedra; 0 for those that fill up."""
    constants: NDArray[np.float64]
    """(b, CONSTANTS LANES) in the layout of `blocks_kernels`."""
    counts: NDArray[np.int32]
    """(b,) elements that do not only fill up."""
    neo_hookean: NDArray[np.bool_]
    """(b,)"""
    damped: NDArray[np.bool_]
    """(b,) whether some element has damping."""


def build_blocks(tets: Solids) -> ElementBlocks:
    """Neo-Hookean elements first, otherwise in their order."""
    parts = [np.flatnonzero(tets.neo_hookean), np.flatnonzero(tets.neo_hookean == 0)]
    filled = [np.append(part, np.full(-len(part) % LANES, -1)) for part in parts]
    order, b = np.concatenate(filled), sum(len(part) for part in filled) // LANES
    real = order >= 0
    beta = tets.stiffness_damping[order] * real
    rows = np.empty((len(order), CONSTANTS))
    rows[:, kernels.GRADIENT : kernels.GRADIENT + 9] = tets.rest_inverse[order].reshape(-1, 9)
    rows[:, kernels.MU], rows[:, kernels.LAMBDA] = tets.lame_mu[order], tets.lame_lambda[order]
    rows[:, kernels.MINUS_VOLUME] = -tets.volume[order]
    rows[:, kernels.VISCOUS_MU] = beta * tets.lame_mu[order]
    rows[:, kernels.VISCOUS_LAMBDA] = beta * tets.lame_lambda[order]
    constants = rows.reshape(b, LANES, CONSTANTS).transpose(0, 2, 1).reshape(b, CONSTANTS * LANES)
    return ElementBlocks(
        nodes=np.where(real[:, None], tets.nodes[order], 0).astype(np.int32),
        order=np.where(real, order, 0).astype(np.int32),
        constants=np.ascontiguousarray(constants),
        counts=real.reshape(b, LANES).sum(axis=1).astype(np.int32),
        neo_hookean=np.arange(b) < len(filled[0]) // LANES,
        damped=beta.reshape(b, LANES).max(axis=1) > 0.0,
    )

"""Internal forces of the solids.

Implements: Hong2004 §2 (Neo-Hookean elements; the internal force of nodes that were moved back).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.methods.hong import forces_kernels as kernels
from signorini.methods.hong.blocks import ElementBlocks, build_blocks
from signorini.methods.hong.solids import Solids
from signorini.methods.hong.step_data import StepData

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class InternalForce:
    """Elastic forces at one configuration."""

    frames: Floats
    """(t, 3, 3) F of Neo-Hookean elements, R of co-rotational ones."""
    forces: Floats
    """(t, 3, 3) on the nodes 1, 2, 3 of each element [N]; node 0 has the opposite of their sum."""


def elastic_forces(tets: Solids, q: Floats, *, blocks: ElementBlocks | None = None) -> InternalForce:
    """At positions q (n, 3) [m]; `blocks` are those of the tetrahedra, if they are at hand."""
    force = InternalForce(np.empty((len(tets), 3, 3)), np.empty((len(tets), 3, 3)))
    b = build_blocks(tets) if blocks is None else blocks
    kernels.elastic(b.nodes, b.order, b.constants, b.counts, b.neo_hookean, q, force.frames, force.forces)
    return force


def free_accelerations(step: StepData, force: InternalForce, v: Floats) -> Floats:
    """(n, 3) [m/s²] without contact: elasticity, Rayleigh damping, gravity and drag; 0 for pinned nodes.

    β K of a Neo-Hookean element is taken as Kelvin-Voigt damping of Green's strain: the same at rest, never negative.
    """
    model, b, a = step.model, step.blocks, np.empty_like(v)
    kernels.accelerate(
        b.nodes, b.order, b.constants, b.counts, b.damped, force.frames, force.forces, v, step.inverse_mass,
        model.gravity, model.drag, a,
    )  # fmt: skip
    return a


def interpolated(tets: Solids, before: InternalForce, after: InternalForce, share: Floats) -> InternalForce:
    """The forces after nodes were moved back by the part `share` (n,) of their displacement in the step (Hong2004 §2).

    Whole elements are interpolated, so that the forces of each still sum to zero.
    """
    moved = InternalForce(after.frames, after.forces.copy())
    kernels.interpolate(tets.nodes, share, before.forces, moved.forces)
    return moved

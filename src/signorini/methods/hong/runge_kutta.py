"""One Runge-Kutta step of the constrained motion: contact forces are part of the acceleration at every stage.

Implements: Hong2004 §5 (fourth-order Runge-Kutta with an adaptive step), §3-4 (contact forces). The weights of the
classical method with its last stage replaced by the acceleration at the end are of third order: (k4 − k5) h/6 estimates
the error, and k5 costs nothing, because it is the first stage of the next step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.methods.hong import runge_kutta_kernels as kernels
from signorini.methods.hong.contacts import Touching
from signorini.methods.hong.forces import InternalForce, free_accelerations
from signorini.methods.hong.step_data import StepData

Floats = NDArray[np.float64]

STAGES = 5
"""Quadratic programs of a step: four stages and the end."""


@dataclass(frozen=True, slots=True)
class Motion:
    """Positions, velocities and internal forces of the nodes at one time."""

    time: float
    q: Floats
    """(n, 3) [m]"""
    v: Floats
    """(n, 3) [m/s]"""
    force: InternalForce
    """At q; interpolated where nodes were moved back."""
    acceleration: Floats | None = None
    """(n, 3) without contact [m/s²], if it is known."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The end of one step of Runge-Kutta 4."""

    motion: Motion
    error: float
    """Estimated error of the positions [m]."""
    contact_force: Floats
    """(m,) mean over the step [N]."""
    residual: float
    """Largest |min(W_ii f, d̈)| of a stage [m/s²]."""
    iterations: int
    """Of the interior-point method, over all stages."""
    converged: int
    """Stages whose quadratic program was solved to the tolerance."""


def runge_kutta_step(step: StepData, start: Motion, touching: Touching, h: float, guess: NDArray[np.bool_]) -> Trial:
    """Advance by h [s] with the contacts of the start; `guess` (m,) tells which of them are likely to carry force."""
    model, b, J, problem = step.model, step.blocks, touching.jacobian, touching.problem
    free = free_accelerations(step, start.force, start.v) if start.acceleration is None else start.acceleration
    q, v, a = np.empty_like(start.q), np.empty_like(start.v), np.empty_like(start.v)
    force = InternalForce(np.empty_like(start.force.frames), np.empty_like(start.force.forces))
    mean = np.empty(len(touching))
    error, residual, iterations, converged = kernels.step(
        b.nodes, b.order, b.constants, b.counts, b.neo_hookean, b.damped, step.inverse_mass, model.gravity, model.drag,
        J.indptr, J.nodes, J.blocks, problem.W, problem.unit, problem.Q, touching.bias, guess.copy(),
        start.q, start.v, free, h, q, v, a, force.frames, force.forces, mean,
    )  # fmt: skip
    motion = Motion(start.time + h, q, v, force, a)
    return Trial(motion, error, mean, residual, iterations, converged)

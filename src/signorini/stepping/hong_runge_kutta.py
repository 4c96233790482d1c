"""One Runge-Kutta step of the constrained motion: contact forces are part of the acceleration at every stage.

Implements: Hong2004 §5 (fourth-order Runge-Kutta with an adaptive step), §3-4 (contact forces). The weights of the
classical method with its last stage replaced by the acceleration at the end are of third order: (k4 − k5) h/6 estimates
the error, and k5 costs nothing, because it is the first stage of the next step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.stepping import hong_runge_kutta_kernels as kernels
from signorini.stepping.hong_contacts import Touching, contact_forces
from signorini.stepping.hong_forces import InternalForce, accelerations_at, elastic_forces, free_accelerations
from signorini.stepping.hong_scene import Course

Floats = NDArray[np.float64]

STAGES = 5
"""Quadratic programs of a step: four stages and the end."""


@dataclass(frozen=True, slots=True)
class Motion:
    """The nodes at one time."""

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


class _Stages:
    """Accelerations with contact; remembers which contacts carried force."""

    def __init__(self, course: Course, touching: Touching, guess: NDArray[np.bool_]) -> None:
        self.course, self.touching, self.guess = course, touching, guess
        self.iterations, self.converged, self.residual = 0, 0, 0.0

    def acceleration(self, free: Floats) -> tuple[Floats, Floats]:
        """(n, 3) with contact from the free ones [m/s²], and the contact forces (m,) [N]."""
        touching = self.touching
        if not len(touching):
            self.converged += 1
            return free, np.zeros(0)
        solution = contact_forces(touching, free, self.guess)
        self.guess = solution.x > 0.0
        self.iterations += solution.iterations
        self.converged += solution.converged
        natural = np.minimum(touching.problem.W.diagonal() * solution.x, solution.slack)
        self.residual = max(self.residual, float(np.abs(natural).max()))
        a = free.copy()
        touching.push(self.course, solution.x, a)
        return a, solution.x


def runge_kutta_step(course: Course, start: Motion, touching: Touching, h: float, guess: NDArray[np.bool_]) -> Trial:
    """Advance by h [s] with the contacts of the start; `guess` (m,) tells which of them are likely to carry force."""
    tets, q0, v0 = course.model.elements.tetrahedra, start.q, start.v
    stages = _Stages(course, touching, guess)

    known = start.acceleration
    a1, f1 = stages.acceleration(free_accelerations(course, start.force, v0) if known is None else known)
    q, v2 = _stage(start, v0, a1, 0.5 * h)
    a2, f2 = stages.acceleration(accelerations_at(course, q, v2))
    q, v3 = _stage(start, v2, a2, 0.5 * h)
    a3, f3 = stages.acceleration(accelerations_at(course, q, v3))
    q, v4 = _stage(start, v3, a3, h)
    a4, f4 = stages.acceleration(accelerations_at(course, q, v4))
    q1, v1 = np.empty_like(q0), np.empty_like(v0)
    kernels.combine(q0, v0, v2, v3, v4, a1, a2, a3, a4, h, q1, v1)
    force = elastic_forces(tets, q1)
    free = free_accelerations(course, force, v1)
    a5, _ = stages.acceleration(free)
    error = kernels.error(v4, v1, a4, a5, h)
    mean = (f1 + 2.0 * (f2 + f3) + f4) / 6.0
    motion = Motion(start.time + h, q1, v1, force, free)
    return Trial(motion, error, mean, stages.residual, stages.iterations, stages.converged)


def _stage(start: Motion, velocity: Floats, acceleration: Floats, h: float) -> tuple[Floats, Floats]:
    """Positions and velocities (n, 3) after h [s] with these rates."""
    q, v = np.empty_like(start.q), np.empty_like(start.v)
    kernels.stage(start.q, start.v, velocity, acceleration, h, q, v)
    return q, v

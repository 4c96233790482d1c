"""Inelastic projection: the smallest change of velocity that stops all impacts, and leaves all sliding free.

Implements: Harmon2008 (Robust treatment of simultaneous collisions), §3: min ½‖Δv‖²_M subject to J (v + Δv) = 0 for all
impacts found so far; the motion is looked at again, and what it hits is added, until nothing collides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import splu

from signorini.collision.contact_set import empty_contacts
from signorini.collision.detect import Impacts
from signorini.contact.frames import ContactJacobian, contact_jacobian
from signorini.methods.failsafes.node_masses import mass_blocks
from signorini.methods.moment import Moment, World
from signorini.methods.report import Tally
from signorini.methods.trial_motion import TrialMotion

Floats = NDArray[np.float64]
MAX_ROUNDS = 100
"""Times that impacts are added."""
PROXIMAL = 1e-12
"""Added to the diagonal of the scaled normal equations, which are singular when impacts are redundant."""
MAX_CORRECTIONS = 30
"""Solves with that diagonal; each multiplies the error by PROXIMAL / (eigenvalue + PROXIMAL)."""
SOLVED = 1e-12
"""Normal velocity that is left, relative to the largest before."""
INFEASIBLE = 1e-6
"""The same, above which impacts count as contradicting each other."""
MAX_CONTRADICTIONS = 10
"""Rounds with such impacts before it is given up, when there are rigid bodies: redundant impacts of a body that rotates disagree
by what straight lines deviate from its rotation, less from round to round."""
LARGEST_CONTRADICTION = 0.1
"""Normal velocity that may be left in such a round, relative to the fastest vertex: straight lines deviate less."""
MAX_REPEATS = 10
"""Rounds in which all impacts are constraints already, when there are rigid bodies, whose rotation each round linearises anew;
without them nothing would change from one such round to the next."""
FASTEST = 10.0
"""Vertices that would move faster than this times the fastest one before are squeezed out of where there is no room."""


def apply_inelastic_projection(
    world: World, start: Moment, end_time: float, velocity: NDArray[np.float64], tally: Tally
) -> tuple[Moment | None, Impacts]:
    """Advance to `end_time` [s] with the motion nearest to `velocity` (n, 3) [m/s] in which no impact has a normal velocity.

    Returns the end of the step, certified free by continuous detection, and the impacts of the full motion; or None and the
    impacts that are left when they contradict each other, do not come to an end, or the budget of the step is spent.
    """
    motion = TrialMotion(world, start, end_time)
    model, state = world.model, start.state
    surface_map = model.surface_map.turned(state.rotations)
    inverse_mass = np.asarray(np.linalg.inv(mass_blocks(model, state, motion.spin.inertia)), dtype=np.float64)
    v = v0 = motion.prescribed(velocity)
    contacts, patience, repeats = (
        empty_contacts(),
        *((MAX_CONTRADICTIONS, MAX_REPEATS) if len(model.rigids) else (0, 0)),
    )
    with tally.phase("check"):
        placed = motion.place(v)
        speed = float(np.abs(placed.surface_positions - start.surface_positions).max(initial=0.0)) / motion.dt
        first = found = motion.find_impacts(placed)
        for _ in range(MAX_ROUNDS):
            tally.work.count_check(len(motion.candidates))
            if not len(found.contacts):
                return motion.finish(placed, v), first
            new = found.contacts.only(np.flatnonzero(contacts.same_as(found.contacts) < 0))
            repeats -= not len(new)
            if repeats < 0 or not tally.work.may_go_on_in_failsafe:
                break
            contacts = contacts.merged_with(new)
            tally.work.count_projection(len(contacts))
            # Rotations are linearised about the motion that was tried last (decision 0007).
            moving = motion.surface_velocity(placed.surface_positions) - surface_map.velocities(v - v0)
            J = contact_jacobian(contacts, moving, surface_map, motion.movable)
            projection = project_velocity(J, inverse_mass)
            patience -= not projection.feasible
            fastest = float(np.abs(surface_map.velocities(projection.dv)).max())
            if patience < 0 or projection.residual > LARGEST_CONTRADICTION * speed or fastest > FASTEST * speed:
                break
            v = v0 + projection.dv
            placed = motion.place(v)
            found = motion.find_impacts(placed)
    return None, found


@dataclass(frozen=True, slots=True)
class Projection:
    """The change of velocity that stops the impacts."""

    dv: Floats
    """(n, 3) [m/s]"""
    residual: float
    """The largest normal velocity that is left [m/s]."""
    feasible: bool


def project_velocity(J: ContactJacobian, inverse_mass: Floats) -> Projection:
    """Minimise ½‖Δv‖²_M subject to J Δv + u = 0 for the normal rows of m contacts with normal velocities u [m/s].

    With M⁻¹ = W W' and B = J W scaled to rows of length one, Δv = W y and y = −B' λ with B B' λ = u. Redundant impacts make B B'
    singular: λ ← λ + (B B' + ε I)⁻¹ (u − B B' λ), the proximal point iteration, converges to one of its solutions all the
    same, and y does not depend on which. `inverse_mass` is (n, 3, 3), of the nodes.
    """
    n, m = len(inverse_mass), len(J.indptr) - 1
    u = J.free_velocity[:, 0]
    W = np.linalg.cholesky(inverse_mass[J.nodes])
    rows = np.einsum("kji,kj->ki", W, J.blocks[:, 0])
    contact = np.repeat(np.arange(m), np.diff(J.indptr))
    length = np.sqrt(np.bincount(contact, weights=(rows**2).sum(axis=1), minlength=m))
    size = max(float(np.abs(u).max(initial=0.0)), 1e-300)
    held = length == 0.0  # nothing in this contact can be moved
    if (np.abs(u[held]) > INFEASIBLE * size).any():
        return Projection(np.zeros((n, 3)), float(np.abs(u[held]).max()), False)
    length[held] = 1.0
    scaled = rows / length[contact, None]
    columns = 3 * J.nodes.astype(np.int64)[:, None] + np.arange(3)
    B = csr_array((scaled.ravel(), (np.repeat(contact, 3), columns.ravel())), shape=(m, 3 * n))
    y = _least_norm(B, u / length)
    dv = np.zeros((n, 3))
    dv[J.nodes] = np.einsum("kij,kj->ki", W, y.reshape(-1, 3)[J.nodes])
    left = float(np.abs(u + length * (B @ y)).max(initial=0.0))
    return Projection(dv, left, left <= INFEASIBLE * size)


def _least_norm(B: Any, c: Floats) -> Floats:
    """The shortest y with B y + c = 0, or least squares of it when there is none; B (m, k) is sparse, with rows of length one."""
    factor = splu(
        (B @ B.T + PROXIMAL * eye_array(B.shape[0])).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    y = np.zeros(B.shape[1])
    goal = SOLVED * np.abs(c).max(initial=0.0)
    for _ in range(MAX_CORRECTIONS):
        left = c + B @ y
        if np.abs(left).max() <= goal:
            break
        y -= B.T @ factor.solve(left)
    return y

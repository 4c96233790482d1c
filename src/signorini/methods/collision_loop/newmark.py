"""The integrator between two treatments of collisions: semi-implicit Newmark, or backward Euler, and its base step.

Implements: Bridson2003 (elastic forces explicit, damping implicit), step 1 of Sifakis2008 §3 and the CFL number of its §6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics import assembly_kernels
from signorini.dynamics.advance import advance, state_after
from signorini.dynamics.assembly import add_elements, assemble
from signorini.dynamics.unconstrained import solve_unconstrained
from signorini.elements.element import Linearisation, Weights
from signorini.linalg.block_matrix import BlockMatrix
from signorini.methods.collision_loop import newmark_kernels as kernels
from signorini.model.folding import fold
from signorini.model.model import Model
from signorini.model.rigid_bodies import predict_spin
from signorini.model.state import State
from signorini.settings import Settings

Floats = NDArray[np.float64]
EXPLODED = 1e9
"""Positions [m] and speeds [m/s] beyond any scene, far below what would overflow."""


def stable_step(model: Model, state: State) -> float:
    """The step [s] of CFL number 1: ω h = ½ for a bound ω of the highest frequency; inf without elastic forces.

    ω² is Gershgorin's bound of the eigenvalues of M⁻¹K at this state, so that ω h ≤ 2, a CFL number of 4, is the proven limit of
    the explicit half-kicks for small motions. Pins and attachments only lower the frequencies.
    """
    stiffness = np.zeros_like(model.pattern.data)
    add_elements(model, state, _at(model, state), Weights(0.0, 0.0, 1.0), stiffness, np.zeros_like(state.q))
    square = kernels.frequency_bound(model.pattern.indptr, stiffness, model.mass)
    return 0.5 / math.sqrt(square) if square > 0.0 else math.inf


def integrate(model: Model, state: State, end_time: float, steps: int, settings: Settings) -> State:
    """The candidate at `end_time` [s] without contact, by `steps` equal steps of the integrator that the settings name.

    It ends early, anywhere beyond `EXPLODED`, when the integrator is unstable.
    """
    start, interval = state.time, end_time - state.time
    newmark = settings.collision_loop.integrator == "newmark"
    forces = forces_at(model, state, 0.5 * interval / steps) if newmark else None
    for k in range(1, steps + 1):
        t1 = start + interval * (k / steps)
        if forces is not None:
            state, forces = newmark_step(model, state, forces, t1, settings)
        else:
            state = backward_euler_step(model, state, t1, settings)
        if has_exploded(state):
            break
    return state


def has_exploded(state: State) -> bool:
    """Whether something is farther away than any scene, or nowhere."""
    return not (np.abs(state.q).max() < EXPLODED and np.abs(state.v).max() < EXPLODED)


def backward_euler_step(model: Model, state: State, end_time: float, settings: Settings) -> State:
    """One step of the linearised backward Euler that `cmr` uses too (Otaduy2009 Eq. 3)."""
    dt = end_time - state.time
    system = assemble(model, state, dt)
    # The step is near the stable one, M dominates: conjugate gradients need few iterations, a factorisation never pays.
    v = solve_unconstrained(system.A, system.b, state.v, tolerance=settings.linear_tolerance, direct_below=0)
    placed = advance(model, state, v, system.spin, model.kinematic_positions(end_time), dt)
    return state_after(model, state, placed, v, system.spin, end_time)


@dataclass(frozen=True, slots=True)
class Forces:
    """What acts at one place: the end of a step of the integrator is the start of the next."""

    force: Floats
    """(n, 3) elastic forces and weight [N]."""
    damped_mass: BlockMatrix
    """M + h/2 C before pins and attachments, without the moments of inertia of rigid bodies [kg]."""
    half: float
    """h/2 [s]"""


def forces_at(model: Model, state: State, half: float) -> Forces:
    """The forces and the damping at the positions of a state, for half-kicks of h/2 = `half` [s]."""
    A = BlockMatrix(model.pattern.indptr, model.pattern.indices, np.zeros_like(model.pattern.data))
    diagonal = np.arange(3)
    A.data[model.diagonal_entries[:, None], diagonal, diagonal] = (model.mass * (1.0 + half * model.drag))[:, None]
    impulse = half * model.mass[:, None] * model.node_gravity
    add_elements(model, state, _at(model, state), Weights(half, half, 0.0), A.data, impulse)
    return Forces(impulse / half, A, half)


def _at(model: Model, state: State) -> Linearisation:
    """Forces at the positions of a state."""
    still = np.zeros_like(state.v)
    return Linearisation(state.q, still, still, state.v, state.time, state.rotations, model.rigids.nodes)


def newmark_step(
    model: Model, state: State, forces: Forces, end_time: float, settings: Settings
) -> tuple[State, Forces]:
    """v½ = v0 + h/2 a(x0, v½);  x1 = x0 + h v½;  v1 = v½ + h/2 a(x1, v1)   (Bridson2003; a is linear in v).

    Takes the forces at the start and returns the state at `end_time` [s] with those that act there.
    """
    h, rigids = end_time - state.time, model.rigids
    pinned, targets = model.pinned(end_time)
    pins = pinned, (targets - state.q[pinned]) / h
    spin = predict_spin(rigids, state.rotations, state.v[rigids.spins], h)
    v = _half_kick(model, state, forces, spin.inertia, spin.momentum, pins, settings)
    placed = advance(model, state, v, spin, model.kinematic_positions(end_time), h)
    middle = state_after(model, state, placed, v, spin, end_time)
    if has_exploded(middle):
        return middle, forces
    forces = forces_at(model, middle, forces.half)
    inertia = rigids.world_inertia(middle.rotations)
    momentum = rigids.momentum(middle.rotations, middle.v[rigids.spins])
    v1 = _half_kick(model, middle, forces, inertia, momentum, pins, settings)
    model.attachments.carry(v1, middle.rotations)
    return replace(middle, v=v1), forces


def _half_kick(
    model: Model,
    state: State,
    forces: Forces,
    inertia: Floats,
    momentum: Floats,
    pins: tuple[NDArray[np.int32], Floats],
    settings: Settings,
) -> Floats:
    """Solve (M + h/2 C) v = M v0 + h/2 F(x) for v (n, 3); `pins` are the pinned nodes and their velocities."""
    A, half, (pinned, velocity) = forces.damped_mass, forces.half, pins
    if len(model.rigids) or len(pinned):
        A = replace(A, data=A.data.copy())
    b = model.mass[:, None] * state.v + half * forces.force
    if len(model.rigids):
        spins = model.rigids.spins
        A.data[model.diagonal_entries[spins]] += inertia * (1.0 + half * model.drag[spins])[:, None, None]
        b[spins] += momentum
    if len(model.attachments):
        fold(model.folding, model.attachments, state.rotations, A.data, b, model.mass)
    if len(pinned):
        free, prescribed = np.ones(model.node_count, dtype=np.uint8), np.zeros_like(b)
        free[pinned], prescribed[pinned] = 0, velocity
        assembly_kernels.prescribe(A.indptr, A.indices, A.data, b, free, model.mass, prescribed)
    return solve_unconstrained(A, b, state.v, tolerance=settings.linear_tolerance, direct_below=0)

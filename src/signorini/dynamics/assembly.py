"""The linear velocity update A u = b of one step, by backward Euler or by BDF2.

Implements: Otaduy2009 Eqs. 1-3. G = I for particles; the rotation of rigid bodies is in `advance`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics import assembly_kernels as kernels
from signorini.dynamics.continued_motion import arc_offsets, carried_displacements, end_rotations
from signorini.dynamics.reference_frames import ReferenceMotion
from signorini.dynamics.step_rule import StepRule
from signorini.elements.element import Elements, Linearisation, Weights
from signorini.errors import SimulationStoppedError
from signorini.linalg.block_matrix import BlockMatrix
from signorini.model.folding import fold
from signorini.model.model import Model
from signorini.model.rigid_bodies import FreeSpin, predict_spin
from signorini.model.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PinRows:
    """Rows of the system that prescribed velocities replaced: the equations of motion that tell the reactions of pins."""

    nodes: NDArray[np.int32]
    """(p,)"""
    indptr: NDArray[np.int64]
    """(p,) where each row begins in `columns`."""
    columns: NDArray[np.int32]
    """(k,)"""
    blocks: Floats
    """(k, 3, 3) [kg]"""
    b: Floats
    """(p, 3) [kg m/s]"""

    def reactions(self, v: Floats) -> Floats:
        """Impulses (p, 3) [N s] of pins and contacts on the pinned nodes in a step that ends with velocities v (n, 3) [m/s]."""
        products = np.einsum("kij,kj->ki", self.blocks, v[self.columns])
        return np.add.reduceat(products, self.indptr, axis=0) - self.b


@dataclass(frozen=True, slots=True)
class LinearSystem:
    """A v = b, with the rows of prescribed nodes replaced by their velocity, and attached nodes eliminated."""

    A: BlockMatrix
    """M + dt C + dt² K [kg], in a second-order step m² M + m dt C + dt² K with m = 1 + ε + κ; symmetric positive definite."""
    b: Floats
    """(n, 3) [kg m/s]"""
    free: NDArray[np.uint8]
    """(n,) 0 for nodes whose velocity is prescribed."""
    spin: FreeSpin
    """Of the rigid bodies."""
    pin_rows: PinRows | None
    """What the moving pins replaced; None where no pin moves."""


def assemble(
    model: Model,
    state: State,
    dt: float,
    *,
    rule: StepRule | None = None,
    reference: ReferenceMotion | None = None,
    linearised_at: Floats | None = None,
    kick: Floats | None = None,
) -> LinearSystem:
    """A = M + dt C + dt² K,  b = M v0 + dt F(q)   (Otaduy2009 Eq. 3; the damping force cancels in b), or as `rule` has it.

    Forces are linearised at q0 + dt v instead of q0, which adds dt² K v to b. `linearised_at` is that velocity v (n, 3); by
    default the one of the reference motion of soft solids, which also has the velocities v0. Another v is a further Newton
    iteration. A second-order step is always linearised at a velocity that is given, such as the expected one. `kick` (b, 3)
    [kg m²/s] is of the torques on rigid bodies (`predict_spin`).
    """
    A, b, spin = assemble_unconstrained(
        model, state, dt, rule=rule, reference=reference, linearised_at=linearised_at, kick=kick
    )
    if len(model.attachments):
        rotations = state.rotations
        if rule is not None and rule.second_order and linearised_at is not None:
            b -= A.times(arc_offsets(model, state, dt, spin, linearised_at))
            rotations = end_rotations(model, state, dt, spin, linearised_at)
        fold(model.folding, model.attachments, rotations, A.data, b, model.mass)
    free = np.ones(model.node_count, dtype=np.uint8)
    nodes, targets = model.pinned(state.time + dt)
    rows = None
    if len(nodes):
        free[nodes] = 0
        prescribed = np.zeros_like(b)
        prescribed[nodes] = (targets - state.q[nodes]) / dt
        if prescribed.any():
            rows = _pin_rows(A, b, nodes)
        kernels.prescribe(A.indptr, A.indices, A.data, b, free, model.mass, prescribed)
    return LinearSystem(A, b, free, spin, rows)


def _pin_rows(A: BlockMatrix, b: Floats, nodes: NDArray[np.int32]) -> PinRows:
    """Copies of the rows of some nodes."""
    counts = A.indptr[nodes + 1] - A.indptr[nodes]
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    entries = np.repeat(A.indptr[nodes] - begins, counts) + np.arange(counts.sum())
    return PinRows(nodes, begins, A.indices[entries], A.data[entries], b[nodes])


def assemble_unconstrained(
    model: Model,
    state: State,
    dt: float,
    *,
    rule: StepRule | None = None,
    reference: ReferenceMotion | None = None,
    linearised_at: Floats | None = None,
    kick: Floats | None = None,
) -> tuple[BlockMatrix, Floats, FreeSpin]:
    """A and b before pins and attachments, and the free rotation of the rigid bodies.

    The system is assembled for the velocity v1 at the end, on which damping acts. The rule makes it one for displacements u.
    """
    rule = rule or StepRule(dt)
    reference = reference or ReferenceMotion(state.v, np.zeros_like(state.v))
    spins = model.rigids.spins
    spin = predict_spin(model.rigids, state.rotations, state.v[spins], dt, kick)
    v_lin = reference.velocity if linearised_at is None else linearised_at
    carried = carried_displacements(model, state, rule, spin) if rule.second_order else np.zeros_like(v_lin)
    offset = rule.end_velocity(v_lin, carried, 0.0)
    at = Linearisation(
        state.q + dt * v_lin, offset, reference.velocity, reference.start_velocity, state.time + dt, state.rotations,
        model.rigids.nodes,
    )  # fmt: skip
    A = BlockMatrix(model.pattern.indptr, model.pattern.indices, np.zeros_like(model.pattern.data), at.positions)
    mass = rule.masses(model.node_count)
    b = model.mass[:, None] * (mass * reference.start_velocity + dt * model.node_gravity)
    weights = mass[:, 0] + dt * model.drag
    kernels.set_diagonal(model.diagonal_entries, model.mass * weights, A.data)
    if len(model.rigids):
        A.data[model.diagonal_entries[spins]] = spin.inertia * weights[spins, None, None]
        b[spins] = mass[spins] * _start_momentum(state, rule, spin, spins)
    if rule.first_order is None:
        add_elements(model, state, at, rule.weights, A.data, b)
    else:
        _add_elements_of_both_orders(model, state, at, rule, rule.first_order, A, b)
    if rule.second_order:  # v1 is the weight of M times u, less what is carried
        b += A.times(carried)
        A.data[:] *= np.repeat(mass[:, 0], np.diff(A.indptr))[:, None, None]
    return A, b, spin


def _start_momentum(state: State, rule: StepRule, spin: FreeSpin, spins: NDArray[np.integer]) -> Floats:
    """Angular momenta (b, 3) of the rigid bodies that a step begins with, extrapolated in one of second order [kg m²/s]."""
    if not rule.second_order or state.history is None:
        return spin.momentum
    now = state.history.velocity.copy()
    now[spins] = spin.momentum
    return rule.start_velocity(now, state.history)[spins]


def _add_elements_of_both_orders(
    model: Model, state: State, at: Linearisation, rule: StepRule, first: NDArray[np.bool_], A: BlockMatrix, b: Floats
) -> None:
    """Add the elements with the weights of second order, but with those of first order to the rows of the nodes (n,) that ask so.

    No element joins nodes of both kinds.
    """
    data, right = A.data.copy(), b.copy()
    add_elements(model, state, at, rule.weights, A.data, b)
    add_elements(model, state, at, rule.first_order_weights, data, right)
    rows = np.repeat(first, np.diff(A.indptr))
    A.data[rows], b[first] = data[rows], right[first]


def add_elements(model: Model, state: State, at: Linearisation, weights: Weights, data: Floats, b: Floats) -> None:
    """Add the matrices of all elements to the blocks `data` (nnz, 3, 3), and their forces and those by hand to b (n, 3)."""
    if len(state.applied):
        b += weights.force * state.applied
    internal = model.element_states(state)
    for elements, entries, own in zip(model.elements, model.element_entries, internal, strict=True):
        elements.assemble(at, weights, own, entries, data, b)
        if elements.group() is None:  # the sets of a user; those of this package are joined
            _check_finite(elements, entries, data, b, at.time)


def angular_impulses(model: Model, state: State, dt: float) -> Floats | None:
    """Impulses (b, 3) [kg m²/s] of loads about the centres of mass of rigid bodies in dt [s]; None if there are none.

    None where there are joints, too: they have a rule of their own.
    """
    loads = [k for k, e in enumerate(model.elements) if type(e).energy is Elements.energy and len(e)]
    if model.joints is not None or not len(model.rigids) or not (loads or len(state.applied)):
        return None
    force, nothing, internal = np.zeros_like(state.q), np.zeros_like(state.q), model.element_states(state)
    if len(state.applied):
        force += state.applied
    at = Linearisation(state.q, nothing, nothing, state.v, state.time + dt, state.rotations, model.rigids.nodes)
    unused = np.zeros_like(model.pattern.data)
    for k in loads:
        own = Weights(force=1.0, damping=0.0, stiffness=0.0)
        model.elements[k].assemble(at, own, internal[k], model.element_entries[k], unused, force)
    impulses = dt * force[model.rigids.spins]
    return impulses if impulses.any() else None


def _check_finite(elements: Elements, entries: NDArray[np.int32], data: Floats, b: Floats, time: float) -> None:
    """Raise a `SimulationStoppedError` if what elements have added is not finite; a fail-safe would step over it."""
    for name, array in (("forces", b[elements.nodes]), ("matrices", data[entries])):
        if not np.isfinite(array).all():
            raise SimulationStoppedError(
                f"{name} of the elements {type(elements).__name__} are not finite at t = {time:.6g} s, first for element "
                f"{int(np.argwhere(~np.isfinite(array))[0, 0])}: guard divisions and roots in it"
            )

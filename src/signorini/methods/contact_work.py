"""Work through the contacts of a (sub-)step: what scripts do, and what sliding friction takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import unshifted_points
from signorini.methods import energy_balance_kernels as kernels
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.model.model import Model

Floats = NDArray[np.float64]


def contact_work(world: World, start: Moment, end: Moment, solved: SolvedContacts) -> tuple[Floats, Floats]:
    """Work of prescribed vertices through contact, and the loss by friction, by body (bodies,) [J]."""
    model, parts = world.model, world.parts
    contacts, impulse = solved.contacts, solved.world_impulse
    if not len(contacts):
        return np.zeros(parts.body_count), np.zeros(parts.body_count)
    moving = (end.surface_positions - start.surface_positions) / solved.problem.dt
    prescribed = np.zeros((0, 3))
    pinned = solved.system is not None and solved.system.pin_rows is not None
    if pinned or model.kinematic_first < len(moving):
        prescribed = np.zeros_like(moving)
        if solved.system is not None and pinned:
            given = np.where(solved.system.free[:, None], 0.0, solved.velocity)
            prescribed = model.surface_map.turned(start.state.rotations).velocities(given)
        prescribed[model.kinematic_first :] = moving[model.kinematic_first :]
    scripts, friction = np.zeros(parts.body_count), np.zeros(parts.body_count)
    points = unshifted_points(0) if contacts.points is None else contacts.points
    v = mean_velocity(model, solved)
    sliding = model.surface_map.turned(start.state.rotations).velocities(v)
    sliding[model.kinematic_first :] = moving[model.kinematic_first :]
    kernels.contact_work(
        contacts.vertices, contacts.weights, contacts.normal, contacts.bodies, impulse, sliding, points.shift, points.spins, v,
        prescribed, parts.movable, scripts, friction,
    )  # fmt: skip
    return scripts, friction


def mean_velocity(model: Model, solved: SolvedContacts) -> Floats:
    """Velocities (n, 3) [m/s] with which impulses do their work: the mean of those before and after the response.

    That of a second-order step is the motion over dt, which is in the middle of the step already. Angular velocities before are
    those after a rotation without torque; what is prescribed has the velocity of the step.
    """
    start, v, rule = solved.start, solved.velocity, solved.rule
    before = start.v.copy() if solved.reference is None else solved.reference.start_velocity.copy()
    if solved.system is not None and len(model.rigids):
        spin = solved.system.spin
        before[model.rigids.spins] = np.linalg.solve(spin.inertia, spin.momentum[:, :, None])[:, :, 0]
    if solved.system is not None:
        before = np.where(solved.system.free[:, None], before, v)
    if rule is not None and rule.second_order:
        second = np.ones(len(v), dtype=bool) if rule.first_order is None else ~rule.first_order
        before = np.where(second[:, None], v, before)
    return 0.5 * (before + v)

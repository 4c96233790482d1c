"""Removal of energy that no work explains, from the velocities of the island in which it grew: the last resort of a step.

Vibration goes first: the velocities of a deformable body beyond its rigid motion. Then the motion of the bodies of the island
relative to each other, beyond the rigid motion that they have in common. Neither changes the momentum or the angular momentum
of the island. The common motion is touched only where something fixed or scripted holds the island: its momentum is not its own
there. What is left in an island that flies freely cannot be removed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from signorini.methods.islands import Islands
from signorini.methods.moment import World
from signorini.model.state import State

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
ROUNDING = 1e-14
"""Part of the kinetic energy that differences of velocities have from rounding alone."""


def without_surplus(world: World, islands: Islands, after: State, surplus: Floats) -> tuple[State, Floats]:
    """The state `after` without `surplus` (k,) [J] of the kinetic energy of each island, as far as there is so much.

    Also returns what was removed (k,) [J].
    """
    motion, v = _Motion(world, after), after.v.copy()
    removed = np.zeros_like(surplus)
    for k in np.flatnonzero(surplus > 0.0):
        nodes = np.flatnonzero(islands.of_body[world.parts.node_body] == k)
        removed[k] = motion.slow_down(v, nodes, motion.own_motions(v, nodes), float(surplus[k]))
        if removed[k] < surplus[k]:
            removed[k] += motion.slow_down(v, nodes, motion.common(v, nodes), float(surplus[k] - removed[k]))
        if removed[k] < surplus[k] and islands.held[k]:
            removed[k] += motion.slow_down(v, nodes, np.zeros_like(v), float(surplus[k] - removed[k]))
    return _with_velocities(world, after, v), removed


def without_vibration(world: World, after: State, bodies: NDArray[np.bool_]) -> State:
    """The state `after` in which those of the `bodies` (bodies,) that are deformable have the velocities of a rigid motion."""
    nodes = np.flatnonzero(bodies[world.parts.node_body])
    return _with_velocities(world, after, _Motion(world, after).own_motions(after.v, nodes))


def _with_velocities(world: World, after: State, v: Floats) -> State:
    """The state `after` with velocities v (n, 3) [m/s], which attached nodes share with their bodies; v is overwritten there."""
    world.model.attachments.carry(v, after.rotations)
    history = after.history
    if history is not None:
        change, spins = v - after.v, world.model.rigids.spins
        change[spins] = world.model.rigids.momentum(after.rotations, change[spins])
        history = history.shifted(change)
    return replace(after, v=v, history=history)


class _Motion:
    """Kinetic energies and rigid motions of a state; pinned nodes take no part."""

    def __init__(self, world: World, state: State) -> None:
        model = world.model
        self.slots = [slot for slot in model.bodies.values() if slot.deformable]
        self.numbers, self.node_body = [slot.number for slot in self.slots], world.parts.node_body
        self.free = np.ones(model.node_count, dtype=bool)
        self.free[model.pinned(state.time)[0]] = False
        self.attached = np.zeros(model.node_count, dtype=bool)
        self.attached[model.attachments.nodes] = True
        self.mass, self.q, self.spins = model.mass, state.q, model.rigids.spins
        self.inertia = model.rigids.world_inertia(state.rotations)
        self.rotor = np.full(model.node_count, -1)
        self.rotor[self.spins] = np.arange(len(self.spins))

    def slow_down(self, v: Floats, nodes: Ints, base: Floats, surplus: float) -> float:
        """Scale v (n, 3) of an island beyond the motion `base` (n, 3) down by at most `surplus` [J]; returns what that took.

        The momentum of v − base is orthogonal to `base`, so that its energy is what can be taken.
        """
        nodes = nodes[self.free[nodes]]
        beyond = v[nodes] - base[nodes]
        energy = self.kinetic(nodes, beyond)
        if energy <= ROUNDING * self.kinetic(nodes, v[nodes]):
            return 0.0
        paid = min(surplus, energy)
        if paid > 0.0:
            v[nodes] = base[nodes] + np.sqrt(max(0.0, 1.0 - paid / energy)) * beyond
        return max(0.0, paid)

    def kinetic(self, nodes: Ints, v: Floats) -> float:
        """Kinetic energy [J] of nodes that move with velocities v (k, 3)."""
        spins = self.rotor[nodes] >= 0
        w = v[spins]
        turning = np.einsum("bi,bij,bj->", w, self.inertia[self.rotor[nodes[spins]]], w)
        return 0.5 * float(self.mass[nodes] @ (v**2).sum(axis=1) + turning)

    def own_motions(self, v: Floats, nodes: Ints) -> Floats:
        """Velocities (n, 3) of the rigid motion of each deformable body of an island, as they are for all other nodes."""
        base, bodies = v.copy(), np.unique(self.node_body[nodes])
        for slot, number in zip(self.slots, self.numbers, strict=True):
            if number in bodies:
                own = np.arange(slot.first_node, slot.first_node + slot.node_count)
                own = own[self.free[own] & ~self.attached[own]]
                if len(own):
                    base[own] = self.common(v, own)[own]
        return base

    def common(self, v: Floats, nodes: Ints) -> Floats:
        """Velocities (n, 3) of the rigid motion that has the momentum and the angular momentum of these nodes without pins."""
        base = v.copy()
        nodes = nodes[self.free[nodes]]
        spins = nodes[self.rotor[nodes] >= 0]
        points = nodes[self.rotor[nodes] < 0]
        mass = self.mass[points]
        if not mass.sum() > 0.0:
            return base
        centre, mean = mass @ self.q[points] / mass.sum(), mass @ v[points] / mass.sum()
        arms, inertia = self.q[points] - centre, self.inertia[self.rotor[spins]]
        L = (mass[:, None] * np.cross(arms, v[points] - mean)).sum(axis=0) + np.einsum("bij,bj->i", inertia, v[spins])
        J = (
            np.eye(3) * (mass @ (arms**2).sum(axis=1))
            - np.einsum("n,ni,nj->ij", mass, arms, arms)
            + inertia.sum(axis=0)
        )
        turn = np.linalg.lstsq(J, L, rcond=1e-12)[0]
        base[points], base[spins] = mean + np.cross(turn, arms), turn
        return base

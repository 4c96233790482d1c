"""Energies of each body of a state: what an energy balance of islands is made of.

Element sets of one kind are joined over all bodies, one body after the other. They are cut into the parts of the bodies once,
and the energy of a part is that of its elements.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics import energy_kernels as kernels
from signorini.dynamics.energy import Energies
from signorini.elements.element import Elements
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class BodyEnergies(NamedTuple):
    """Energies (bodies,) [J] by body number; zero for what has no nodes."""

    kinetic: Floats
    potential: Floats
    """Of gravity, zero at the origin."""
    elastic: Floats
    """Of elements between bodies, it is all that of one of them."""

    @property
    def total(self) -> Floats:
        return self.kinetic + self.potential + self.elastic

    def summed(self) -> Energies:
        """The energies of all bodies together."""
        return Energies(*(float(one.sum()) for one in self))


@dataclass(frozen=True, slots=True)
class ElementPart:
    """The elements of a set that belong to one body."""

    number: int
    """Of the set in `Model.elements`."""
    body: int
    elements: Elements
    rows: slice | None
    """Where its elements are in the set; None: it is the whole set."""


@dataclass(frozen=True, slots=True)
class BodyParts:
    """What belongs to which body, and which bodies hang together without any contact."""

    node_body: Ints
    """(n,) number of the body of each node."""
    movable: NDArray[np.bool_]
    """(bodies,) whether the body has nodes."""
    rigid_body: Ints
    """(b,) number of the body of each rigid body."""
    rigid_radius: Floats
    """(b,) distance of the farthest vertex of each rigid body, or of what is attached to it, from its centre of mass [m]."""
    elements: tuple[ElementPart, ...]
    joined: Ints
    """(p, 2) bodies that attachments, elements or joints join."""
    held: Ints
    """Bodies that joints tie to the world or to scripted bodies, or that drives hold."""
    mass: Floats
    """(bodies,) [kg]"""
    squared_weight: Floats
    """(bodies,) Σ m |g|² of the nodes [N²/kg]: half of it times dt² is what a fall from rest gains in dt."""

    @property
    def body_count(self) -> int:
        return len(self.movable)


def split_by_body(model: Model) -> BodyParts:
    """The parts of all bodies of a model."""
    node_body = np.zeros(model.node_count, np.int32)
    movable = np.zeros(len(model.body_names), dtype=bool)
    rigid_body = np.zeros(len(model.rigids), np.int32)
    for slot in model.bodies.values():
        node_body[slot.nodes] = slot.number
        movable[slot.number] |= slot.node_count > 0
        if slot.rigid >= 0:
            rigid_body[slot.rigid] = slot.number
    pairs = [np.array([(a.body, a.to) for a in model.attachment_slots], np.int32).reshape(-1, 2)]
    parts: list[ElementPart] = []
    for number, elements in enumerate(model.elements):
        if not len(elements):
            continue
        bodies = node_body[elements.nodes]
        pairs += [bodies[:, [0, k]] for k in range(1, bodies.shape[1])]
        own = _parts_of_set(number, elements, bodies[:, 0])
        if len(own) == 1 and bodies[:, 0].max() != bodies[:, 0].min():  # cannot be cut: its bodies are one
            pairs.append(np.column_stack([np.full(len(bodies), bodies[0, 0]), bodies[:, 0]]))
        parts += own
    held = np.zeros(0, np.int32)
    if model.joints is not None:
        pairs.append(rigid_body[model.joints.pairs()])
        held = rigid_body[model.joints.held()]
    joined = np.unique(np.concatenate(pairs).astype(np.int32), axis=0)
    joined = joined[(joined[:, 0] != joined[:, 1]) & movable[joined].all(axis=1)]
    mass = sums_by_body(node_body, model.mass, len(movable))
    squared_weight = sums_by_body(node_body, model.mass * (model.node_gravity**2).sum(axis=1), len(movable))
    return BodyParts(
        node_body, movable, rigid_body, _rigid_radii(model), tuple(parts), joined, held, mass, squared_weight
    )


def _rigid_radii(model: Model) -> Floats:
    """(b,) distance of the farthest vertex that turns with each rigid body from its centre of mass [m]."""
    radii, turning = np.zeros(len(model.rigids)), model.surface_map.rotor >= 0
    arms = model.surface_map.rest_arms[turning]
    np.maximum.at(radii, model.surface_map.rotor[turning], np.sqrt((arms**2).sum(axis=1)))
    return radii


def _parts_of_set(number: int, elements: Elements, first: Ints) -> list[ElementPart]:
    """The parts of a set whose elements belong to the bodies `first` (e,); the whole set if it cannot be cut."""
    begins = np.flatnonzero(np.diff(first, prepend=-1))
    if len(begins) == 1 or not is_dataclass(elements):
        return [ElementPart(number, int(first[0]), elements, None)]
    ends, parts = [*begins[1:], len(first)], []
    for begin, end in zip(begins, ends, strict=True):
        rows = slice(int(begin), int(end))
        arrays = {f.name: own_rows(getattr(elements, f.name), rows, len(first)) for f in fields(elements)}
        parts.append(ElementPart(number, int(first[begin]), replace(elements, **arrays), rows))
    return parts


def own_rows(value: Any, rows: slice, count: int) -> Any:
    """The rows of an array with one entry for each element; anything else as it is."""
    return value[rows] if isinstance(value, np.ndarray) and value.ndim and len(value) == count else value


def sums_by_body(numbers: NDArray[np.integer], amounts: Floats, count: int) -> Floats:
    """Sums (count,) of the amounts (m,) that belong to each number (m,)."""
    return np.bincount(numbers, amounts, count).astype(np.float64, copy=False)


def body_energies(model: Model, parts: BodyParts, state: State) -> BodyEnergies:
    """All energies of a state, body by body."""
    bodies, mass = parts.body_count, model.mass
    kinetic, potential = np.zeros(bodies), np.zeros(bodies)
    kernels.sum_energies(parts.node_body, mass, state.q, state.v, model.node_gravity, kinetic, potential)
    if len(model.rigids):
        w = state.v[model.rigids.spins]
        spinning = 0.5 * (w * model.rigids.momentum(state.rotations, w)).sum(axis=1)
        kinetic += sums_by_body(parts.rigid_body, spinning, bodies)
    internal, elastic = model.element_states(state), np.zeros(bodies)
    for part in parts.elements:
        own = internal[part.number]
        if part.rows is not None:
            own = own_rows(own, part.rows, len(model.elements[part.number]))
        elastic[part.body] += part.elements.energy(state.q, own)
    return BodyEnergies(kinetic, potential, elastic)

"""The awake part of a model: the nodes of some bodies, while all others stay where they are as if they were scripted.

Surface vertices, edges, triangles and bodies keep their numbers, so that a contact is the same contact in the part and in the
whole; nodes and rigid bodies are numbered anew.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.collision.surface import PRESCRIBED
from signorini.elements.element import Elements, Linearisation
from signorini.linalg.block_matrix import find_entries
from signorini.model.folding import build_folding
from signorini.model.jointed.joints import part_of_joints
from signorini.model.model import AttachmentSlot, BodySlot, Model, StillVertices
from signorini.model.prescribed import Prescribed
from signorini.model.rigid_attachments import RigidAttachments
from signorini.model.rigid_bodies import RigidBodies
from signorini.model.rigid_surface import RigidSurface
from signorini.model.state import State
from signorini.model.surface_map import SurfaceMap
from signorini.model.system_pattern import element_entries, system_pattern

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AwakePart:
    """A model of the awake bodies, and what of the whole it consists of."""

    model: Model
    nodes: NDArray[np.intp]
    """(k,) numbers in the whole of the awake nodes."""
    rigids: NDArray[np.intp]
    """(r,) numbers in the whole of the awake rigid bodies."""
    element_rows: tuple[NDArray[np.intp] | None, ...]
    """For each set of elements the rows that are awake; None: all of them."""

    def part_of(self, state: State) -> State:
        """The awake part of a state of the whole."""
        own = zip(state.internal, self.element_rows, strict=True)
        internal = tuple(array if rows is None or not len(array) else array[rows] for array, rows in own)
        q, v, rotations = state.q[self.nodes], state.v[self.nodes], state.rotations[self.rigids]
        applied = state.applied[self.nodes] if len(state.applied) else state.applied
        history = None if state.history is None else state.history.only(self.nodes)
        return State(q, v, state.time, internal, rotations, state.interval, applied, history)

    def whole_of(self, part: State, still: State) -> State:
        """The state of the whole: the awake part, and all others as in `still`, without velocity."""
        q, v, rotations = still.q.copy(), np.zeros_like(still.v), still.rotations.copy()
        q[self.nodes], v[self.nodes], rotations[self.rigids] = part.q, part.v, part.rotations
        internal = []
        for array, own, rows in zip(still.internal, part.internal, self.element_rows, strict=True):
            if rows is None or not len(array):
                internal.append(own)
            else:
                internal.append(array.copy())
                internal[-1][rows] = own
        history = None if part.history is None else part.history.spread(self.nodes, len(q))
        applied = part.applied
        if len(applied):
            applied = np.zeros_like(v)
            applied[self.nodes] = part.applied
        return State(q, v, part.time, tuple(internal), rotations, part.interval, applied, history)


@dataclass(frozen=True, slots=True)
class NoElements(Elements):
    """In place of a set all of whose bodies sleep: no elements, hence no forces."""

    nodes: Ints

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(0, 1, 3): the forces of no elements."""
        return np.zeros((0, 1, 3))


class _Numbers:
    """New numbers of nodes and rigid bodies; -1 for what sleeps."""

    def __init__(self, model: Model, awake: Flags) -> None:
        slots = [slot for slot in model.bodies.values() if slot.node_count and awake[slot.number]]
        every = [np.arange(slot.first_node, slot.first_node + slot.node_count) for slot in slots]
        self.awake = awake
        self.nodes = np.concatenate([*every, np.zeros(0, np.intp)]).astype(np.intp)
        self.rigids = np.array([slot.rigid for slot in slots if slot.rigid >= 0], dtype=np.intp)
        self.node, self.rigid = np.full(model.node_count, -1, np.int32), np.full(len(model.rigids), -1, np.int32)
        self.node[self.nodes] = np.arange(len(self.nodes), dtype=np.int32)
        self.rigid[self.rigids] = np.arange(len(self.rigids), dtype=np.int32)

    def of_nodes(self, nodes: Ints) -> Ints:
        """New numbers of nodes; -1 stays -1."""
        return np.where(nodes >= 0, self.node[nodes], -1).astype(np.int32)

    def of_rigids(self, rigids: Ints) -> Ints:
        """New numbers of rigid bodies; -1 stays -1."""
        return np.where(rigids >= 0, self.rigid[rigids], -1).astype(np.int32) if len(self.rigid) else rigids


def awake_part(model: Model, awake: Flags, x: Floats) -> AwakePart:
    """The part of a model in which only bodies that are `awake` (bodies,) can move; the surface of all others stays at x (v, 3).

    Bodies that attachments or elements join are awake together.
    """
    numbers = _Numbers(model, awake)
    cut = [_awake_elements(elements, numbers) for elements in model.elements]
    elements = tuple(own for own, _ in cut)
    still = np.flatnonzero(~awake[model.surface.vertex_body[: model.kinematic_first]])
    attachments = _attachments(model.attachments, numbers)
    pattern = system_pattern(len(numbers.nodes), elements, attachments)
    every_node = np.arange(len(numbers.nodes), dtype=np.int32)
    group = model.surface.vertex_group.copy()
    group[still] = PRESCRIBED
    part = replace(
        model,
        node_gravity=model.node_gravity[numbers.nodes],
        mass=model.mass[numbers.nodes],
        drag=model.drag[numbers.nodes],
        elements=elements,
        element_entries=element_entries(pattern, elements),
        rigids=_rigids(model.rigids, numbers),
        rigid_surface=_rigid_surface(model.rigid_surface, numbers, still),
        attachments=attachments,
        folding=build_folding(pattern, attachments),
        pattern=pattern,
        diagonal_entries=find_entries(pattern, every_node, every_node),
        surface=replace(model.surface, vertex_group=group),
        surface_map=_map(model.surface_map, numbers),
        unattached_map=_map(model.unattached_map, numbers),
        bodies={name: _slot(slot, numbers) for name, slot in model.bodies.items()},
        attachment_slots=[
            AttachmentSlot(slot.body, slot.to, numbers.of_nodes(slot.nodes))
            for slot in model.attachment_slots
            if awake[slot.body]
        ],
        prescribed=_AwakePrescribed(model, numbers),
        joints=part_of_joints(model.joints, numbers.rigid, _rigids(model.rigids, numbers)),
        still=StillVertices(still, x[still]),
    )
    return AwakePart(part, numbers.nodes, numbers.rigids, tuple(rows for _, rows in cut))


class _AwakePrescribed(Prescribed):
    """The motions of all scripted bodies, and of the pins of awake ones; each is asked once for the whole and its part."""

    def __init__(self, model: Model, numbers: _Numbers) -> None:
        whole, pins = model.prescribed, []
        for pin in whole.pins:
            if (numbers.node[pin.nodes] >= 0).all():
                pins.append(replace(pin, nodes=numbers.of_nodes(pin.nodes)))
        super().__init__(whole.scripts, pins)
        self._whole, self._numbers = whole, numbers

    def kinematic_positions(self, time: float) -> Floats:
        """Where the scripted vertices are at a time, (k, 3) [m]; not to be written to."""
        return self._whole.kinematic_positions(time)

    def pinned(self, time: float) -> tuple[Ints, Floats]:
        """Nodes of the part that are pinned at a time, and where. Not to be written to."""
        nodes, where = self._whole.pinned(time)
        own = self._numbers.of_nodes(nodes)
        return own[own >= 0], where[own >= 0]


def _awake_elements(elements: Elements, numbers: _Numbers) -> tuple[Elements, NDArray[np.intp] | None]:
    """The elements of awake bodies in new numbers, and their rows; None: all."""
    if (
        elements.group() is None and len(elements) and (numbers.node[elements.nodes[0]] < 0).any()
    ):  # a load on a sleeper
        return NoElements(np.zeros((0, 1), np.int32)), np.zeros(0, np.intp)
    if elements.group() is None:  # the set of a user, all of whose bodies are awake: its nodes go with their bodies
        shift = numbers.node[elements.nodes[0]] - elements.nodes[0] if len(elements) else 0
        return elements.shifted(shift), None
    rows = np.flatnonzero(numbers.node[elements.nodes[:, 0]] >= 0)
    count = len(elements)
    own: dict[str, Any] = {f.name: getattr(elements, f.name) for f in fields(elements)}  # pyright: ignore[reportArgumentType]
    own = {
        name: value[rows] if isinstance(value, np.ndarray) and len(value) == count else value
        for name, value in own.items()
    }
    return replace(elements, **{**own, "nodes": numbers.node[own["nodes"]]}), rows  # pyright: ignore[reportArgumentType]


def _attachments(given: RigidAttachments, numbers: _Numbers) -> RigidAttachments:
    rows = np.flatnonzero(numbers.node[given.nodes] >= 0)
    nodes, linear = numbers.of_nodes(given.nodes[rows]), numbers.of_nodes(given.linear[rows])
    return RigidAttachments(nodes, numbers.of_rigids(given.rotor[rows]), linear, given.rest_arms[rows])


def _rigids(given: RigidBodies, numbers: _Numbers) -> RigidBodies:
    rows = numbers.rigids
    arrays = given.mass[rows], given.inertia[rows], given.inverse_inertia[rows]
    return RigidBodies(numbers.of_nodes(given.nodes[rows]), *arrays)


def _rigid_surface(given: RigidSurface, numbers: _Numbers, still: NDArray[np.intp]) -> RigidSurface:
    moves, patches = given.moves.copy(), given.patches
    moves[still] = False
    if patches is not None:
        radius, chain = patches.radius.copy(), patches.chain.copy()
        radius[still], chain[still] = 0.0, -1
        patches = replace(patches, radius=radius, chain=chain)
        patches = patches if patches.any else None
    rotor, spins = numbers.of_rigids(given.rotor), numbers.of_nodes(given.spin_node)
    return RigidSurface(rotor, spins, moves, given.fixed, patches)


def _map(given: SurfaceMap, numbers: _Numbers) -> SurfaceMap:
    kept = numbers.node[given.nodes] >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    return SurfaceMap(
        indptr=before[given.indptr].astype(np.int32),
        nodes=numbers.node[given.nodes[kept]],
        weights=given.weights[kept],
        rotor=numbers.of_rigids(given.rotor[kept]),
        rest_arms=given.rest_arms[kept],
        arms=given.arms[kept],
    )


def _slot(slot: BodySlot, numbers: _Numbers) -> BodySlot:
    if not slot.node_count:
        return slot
    if not numbers.awake[slot.number]:
        return replace(slot, first_node=0, node_count=0, rigid=-1, rotating_frame=False)
    rigid = slot.rigid if slot.rigid < 0 else int(numbers.rigid[slot.rigid])
    return replace(slot, first_node=int(numbers.node[slot.first_node]), rigid=rigid)

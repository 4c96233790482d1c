"""Model of a scene: the contributions of its bodies, joined to arrays, and the state at time 0.

Nodes and surface vertices are numbered body by body, in the order of the contributions; scripted vertices come last.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.surface import FREE, PRESCRIBED, build_surface
from signorini.elements.element import Elements, Linearisation
from signorini.errors import InputError
from signorini.geometry.memory_limit import BYTES_PER_TRIANGLE, check_room
from signorini.linalg.block_matrix import find_entries
from signorini.model.attachments import (
    attach_to_rigids,
    attached_groups,
    attachment_slots,
    carried_nodes,
    carried_pins,
)
from signorini.model.contact_rules import build_rules
from signorini.model.contribution import Contribution, LoadLike, ModelSource, Pinned, Script
from signorini.model.folding import build_folding
from signorini.model.jointed.joints import Joints, build_joints
from signorini.model.jointed.scripted_frames import ScriptedFrame
from signorini.model.model import BodySlot, Model
from signorini.model.prescribed import Prescribed
from signorini.model.rigid_attachments import attached_map
from signorini.model.rigid_bodies import RigidBodies, build_rigid_bodies, rotation_matrices
from signorini.model.rigid_surface import build_rigid_surface
from signorini.model.smooth_patches import SmoothPatches, find_patches, no_patches
from signorini.model.source_check import check_source
from signorini.model.state import State
from signorini.model.surface_map import MapRows, join_rows
from signorini.model.system_pattern import element_entries, system_pattern

BYTES_PER_BLOCK = 60.0
"""Of one of the k × k blocks of an element in a simulation, measured with sheets and boxes."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(slots=True)
class _Numbering:
    """Numbers of the vertices and nodes of each body."""

    slots: dict[str, BodySlot] = field(default_factory=dict)
    rows: list[MapRows] = field(default_factory=list)
    groups: list[Ints] = field(default_factory=list)
    rigid_nodes: list[int] = field(default_factory=list)
    vertex_count: int = 0
    node_count: int = 0


def build_model(source: ModelSource) -> tuple[Model, State]:
    """Model of a scene, and its state at time 0."""
    names, parts = source.body_names, source.contributions()
    check_source(source.gravity, parts)
    _check_memory(parts)
    numbering = _number(names, parts)
    slots = numbering.slots
    if not numbering.node_count:
        raise InputError(
            "the scene has nothing to simulate: add a cloth, a soft solid or a rigid body (scene.add_cloth, ...)"
        )
    q = np.ascontiguousarray(np.concatenate([part.nodes.positions for part in parts]))
    v = np.ascontiguousarray(np.concatenate([part.nodes.velocities for part in parts]))
    rigids, rotations = _rigid_bodies(parts, numbering)
    by_name = {part.name: part for part in parts}
    attachments = attach_to_rigids(source.attachments, by_name, slots, rigids, q, rotations)
    loads = [load.elements(by_name[load.body]).shifted(slots[load.body].first_node) for load in _ordered(source)]
    elements = (*_joined_elements(source, parts, slots), *loads)
    pattern = system_pattern(numbering.node_count, elements, attachments)
    unattached_map = join_rows(numbering.rows)
    carried = carried_nodes(source.attachments, slots)
    vertex_group = attached_groups(np.concatenate(numbering.groups), unattached_map, attachments, carried)
    patches = [_patches(part) for part in parts if part.rows is not None]
    rigid_surface = build_rigid_surface(vertex_group, unattached_map, rigids, patches)
    every_node = np.arange(numbering.node_count, dtype=np.int32)
    scripts = [_own_script(part, part.script) for part in parts if part.script is not None]
    friction = np.array([by_name[name].friction for name in names], dtype=np.float64)
    rules = build_rules(names, friction, [by_name[name].contact for name in names], source.pair_rules)
    model = Model(
        gravity=np.array(source.gravity, dtype=np.float64),
        node_gravity=np.concatenate([_gravity(source, part) for part in parts]),
        mass=np.concatenate([part.nodes.mass for part in parts]),
        drag=np.concatenate([part.nodes.drag for part in parts]),
        elements=elements,
        element_entries=element_entries(pattern, elements),
        rigids=rigids,
        rigid_surface=rigid_surface,
        attachments=attachments,
        folding=build_folding(pattern, attachments),
        pattern=pattern,
        diagonal_entries=find_entries(pattern, every_node, every_node),
        surface=build_surface(
            [(s.triangles, s.first, s.count, s.number) for s in slots.values()],
            vertex_group,
            [(p.plane.normal, p.plane.height, names.index(p.name)) for p in parts if p.plane is not None],
            solids=[s.number for s in slots.values() if s.thick],
            edges=[(s.edges, s.first) for s in slots.values() if len(s.edges)],
            rise=rigid_surface.rise,
            ignored=rules.ignored,
        ),
        surface_map=attached_map(unattached_map, attachments),
        unattached_map=unattached_map,
        kinematic_first=numbering.vertex_count - sum(len(script.rest) for script in scripts),
        bodies=slots,
        body_names=names,
        contact_rules=rules,
        attachment_slots=attachment_slots(source.attachments, slots),
        joints=_joints(source, slots, scripts, q, rotations, rigids),
        prescribed=Prescribed(
            scripts, _pins(parts, slots) + carried_pins(source.attachments, by_name, slots, q, scripts)
        ),
    )
    model.pinned(0.0)  # a pin whose motion is wrong from the start is refused here
    attachments.place(q, rotations)
    attachments.carry(v, rotations)
    still = np.zeros_like(q)
    for own in _free_elements(source, slots):
        own.check(Linearisation(q, still, still, v, 0.0, rotations, rigids.nodes))
    return model, State(q, v, 0.0, tuple(e.initial_state(q) for e in elements), rotations)


def _rigid_bodies(parts: list[Contribution], numbering: _Numbering) -> tuple[RigidBodies, Floats]:
    """The rigid bodies, and their rotations (b, 4) at time 0."""
    rigid = [(part.nodes.mass[0], part.rigid) for part in parts if part.rigid is not None]
    masses = np.array([mass for mass, _ in rigid])
    inertias = np.array([body.inertia for _, body in rigid]).reshape(-1, 3, 3)
    rotations = np.array([body.rotation for _, body in rigid], dtype=np.float64).reshape(-1, 4)
    return build_rigid_bodies(numbering.rigid_nodes, masses, inertias), rotations


def _check_memory(parts: list[Contribution]) -> None:
    """Raise an `InputError` if the model would not fit into the free memory."""
    blocks = sum(len(e) * e.nodes.shape[1] ** 2 for part in parts for e in part.elements)
    triangles = sum(len(part.triangles) + len(part.edges) for part in parts)
    rows = triangles * BYTES_PER_TRIANGLE + blocks * BYTES_PER_BLOCK
    check_room("the scene", triangles, "triangles", rows / max(triangles, 1), "use coarser meshes")


def _number(names: list[str], parts: list[Contribution]) -> _Numbering:
    """Number the vertices and nodes of all bodies that have some."""
    n = _Numbering()
    for part in parts:
        if part.rows is None:
            continue
        count, rigid, group = len(part.rows.counts), -1, FREE
        if part.rigid is not None:
            rigid = len(n.rigid_nodes)
            group = rigid + 1
            n.rigid_nodes.append(n.node_count)
        elif part.script is not None:
            group = PRESCRIBED
        n.slots[part.name] = BodySlot(
            part.name, part.kind, names.index(part.name), n.vertex_count, count, part.triangles, n.node_count,
            len(part.nodes.mass), rigid, part.thick, part.rotating_frame, part.edges, part.rest, part.hollow,
        )  # fmt: skip
        n.rows.append(part.rows.shifted(n.node_count, rigid))
        n.groups.append(np.full(count, group, np.int32))
        n.vertex_count += count
        n.node_count += len(part.nodes.mass)
    return n


def _ordered(source: ModelSource) -> list[LoadLike]:
    """The loads kind by kind, as a scene file has them: sums do not depend on the order in which they were added."""
    return sorted(source.loads, key=lambda load: load.kind)


def _gravity(source: ModelSource, part: Contribution) -> Floats:
    """(n, 3) the acceleration of gravity of each node of a body [m/s²]."""
    own = source.gravity if part.gravity is None else part.gravity
    return np.tile(np.asarray(own, dtype=np.float64), (len(part.nodes.mass), 1))


def _patches(part: Contribution) -> SmoothPatches:
    """Smooth patches of a rigid body, in the frame of its mesh; none for other bodies."""
    if part.rigid is None or not part.rigid.smooth:
        return no_patches(len(part.rest))
    return find_patches(part.rest, part.triangles)


def _joined_elements(
    source: ModelSource, parts: list[Contribution], slots: dict[str, BodySlot]
) -> tuple[Elements, ...]:
    """The elements of all bodies in the numbering of the model; sets of one group are joined."""
    groups: dict[Hashable, list[Elements]] = {}
    for part in parts:
        for elements in part.elements:
            key = elements.group()
            shifted = elements.shifted(slots[part.name].first_node)
            groups.setdefault(id(elements) if key is None else key, []).append(shifted)
    for own in _free_elements(source, slots):
        groups[id(own)] = [own]
    return tuple(type(sets[0]).joined(sets) for sets in groups.values())


def _free_elements(source: ModelSource, slots: dict[str, BodySlot]) -> list[Elements]:
    """The elements beyond those of the bodies, in the numbering of the model."""
    first = [np.array([slots[body].first_node for body in bodies], np.int32) for _, bodies in source.free_elements()]
    return [own.shifted(at) for (own, _), at in zip(source.free_elements(), first, strict=True)]


def _pins(parts: list[Contribution], slots: dict[str, BodySlot]) -> list[Pinned]:
    """The pins of all bodies, in the order in which the bodies were added."""
    pins = []
    for part in sorted((p for p in parts if p.pins), key=lambda p: slots[p.name].number):
        first = slots[part.name].first_node
        pins += [Pinned(pin.nodes + first, pin.rest, pin.motion, pin.release_time, part.name) for pin in part.pins]
    return pins


def _joints(
    source: ModelSource,
    slots: dict[str, BodySlot],
    scripts: list[Script],
    q: Floats,
    rotations: Floats,
    rigids: RigidBodies,
) -> Joints | None:
    """The joints of the rigid bodies, with the frames of the scripted bodies that they name."""
    specs, drives = source.joint_specs()
    tied = {spec.body for spec in specs} | {spec.to for spec in specs} | {drive.body for drive in drives}
    for attachment in source.attachments:
        if attachment.to in tied and slots[attachment.to].rigid >= 0:
            raise InputError(
                f"{attachment.body!r} is attached to the rigid body {attachment.to!r}, which has a joint, a lock or a drive: "
                "this is not supported; attach it to a body without joints, or to a kinematic one"
            )
    rigid_of = {slot.name: slot.rigid for slot in slots.values() if slot.rigid >= 0}
    firsts = np.cumsum([0, *(len(script.rest) for script in scripts)])
    frames = {
        script.body: ScriptedFrame(script.body, int(first), script.positions(0.0))
        for script, first in zip(scripts, firsts, strict=False)
    }
    sizes = np.ones(len(rigids))
    for slot in slots.values():
        if slot.rigid >= 0:
            sizes[slot.rigid] = np.linalg.norm(np.ptp(slot.rest, axis=0)) / 2.0
    return build_joints(specs, drives, rigid_of, frames, q[rigids.nodes], rotation_matrices(rotations), sizes)


def _own_script(part: Contribution, script: Script) -> Script:
    """The script of a body with its name and an array of its own: the scene's may change while the simulation runs."""
    return replace(script, rest=np.array(script.rest, dtype=np.float64), body=part.name)

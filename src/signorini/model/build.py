"""From a scene to the model of the time loop (`model_types`) and the state at time 0.

Nodes and surface vertices are numbered body by body: cloth, soft solids, rigid bodies; kinematic vertices come last.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.collision.surface import FREE, PRESCRIBED, build_surface
from signorini.elements.hinge_friction import concatenate_hinge_friction
from signorini.elements.hinges import concatenate_hinges, hinge_angles
from signorini.elements.springs import concatenate_springs
from signorini.elements.tetrahedra import concatenate_tetrahedra
from signorini.errors import InputError
from signorini.linalg.block_matrix import BlockMatrix, build_pattern, find_entries
from signorini.model.attachments import attach_to_rigids, attached_groups, attachment_slots, carried_nodes, carried_pins
from signorini.model.folding import build_folding, reduced_pairs
from signorini.model.model import BodySlot, Elements, KinematicSlot, Model, PinSlot
from signorini.model.rigid_attachments import RigidAttachments, attached_map
from signorini.model.rigid_bodies import build_rigid_bodies
from signorini.model.state import State
from signorini.model.surface_map import MapRows, join_rows, node_rows, prescribed_rows, rigid_rows, weighted_rows
from signorini.scene.cloth_elements import ClothElements, build_cloth_elements
from signorini.scene.scene import Cloth, HalfSpace, Kinematic, Rigid, Scene, SoftSolid
from signorini.scene.solid_elements import SolidElements, build_solid_elements

Floats = NDArray[np.float64]


@dataclass(slots=True)
class _Parts:
    """What the bodies contribute, collected one after the other."""

    slots: dict[str, BodySlot] = field(default_factory=dict)
    cloth: list[tuple[ClothElements, int]] = field(default_factory=list)
    solids: list[tuple[SolidElements, int]] = field(default_factory=list)
    rigids: list[tuple[Rigid, int]] = field(default_factory=list)
    rows: list[MapRows] = field(default_factory=list)
    groups: list[NDArray[np.int32]] = field(default_factory=list)
    mass: list[Floats] = field(default_factory=list)
    drag: list[Floats] = field(default_factory=list)
    q: list[Floats] = field(default_factory=list)
    v: list[Floats] = field(default_factory=list)
    vertex_count: int = 0
    node_count: int = 0

    def add(
        self,
        kind: str,
        number: int,
        body: Cloth | SoftSolid | Rigid | Kinematic,
        rows: MapRows,
        group: int,
        mass: Floats,
        drag: Floats,
        q: Floats,
        v: Floats,
    ) -> None:
        """Append a body's vertices and nodes."""
        count, rigid = len(rows.counts), len(self.rigids) if kind == "rigid" else -1
        self.slots[body.name] = BodySlot(
            body.name, kind, number, self.vertex_count, count, body.mesh.triangles, self.node_count, len(mass), rigid
        )
        self.rows.append(rows)
        self.groups.append(np.full(count, group, np.int32))
        self.mass.append(mass)
        self.drag.append(drag)
        self.q.append(q)
        self.v.append(v)
        self.vertex_count += count
        self.node_count += len(mass)


def build_model(scene: Scene) -> tuple[Model, State]:
    """Everything that the time loop needs, and the state at time 0."""
    names = list(scene.bodies)
    parts = _collect(scene)
    if not parts.node_count:
        raise InputError(
            "the scene has nothing to simulate: add a cloth, a soft solid or a rigid body (scene.add_cloth, ...)"
        )
    q = np.ascontiguousarray(np.concatenate(parts.q))
    v = np.ascontiguousarray(np.concatenate(parts.v))
    rigids = build_rigid_bodies(
        [first for _, first in parts.rigids],
        np.array([body.mass for body, _ in parts.rigids]),
        np.array([body.properties.inertia for body, _ in parts.rigids]).reshape(-1, 3, 3),
    )
    quaternions = [Rotation.from_rotvec(body.rotation).as_quat() for body, _ in parts.rigids]
    rotations = np.array(quaternions, dtype=np.float64).reshape(-1, 4)
    attachments = attach_to_rigids(scene, parts.slots, rigids, q, rotations)
    elements, pattern = _elements(parts, attachments)
    carried = carried_nodes(scene, parts.slots)
    unattached_map = join_rows(parts.rows)
    vertex_group = attached_groups(np.concatenate(parts.groups), unattached_map, attachments, carried)
    planes = [(b.normal, b.height, names.index(b.name)) for b in scene.bodies.values() if isinstance(b, HalfSpace)]
    every_node = np.arange(parts.node_count, dtype=np.int32)
    kinematics = [b for b in scene.bodies.values() if isinstance(b, Kinematic)]
    model = Model(
        gravity=scene.gravity,
        mass=np.concatenate(parts.mass),
        drag=np.concatenate(parts.drag),
        elements=elements,
        rigids=rigids,
        attachments=attachments,
        folding=build_folding(pattern, attachments),
        pattern=pattern,
        diagonal_entries=find_entries(pattern, every_node, every_node),
        surface=build_surface(
            [(s.triangles, s.first, s.count, s.number) for s in parts.slots.values()],
            vertex_group,
            planes,
            solids=[s.number for s in parts.slots.values() if s.kind != "cloth"],
        ),
        surface_map=attached_map(unattached_map, attachments),
        unattached_map=unattached_map,
        kinematic_first=parts.vertex_count - sum(len(k.positions) for k in kinematics),
        bodies=parts.slots,
        body_names=names,
        body_friction=np.array([b.friction for b in scene.bodies.values()]),
        pins=_pins(scene, parts) + carried_pins(scene, parts.slots, q),
        attachment_slots=attachment_slots(scene, parts.slots),
        kinematics=[KinematicSlot(k.positions, k.motion) for k in kinematics],
    )
    attachments.place(q, rotations)
    attachments.carry(v, rotations)
    set_angles = hinge_angles(elements.hinge_friction.nodes, q)
    return model, State(q, v, 0.0, set_angles, rotations)


def _collect(scene: Scene) -> _Parts:
    """All bodies but the half-spaces, in the order of their kinds."""
    parts, names = _Parts(), list(scene.bodies)
    order = {Cloth: 0, SoftSolid: 1, Rigid: 2, Kinematic: 3}
    bodies = [b for b in scene.bodies.values() if not isinstance(b, HalfSpace)]
    for body in sorted(bodies, key=lambda b: order[type(b)]):
        number, none = names.index(body.name), np.zeros((0, 3))
        match body:
            case Cloth():
                cloth = build_cloth_elements(body.mesh, body.material, body.area_density, body.name)
                drag = np.full(len(cloth.mass), scene.air_drag)
                parts.cloth.append((cloth, parts.node_count))
                rows = node_rows(parts.node_count + np.arange(len(cloth.mass)))
                parts.add("cloth", number, body, rows, FREE, cloth.mass, drag, body.positions, body.velocities)
            case SoftSolid():
                solid = _solid_elements(body)
                drag = scene.air_drag + solid.drag
                parts.solids.append((solid, parts.node_count))
                rows = _solid_rows(body, parts.node_count)
                q, v = body.node_positions, body.node_velocities
                parts.add("soft_solid", number, body, rows, FREE, solid.mass, drag, q, v)
            case Rigid():
                k, arms = len(parts.rigids), body.mesh.vertices - body.properties.centre
                rows = rigid_rows(parts.node_count, k, arms)
                mass, drag = np.array([body.mass, 0.0]), np.full(2, scene.air_drag)
                q, v = np.array([body.center, np.zeros(3)]), np.array([body.velocity, body.angular_velocity])
                first = parts.node_count
                parts.add("rigid", number, body, rows, k + 1, mass, drag, q, v)
                parts.rigids.append((body, first))
            case Kinematic():
                rows = prescribed_rows(len(body.positions))
                parts.add("kinematic", number, body, rows, PRESCRIBED, np.zeros(0), np.zeros(0), none, none)
    return parts


def _solid_rows(body: SoftSolid, first: int) -> MapRows:
    skin = body.skin
    if skin.nodes is not None:
        return node_rows(first + skin.nodes)
    assert skin.embedding is not None
    return weighted_rows(first + skin.embedding.nodes, skin.embedding.weights)


def _solid_elements(body: SoftSolid) -> SolidElements:
    """The elements of a solid; tetrahedra that are filled in part weigh and resist as much less."""
    whole = build_solid_elements(body.tets, body.material, body.material.density, body.name)
    if body.skin.fractions is None:
        return whole
    volume = whole.tetrahedra.volume * body.skin.fractions
    shares = np.repeat(0.25 * body.material.density * volume, 4)
    mass = np.bincount(whole.tetrahedra.nodes.ravel(), weights=shares, minlength=len(whole.mass))
    return replace(whole, mass=mass, tetrahedra=replace(whole.tetrahedra, volume=volume))


def _elements(parts: _Parts, attachments: RigidAttachments) -> tuple[Elements, BlockMatrix]:
    """The elements of all bodies and the pattern of the system matrix."""
    springs = concatenate_springs([(e.springs, at) for e, at in parts.cloth])
    hinges = concatenate_hinges([(e.hinges, at) for e, at in parts.cloth])
    friction = concatenate_hinge_friction([(e.hinge_friction, at) for e, at in parts.cloth])
    tetrahedra = concatenate_tetrahedra([(e.tetrahedra, at) for e, at in parts.solids])
    pairs = np.concatenate([springs.nodes, _pairs_of_four(hinges.nodes), _pairs_of_four(tetrahedra.nodes)])
    pattern = build_pattern(parts.node_count, reduced_pairs(parts.node_count, pairs, attachments))
    i, j = springs.nodes[:, [0, 0, 1, 1]], springs.nodes[:, [0, 1, 0, 1]]
    elements = Elements(
        springs=springs,
        hinges=hinges,
        hinge_friction=friction,
        tetrahedra=tetrahedra,
        spring_entries=find_entries(pattern, i, j),
        hinge_entries=_entries_of_four(pattern, hinges.nodes),
        hinge_friction_entries=_entries_of_four(pattern, friction.nodes),
        tetrahedron_entries=_entries_of_four(pattern, tetrahedra.nodes),
    )
    return elements, pattern


def _pins(scene: Scene, parts: _Parts) -> list[PinSlot]:
    pins = []
    for body in scene.bodies.values():
        if isinstance(body, Cloth | SoftSolid):
            start = body.positions if isinstance(body, Cloth) else body.node_positions
            first = parts.slots[body.name].first_node
            pins += [PinSlot(p.vertices + first, start[p.vertices], p.motion, p.release_time) for p in body.pins]
    return pins


def _pairs_of_four(nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.concatenate([nodes[:, [a, b]] for a in range(4) for b in range(a + 1, 4)])


def _entries_of_four(pattern: BlockMatrix, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where the blocks of each element's 4 × 4 pairs of nodes are, (e, 4, 4)."""
    return find_entries(pattern, np.repeat(nodes, 4, axis=1), np.tile(nodes, (1, 4))).reshape(-1, 4, 4)

"""Model: what stays constant during a step, made once from a scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.bodies.cloth import build_cloth_elements
from signorini.bodies.hinge_friction import HingeFriction, concatenate_hinge_friction
from signorini.bodies.hinges import Hinges, concatenate_hinges, hinge_angles
from signorini.bodies.springs import Springs, concatenate_springs
from signorini.collision.surface import Surface, build_surface
from signorini.dynamics.block_matrix import BlockMatrix, build_pattern, find_entries
from signorini.errors import InputError
from signorini.motions import Motion
from signorini.scene import Cloth, HalfSpace, Kinematic, Scene
from signorini.state import State

Positions = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BodySlot:
    """Where a body's vertices are in the surface."""

    name: str
    kind: str
    number: int
    first: int
    count: int
    triangles: NDArray[np.int32]
    """(t, 3) counted within the body."""


@dataclass(frozen=True, slots=True)
class PinSlot:
    """Nodes with a prescribed motion until a time."""

    nodes: NDArray[np.int32]
    rest: Positions
    motion: Motion | None
    release_time: float


@dataclass(frozen=True, slots=True)
class KinematicSlot:
    """Surface vertices with a prescribed motion."""

    rest: Positions
    motion: Motion | None


@dataclass(frozen=True, slots=True)
class Model:
    """Masses, elements, surface and scripts of all bodies; nodes are numbered through."""

    gravity: NDArray[np.float64]
    air_drag: float
    """[1/s]"""
    mass: NDArray[np.float64]
    """(n,) [kg]"""
    springs: Springs
    hinges: Hinges
    hinge_friction: HingeFriction
    pattern: BlockMatrix
    """The system matrix with all entries zero."""
    diagonal_entries: NDArray[np.int32]
    spring_entries: NDArray[np.int32]
    hinge_entries: NDArray[np.int32]
    hinge_friction_entries: NDArray[np.int32]
    surface: Surface
    bodies: dict[str, BodySlot]
    body_names: list[str]
    """Names by body number, half-spaces included."""
    body_friction: NDArray[np.float64]
    """(bodies,) coefficient by body number."""
    pins: list[PinSlot]
    kinematics: list[KinematicSlot]

    @property
    def node_count(self) -> int:
        return len(self.mass)

    def kinematic_positions(self, time: float) -> Positions:
        """Where the kinematic vertices are at a time, (k, 3)."""
        parts = [s.rest if s.motion is None else s.motion.positions(s.rest, time) for s in self.kinematics]
        return np.concatenate([*parts, np.zeros((0, 3))])

    def surface_positions(self, q: Positions, time: float) -> Positions:
        """Positions of all surface vertices, (v, 3): the nodes, then the kinematic vertices."""
        return np.concatenate([q, self.kinematic_positions(time)])

    def pinned(self, time: float) -> tuple[NDArray[np.int32], Positions]:
        """Nodes that are pinned at a time, and where; a later pin of the same node wins."""
        where: dict[int, NDArray[np.float64]] = {}
        for pin in self.pins:
            # The relative tolerance keeps a release from depending on how the time was summed up.
            if time <= pin.release_time * (1.0 + 1e-12):
                placed = pin.rest if pin.motion is None else pin.motion.positions(pin.rest, time)
                where.update(zip(pin.nodes.tolist(), placed, strict=True))
        nodes = np.array(sorted(where), dtype=np.int32)
        return nodes, np.array([where[i] for i in nodes.tolist()]).reshape(-1, 3)

    def pair_friction(self, bodies: NDArray[np.int32]) -> NDArray[np.float64]:
        """Friction of pairs of bodies (m, 2): the geometric mean of both coefficients."""
        return np.sqrt(self.body_friction[bodies[:, 0]] * self.body_friction[bodies[:, 1]])


def build_model(scene: Scene) -> tuple[Model, State]:
    """Everything that the time loop needs, and the state at time 0."""
    cloths = [b for b in scene.bodies.values() if isinstance(b, Cloth)]
    kinematics = [b for b in scene.bodies.values() if isinstance(b, Kinematic)]
    names = list(scene.bodies)
    if not cloths:
        raise InputError("the scene has nothing to simulate: add a cloth (scene.add_cloth)")
    elements, bodies, meshes = [], {}, []
    first = 0
    for body in [*cloths, *kinematics]:
        number, count = names.index(body.name), len(body.positions)
        kind = "cloth" if isinstance(body, Cloth) else "kinematic"
        bodies[body.name] = BodySlot(body.name, kind, number, first, count, body.mesh.triangles)
        meshes.append((body.mesh.triangles, first, count, number))
        if isinstance(body, Cloth):
            elements.append((build_cloth_elements(body.mesh, body.material, body.area_density, body.name), first))
        first += count
    node_count = sum(len(c.positions) for c in cloths)
    springs = concatenate_springs([(e.springs, at) for e, at in elements])
    hinges = concatenate_hinges([(e.hinges, at) for e, at in elements])
    friction = concatenate_hinge_friction([(e.hinge_friction, at) for e, at in elements])
    pattern = build_pattern(node_count, _coupled_pairs(springs, hinges))
    planes = [(b.normal, b.height, names.index(b.name)) for b in scene.bodies.values() if isinstance(b, HalfSpace)]
    every_node = np.arange(node_count, dtype=np.int32)
    i, j = springs.nodes[:, [0, 0, 1, 1]], springs.nodes[:, [0, 1, 0, 1]]
    model = Model(
        gravity=scene.gravity,
        air_drag=scene.air_drag,
        mass=np.concatenate([e.mass for e, _ in elements]),
        springs=springs,
        hinges=hinges,
        hinge_friction=friction,
        pattern=pattern,
        diagonal_entries=find_entries(pattern, every_node, every_node),
        spring_entries=find_entries(pattern, i, j),
        hinge_entries=_hinge_entries(pattern, hinges.nodes),
        hinge_friction_entries=_hinge_entries(pattern, friction.nodes),
        surface=build_surface(meshes, node_count, planes),
        bodies=bodies,
        body_names=names,
        body_friction=np.array([b.friction for b in scene.bodies.values()]),
        pins=[
            PinSlot(p.vertices + bodies[c.name].first, c.positions[p.vertices], p.motion, p.release_time)
            for c in cloths
            for p in c.pins
        ],
        kinematics=[KinematicSlot(k.positions, k.motion) for k in kinematics],
    )
    q = np.concatenate([c.positions for c in cloths])
    v = np.concatenate([c.velocities for c in cloths])
    return model, State(np.ascontiguousarray(q), np.ascontiguousarray(v), 0.0, hinge_angles(friction.nodes, q))


def _coupled_pairs(springs: Springs, hinges: Hinges) -> NDArray[np.int32]:
    h = hinges.nodes
    return np.concatenate([springs.nodes, *(h[:, [a, b]] for a in range(4) for b in range(a + 1, 4))])


def _hinge_entries(pattern: BlockMatrix, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where the blocks of each hinge's 4 × 4 pairs of nodes are, (h, 4, 4)."""
    return find_entries(pattern, np.repeat(nodes, 4, axis=1), np.tile(nodes, (1, 4))).reshape(-1, 4, 4)

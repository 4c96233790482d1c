"""Model: masses, elements, surface and scripts of all bodies, constant during a simulation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from signorini.collision.surface import Surface
from signorini.elements.element import Elements
from signorini.geometry.triangles import side_lengths
from signorini.linalg.block_matrix import BlockMatrix
from signorini.model.contact_rules import ContactRules
from signorini.model.folding import Folding
from signorini.model.jointed.joints import Joints
from signorini.model.prescribed import Prescribed
from signorini.model.rigid_attachments import RigidAttachments
from signorini.model.rigid_bodies import RigidBodies
from signorini.model.rigid_surface import RigidSurface
from signorini.model.state import State
from signorini.model.surface_map import SurfaceMap

Positions = NDArray[np.float64]
NO_ROTATIONS = np.zeros((0, 4))


@dataclass(frozen=True, slots=True)
class BodySlot:
    """Ranges of the vertices and the nodes of a body."""

    name: str
    kind: str
    """The name of its kind, such as `cloth`."""
    number: int
    """Its place among all bodies of the scene, half-spaces included."""
    first: int
    """Its first surface vertex."""
    count: int
    """How many surface vertices it has."""
    triangles: NDArray[np.int32]
    """(t, 3) counted within the body."""
    first_node: int
    node_count: int
    rigid: int = -1
    """Number among the rigid bodies, or -1."""
    thick: bool = False
    """Whether its surface bounds a volume."""
    rotating_frame: bool = False
    """Whether its steps are taken in a reference frame that rotates with it."""
    edges: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    """(k, 2) edges that collide although they belong to no triangle, counted within the body."""
    rest: Positions = field(default_factory=lambda: np.zeros((0, 3)))
    """(count, 3) its surface vertices at rest [m]."""
    hollow: bool = False
    """Whether other bodies may be inside its closed surface."""

    @property
    def scripted(self) -> bool:
        """Whether its motion is prescribed: it has vertices, but no nodes."""
        return self.node_count == 0

    @property
    def deformable(self) -> bool:
        """Whether its nodes are points of its material, which can be pinned and attached."""
        return self.node_count > 0 and self.rigid < 0

    @property
    def vertices(self) -> slice:
        return slice(self.first, self.first + self.count)

    @property
    def edge_lengths(self) -> NDArray[np.float64]:
        """Lengths [m] of the sides of all triangles at rest, (3 t,), and of the edges that belong to no triangle."""
        ends = self.rest[self.edges]
        lone = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        return np.concatenate([side_lengths(self.rest, self.triangles).ravel(), lone])

    @property
    def nodes(self) -> slice:
        return slice(self.first_node, self.first_node + self.node_count)


@dataclass(frozen=True, slots=True)
class AttachmentSlot:
    """Nodes of one body that follow another, by body number."""

    body: int
    to: int
    nodes: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class StillVertices:
    """Surface vertices of bodies that sleep: no node moves them."""

    vertices: NDArray[np.intp]
    """(k,)"""
    positions: Positions
    """(k, 3) where they stay [m]."""


@dataclass(frozen=True, slots=True)
class Model:
    """Masses, elements, surface and scripts of all bodies; nodes are numbered through."""

    gravity: NDArray[np.float64]
    """(3,) of the scene [m/s²]."""
    node_gravity: NDArray[np.float64]
    """(n, 3) of each node [m/s²]: that of the scene unless its body has one of its own."""
    mass: NDArray[np.float64]
    """(n,) [kg]; zero for the angular nodes of rigid bodies."""
    drag: NDArray[np.float64]
    """(n,) rate at which nodes are slowed down: air, and the mass damping of solids [1/s]."""
    elements: tuple[Elements, ...]
    """Everything that stores or dissipates energy; one set for each kind of element."""
    element_entries: tuple[NDArray[np.int32], ...]
    """For each set (e, k, k): the places of its blocks in the system matrix."""
    rigids: RigidBodies
    rigid_surface: RigidSurface
    attachments: RigidAttachments
    folding: Folding
    pattern: BlockMatrix
    """The system matrix with all entries zero."""
    diagonal_entries: NDArray[np.int32]
    surface: Surface
    surface_map: SurfaceMap
    """What moves the vertices, with attached nodes replaced by the bodies that carry them."""
    unattached_map: SurfaceMap
    """The same with attached nodes as they are."""
    kinematic_first: int
    """The surface vertices from here on are kinematic."""
    bodies: dict[str, BodySlot]
    body_names: list[str]
    """Names by body number, half-spaces included."""
    contact_rules: ContactRules
    """Friction and restitution of pairs of bodies, and which of them ignore each other."""
    attachment_slots: list[AttachmentSlot]
    prescribed: Prescribed
    """The motions of scripted bodies and pins."""
    joints: Joints | None = None
    """Joints, locks and drives of rigid bodies; None if there are none."""
    still: StillVertices | None = None
    """Vertices of sleeping bodies, if this is the awake part of a model (`model/awake_part`)."""

    @property
    def node_count(self) -> int:
        return len(self.mass)

    def element_states(self, state: State) -> tuple[NDArray[np.float64], ...]:
        """The internal state of each set of elements; as at the start of a simulation if the state has none."""
        return state.internal or tuple(elements.initial_state(state.q) for elements in self.elements)

    def kinematic_positions(self, time: float) -> Positions:
        """Where the kinematic vertices are at a time, (k, 3); not to be written to."""
        return self.prescribed.kinematic_positions(time)

    def surface_positions(self, q: Positions, time: float, rotations: Positions = NO_ROTATIONS) -> Positions:
        """Positions of all surface vertices, (v, 3), at a time, from nodes (n, 3) and the quaternions (b, 4) of rigid bodies."""
        return self.placed_surface(q, rotations, self.kinematic_positions(time))

    def placed_surface(self, q: Positions, rotations: Positions, kinematic: Positions) -> Positions:
        """The same with the kinematic vertices (k, 3) given."""
        x = self.surface_map.positions(q, rotations)
        x[self.kinematic_first :] = kinematic
        if self.still is not None:
            x[self.still.vertices] = self.still.positions
        return x

    def pinned(self, time: float) -> tuple[NDArray[np.int32], Positions]:
        """Nodes that are pinned at a time, and where; a later pin of the same node wins. Not to be written to."""
        return self.prescribed.pinned(time)

    def pair_friction(self, bodies: NDArray[np.int32]) -> NDArray[np.float64]:
        """Friction of pairs of bodies (m, 2): that of the pair, or the geometric mean of both coefficients."""
        return self.contact_rules.frictions(bodies)

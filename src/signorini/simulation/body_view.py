"""Bodies of a running simulation: what can be read and set between steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from signorini.attributes import KnownAttributes, read_only
from signorini.checks import told_size, told_vector
from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import as_floats, as_points, as_vector
from signorini.model.model import BodySlot
from signorini.simulation.hand_loads import TakesLoads
from signorini.simulation.readout import vertex_contact_forces

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]


class BodyView(TakesLoads, KnownAttributes):
    """A body of a running simulation: its positions and velocities can be read and set between steps."""

    _remedies: ClassVar[dict[str, str]] = {"center": "set node_positions", "velocity": "set node_velocities"}

    def __init__(self, simulation: Simulation, slot: BodySlot) -> None:
        self._simulation = simulation
        self._slot = slot
        self._complete = True

    def _described(self) -> str:
        return f"the {self.kind.replace('_', ' ')} body {self.name!r}"

    def __repr__(self) -> str:
        x, v = self.positions, self.velocities
        speed = float(np.sqrt((v * v).sum(axis=1).max(initial=0.0)))
        where = f"centre {told_vector(x.mean(axis=0))} m, {told_size(x)}"
        what = f"{self.kind.replace('_', ' ')} {self.name!r}: {len(x)} vertices, {self.mass:.3g} kg"
        return f"<{what}, {where}, at most {speed:.3g} m/s>"

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The name of the body."""
        return self._slot.name

    @property
    def kind(self) -> str:
        """The kind of the body, such as `cloth`."""
        return self._slot.kind

    @property
    def triangles(self) -> NDArray[np.int32]:
        """(t, 3) of its surface."""
        return self._slot.triangles

    @property
    def edges(self) -> NDArray[np.int32]:
        """(k, 2) edges that collide although they belong to no triangle, such as those of a rod."""
        return self._slot.edges

    @property
    def center(self) -> Floats:
        """(3,) the centre of mass [m]."""
        mass = self.node_masses
        return read_only(mass @ self.node_positions / mass.sum())

    @property
    def velocity(self) -> Floats:
        """(3,) of the centre of mass [m/s]."""
        mass = self.node_masses
        return read_only(mass @ self.node_velocities / mass.sum())

    @property
    def positions(self) -> Floats:
        """(n, 3) of the surface [m], a read-only copy."""
        return read_only(self._simulation._moment.surface_positions[self._slot.vertices])

    @positions.setter
    def positions(self, value: ArrayLike) -> None:
        self._check_settable("positions")
        self.node_positions = value

    @property
    def velocities(self) -> Floats:
        """(n, 3) of the surface [m/s], a read-only copy; zero for a kinematic body, whose motion is its script's."""
        state, model = self._simulation.state, self._simulation._world.model
        return read_only(model.surface_map.turned(state.rotations).velocities(state.v)[self._slot.vertices])

    @velocities.setter
    def velocities(self, value: ArrayLike) -> None:
        self._check_settable("velocities")
        self.node_velocities = value

    @property
    def contact_forces(self) -> Floats:
        """(n, 3) on the vertices of the surface [N], averaged over the last (sub-)step; their sum is `sim.contact_force`."""
        solved, surface = self._simulation._solved, self._simulation._moment.surface_positions
        if solved is None:
            return read_only(np.zeros((self._slot.count, 3)))
        return read_only(vertex_contact_forces(solved, len(surface))[self._slot.vertices])

    @property
    def node_positions(self) -> Floats:
        """(n, 3) [m], a read-only copy: the vertices of a cloth, all nodes of a soft solid, none of other bodies."""
        return read_only(self._simulation.state.q[self._own_nodes()])

    @node_positions.setter
    def node_positions(self, value: ArrayLike) -> None:
        state = self._simulation.state
        q = state.q.copy()
        q[self._slot.nodes] = self._checked("positions", value)
        self._simulation._set_state(replace(state, q=q))

    @property
    def node_velocities(self) -> Floats:
        """(n, 3) [m/s], a read-only copy."""
        return read_only(self._simulation.state.v[self._own_nodes()])

    @node_velocities.setter
    def node_velocities(self, value: ArrayLike) -> None:
        state = self._simulation.state
        v = state.v.copy()
        v[self._slot.nodes] = self._checked("velocities", value)
        self._simulation._set_velocities(v)

    def _check_settable(self, what: str) -> None:
        if self._slot.deformable and self._slot.thick:
            raise InputError(f"{what} of the soft solid {self.name!r} follow from its nodes: set node_{what}")

    def _checked(self, what: str, value: ArrayLike) -> Floats:
        if self._slot.scripted:
            remedy = "call move_vertices(positions)" if what == "positions" else "set velocity"
            raise InputError(
                f"{what} of the kinematic body {self.name!r} come from its motion and cannot be set: {remedy}"
            )
        if self._slot.rigid >= 0:
            raise InputError(
                f"{what} of the rigid body {self.name!r} cannot be set: set its pose, velocity or angular_velocity"
            )
        points, count = as_points(f"{what} of {self.name!r}", value), self._slot.node_count
        if len(points) != count:
            raise InputError(f"{what} of {self.name!r} must have shape ({count}, 3), got {points.shape}")
        return points


class RigidView(BodyView):
    """A rigid body of a running simulation. A point x of its mesh is at `pose` (x, 1)."""

    def __repr__(self) -> str:
        where, how = told_vector(self.center), told_vector(self.velocity)
        return f"<rigid body {self.name!r}: {self.mass:.3g} kg, centre of mass {where} m, velocity {how} m/s>"

    @property
    def inertia(self) -> Floats:
        """(3, 3) about the centre of mass, in the world frame [kg m²]."""
        state, model = self._simulation.state, self._simulation._world.model
        return read_only(model.rigids.world_inertia(state.rotations)[self._slot.rigid])

    @property
    def applied_torque(self) -> Floats:
        """(3,) the torque about the centre of mass that was given by hand for the next step [N m]."""
        applied = self._simulation.state.applied
        return read_only(applied[self._slot.first_node + 1] if len(applied) else np.zeros(3))

    @property
    def center(self) -> Floats:
        """(3,) the centre of mass [m]."""
        return read_only(self._simulation.state.q[self._slot.first_node])

    @center.setter
    def center(self, value: ArrayLike) -> None:
        self._set("q", self._slot.first_node, as_vector(f"center of {self.name!r}", value))

    @property
    def velocity(self) -> Floats:
        """(3,) of the centre of mass [m/s]."""
        return read_only(self._simulation.state.v[self._slot.first_node])

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._set("v", self._slot.first_node, as_vector(f"velocity of {self.name!r}", value))

    @property
    def angular_velocity(self) -> Floats:
        """(3,) in the world frame [rad/s]."""
        return read_only(self._simulation.state.v[self._slot.first_node + 1])

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self._set("v", self._slot.first_node + 1, as_vector(f"angular_velocity of {self.name!r}", value))

    @property
    def rotation(self) -> Floats:
        """(3,) rotation vector from the mesh as it was given to the world [rad]; set, it turns about the centre of mass."""
        return read_only(self._orientation().as_rotvec(), flagged=False)

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        turn = Rotation.from_rotvec(as_vector(f"rotation of {self.name!r}", value))
        self._set("rotations", self._slot.rigid, turn.as_quat())

    @property
    def pose(self) -> Floats:
        """(4, 4) from points (x, 1) of the mesh as it was given to the world."""
        pose, R = np.eye(4), self._orientation().as_matrix()
        pose[:3, :3] = R
        pose[:3, 3] = self.center - R @ self._mesh_center()
        return read_only(pose, flagged=False)

    @pose.setter
    def pose(self, value: ArrayLike) -> None:
        what = f"pose of {self.name!r}"
        try:
            given = as_floats(value)
        except (TypeError, ValueError):
            raise InputError(f"{what} must be a 4 × 4 matrix of numbers, got {short(value)}") from None
        if given.shape != (4, 4) or not np.isfinite(given).all() or not np.allclose(given[3], (0.0, 0.0, 0.0, 1.0)):
            raise InputError(
                f"{what} must be a finite 4 × 4 matrix with the last row 0, 0, 0, 1, got shape {given.shape}"
            )
        R = given[:3, :3]
        as_vector(f"translation in the {what}", given[:3, 3])
        if not np.allclose(R @ R.T, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0.0:
            raise InputError(
                f"{what} must be a rotation without scale or reflection, got determinant {np.linalg.det(R):g}"
            )
        state = self._simulation.state
        q, rotations = state.q.copy(), state.rotations.copy()
        turn = Rotation.from_matrix(R)
        q[self._slot.first_node] = turn.as_matrix() @ self._mesh_center() + given[:3, 3]
        rotations[self._slot.rigid] = turn.as_quat()
        self._simulation._set_state(replace(state, q=q, rotations=rotations))

    def _orientation(self) -> Rotation:
        return Rotation.from_quat(self._simulation.state.rotations[self._slot.rigid])

    def _mesh_center(self) -> Floats:
        return self._simulation.scene.bodies[self.name].properties.centre  # pyright: ignore[reportAttributeAccessIssue]

    def _set(self, field: str, row: int, value: Floats) -> None:
        state = self._simulation.state
        array = getattr(state, field).copy()
        array[row] = value
        if field == "v":
            self._simulation._set_velocities(array)
        else:
            self._simulation._set_state(replace(state, **{field: array}))


class BodyViews(dict[str, BodyView]):
    """The bodies of a running simulation by name; a name that does not exist is answered with those that do."""

    def __missing__(self, name: object) -> BodyView:
        raise InputError(f"there is no body {name!r} with a surface in this simulation; there are {', '.join(self)}")

"""Forces given by hand: what `sim.bodies[name].apply_force(...)` adds to the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.attributes import read_only
from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import as_floats, as_vector
from signorini.model.model import BodySlot
from signorini.scene.pins import checked_vertices
from signorini.scene.places import VerticesLike, chosen_vertices

if TYPE_CHECKING:
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]
LARGEST_FORCE = 1e12
"""Largest component of a force [N] or torque [N m] that is taken; what is larger is an error of units."""


class TakesLoads:
    """The part of a view of a body that takes forces for the next step, and tells its masses."""

    name: str
    _simulation: Simulation
    _slot: BodySlot

    @property
    def mass(self) -> float:
        """[kg]; 0 for a kinematic body."""
        return float(self._simulation._world.model.mass[self._slot.nodes].sum())

    @property
    def node_masses(self) -> Floats:
        """(n,) [kg]: of the vertices of a cloth or a rod, of all nodes of a soft solid; empty for other bodies."""
        return read_only(self._simulation._world.model.mass[self._own_nodes()])

    @property
    def applied_force(self) -> Floats:
        """(3,) resultant of the forces that were given by hand for the next step [N]."""
        applied, slot = self._simulation.state.applied, self._slot
        if not len(applied):
            return read_only(np.zeros(3))
        return read_only(applied[slot.first_node] if slot.rigid >= 0 else applied[slot.nodes].sum(axis=0))

    def apply_force(
        self,
        force: ArrayLike,
        *,
        vertices: VerticesLike | None = None,
        nodes: VerticesLike | None = None,
        at: ArrayLike | None = None,
    ) -> None:
        """Add a force to the next step; several calls add up, and after that step they are gone.

        Parameters:
            force: (3,) resultant [N], or with vertices or nodes also (k, 3), one for each of them. The resultant acts on the
                centre of mass of a rigid body; on others it is shared in proportion to mass by all nodes, and equally by
                chosen vertices or nodes.
            vertices: numbers of vertices of the surface, as in `positions`, or a place that chooses them where they are now.
            nodes: numbers of nodes, as in `node_positions`, or a place.
            at: (3,) the point of a rigid body at which the resultant acts [m]; by default its centre of mass.
        """
        self._check_movable("a force")
        applied = self._applied()
        if vertices is not None and nodes is not None:
            raise InputError(f"apply_force to {self.name!r}: give vertices or nodes, not both")
        if at is not None and (self._slot.rigid < 0 or vertices is not None):
            raise InputError(
                f"apply_force to {self.name!r}: `at` is a point of a whole rigid body: give vertices instead"
            )
        if vertices is not None:
            self._on_vertices(applied, force, vertices)
        elif nodes is not None:
            self._on_nodes(applied, force, nodes)
        elif self._slot.rigid >= 0:
            whole, first = self._vector("force", force), self._slot.first_node
            applied[first] += whole
            if at is not None:
                arm = as_vector(f"point of a force on {self.name!r}", at) - self._simulation.state.q[first]
                applied[first + 1] += np.cross(arm, whole)
        else:
            mass = self._simulation._world.model.mass[self._slot.nodes]
            applied[self._slot.nodes] += np.outer(mass / mass.sum(), self._vector("force", force))
        self._simulation._set_applied(applied)

    def apply_torque(self, torque: ArrayLike) -> None:
        """Add a torque (3,) [N m], in the world frame, to the next step of a rigid body; several calls add up."""
        self._check_movable("a torque")
        if self._slot.rigid < 0:
            raise InputError(
                f"a torque cannot act on {self.name!r}: only rigid bodies take one; apply forces to its vertices"
            )
        applied = self._applied()
        applied[self._slot.first_node + 1] += self._vector("torque", torque)
        self._simulation._set_applied(applied)

    def _own_nodes(self) -> slice:
        """The nodes that are points of the body's material."""
        return self._slot.nodes if self._slot.deformable else slice(0, 0)

    def _applied(self) -> Floats:
        """A copy of the forces (n, 3) that have been given so far."""
        state = self._simulation.state
        return state.applied.copy() if len(state.applied) else np.zeros_like(state.q)

    def _on_nodes(self, applied: Floats, force: ArrayLike, nodes: VerticesLike) -> None:
        own = self._own_nodes()
        count = own.stop - own.start
        if not count:
            raise InputError(
                f"apply_force to {self.name!r}: it has no nodes of its own; give vertices, or the whole body"
            )
        what, points = f"apply_force to nodes of {self.name!r}", self._simulation.state.q[own]
        found = chosen_vertices(what, nodes, points, self._simulation.scene.bodies[self.name].groups)
        chosen = checked_vertices(what, count, found, ordered=False)
        np.add.at(applied, own.start + chosen, self._shared(force, len(chosen)))

    def _on_vertices(self, applied: Floats, force: ArrayLike, vertices: VerticesLike) -> None:
        """Forces on the surface act on the nodes that move it."""
        what, points = f"apply_force to {self.name!r}", self._simulation._moment.surface_positions[self._slot.vertices]
        found = chosen_vertices(what, vertices, points, self._simulation.scene.bodies[self.name].surface_groups)
        chosen = checked_vertices(what, self._slot.count, found, ordered=False)
        given = self._shared(force, len(chosen))
        moved = self._simulation._world.model.unattached_map.turned(self._simulation.state.rotations)
        for vertex, one in zip(self._slot.first + chosen, given, strict=True):
            rows = slice(moved.indptr[vertex], moved.indptr[vertex + 1])
            more = moved.weights[rows, None] * one + np.cross(moved.arms[rows], one)
            np.add.at(applied, moved.nodes[rows], more)

    def _shared(self, force: ArrayLike, count: int) -> Floats:
        """(count, 3) the forces on chosen points."""
        if not count:
            raise InputError(f"apply_force to {self.name!r}: no vertex is chosen")
        if np.ndim(force) == 1:
            return np.tile(self._vector("force", force) / count, (count, 1))
        try:
            given = as_floats(force)
        except (TypeError, ValueError):
            raise InputError(f"force on {self.name!r} must be numbers, got {short(force)}") from None
        if given.shape != (count, 3):
            raise InputError(f"force on {self.name!r} must have shape (3,) or ({count}, 3), got {given.shape}")
        return np.array([self._vector("force", one) for one in given])

    def _vector(self, what: str, value: ArrayLike) -> Floats:
        try:
            vector = as_floats(value)
        except (TypeError, ValueError):
            raise InputError(f"{what} on {self.name!r} must be three numbers, got {short(value)}") from None
        if vector.shape != (3,) or not (np.abs(vector) <= LARGEST_FORCE).all():
            raise InputError(
                f"{what} on {self.name!r} must be three finite numbers of at most {LARGEST_FORCE:g}, got {short(value)}"
            )
        return vector

    def _check_movable(self, what: str) -> None:
        if self._slot.scripted:
            raise InputError(f"{what} cannot act on {self.name!r}: its motion is prescribed, whatever acts on it")

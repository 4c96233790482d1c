"""Forces that can be read from a simulation: those of contacts, pins and attachments in its last step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.contact.mlcp import Mlcp
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import as_vector
from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.model.model import BodySlot
from signorini.simulation import readout
from signorini.simulation.contact_area import contact_pressure
from signorini.simulation.pair_force import PairForce, pair_forces
from signorini.simulation.readout import Contact

if TYPE_CHECKING:
    from signorini.simulation.body_view import BodyViews


class ForceReadout:
    """The part of `Simulation` that reads forces."""

    bodies: BodyViews
    _world: World
    _moment: Moment
    _solved: SolvedContacts | None

    def contacts(self) -> list[Contact]:
        """The contacts of the last step that carry force, or an empty list after a step without."""
        if self._solved is None:
            return []
        return readout.list_contacts(self._world.model, self._solved, self._moment.surface_positions)

    def contact_force(self, body: str, *, by: str | None = None) -> NDArray[np.float64]:
        """Resultant force (3,) [N] that all contacts, or those with the body `by`, exert on a body, over the last (sub-)step."""
        number = self._number(body)
        if by is not None:
            return self.pair_force(body, by).total
        return np.zeros(3) if self._solved is None else readout.contact_force(self._solved, number)

    def pair_forces(self) -> list[PairForce]:
        """Contact forces of the last (sub-)step between each pair of bodies that touch, split into normal force and friction."""
        if self._solved is None:
            return []
        arrays = readout.contact_arrays(self._world.model, self._solved, self._moment.surface_positions)
        bodies, _, normals, forces, sticks = arrays
        return pair_forces(self._world.model.body_names, bodies, normals, forces, sticks)

    def pair_force(self, body: str, by: str) -> PairForce:
        """The contact force that the body `by` exerts on a body, split into normal force and friction; zero without contact."""
        for name in (body, by):
            self._number(name)
        for pair in self.pair_forces():
            if {pair.body_a, pair.body_b} == {body, by}:
                return pair.on(body)
        return PairForce(body, by, np.zeros(3), np.zeros(3), 0.0, 0, 0)

    def contact_torque(self, body: str, *, about: ArrayLike | None = None) -> NDArray[np.float64]:
        """Resultant torque (3,) [N m] of all contacts on a body about a point [m].

        By default the point is the centre of mass; the mean of the vertices for a kinematic body.
        """
        number = self._number(body)
        point = self._center(body) if about is None else as_vector("about", about)
        if self._solved is None:
            return np.zeros(3)
        return readout.contact_torque(self._world.model, self._solved, number, self._moment.surface_positions, point)

    def contact_pressure(self, body: str) -> NDArray[np.float64]:
        """Normal contact force on each vertex of a body over the area there that faces what presses, (n,) [Pa]."""
        self._number(body)
        if body not in self.bodies:
            raise InputError(f"{body!r} is a half-space, which has no vertices: ask for the body that rests on it")
        slot = self._world.model.bodies[body]
        if self._solved is None:
            return np.zeros(slot.count)
        return contact_pressure(self._solved, slot, self._moment.surface_positions)

    def pin_force(self, body: str) -> NDArray[np.float64]:
        """Resultant force (3,) [N] that the pins of a body exert on it, averaged over the last (sub-)step."""
        slot = self._slot(body)
        attached = [s.nodes for s in self._world.model.attachment_slots]
        pinned, _ = self._world.model.pinned(self._moment.state.time)
        nodes = np.setdiff1d(pinned, np.concatenate([*attached, np.zeros(0, np.int32)]))
        return self._reaction(nodes[(nodes >= slot.first_node) & (nodes < slot.nodes.stop)])

    def attachment_force(self, body: str, to: str | None = None) -> NDArray[np.float64]:
        """Resultant force (3,) [N] that the bodies a body is attached to (or only `to`) exert on it."""
        number, other = self._slot(body).number, None if to is None else self._number(to)
        found = [s.nodes for s in self._world.model.attachment_slots if s.body == number and other in (None, s.to)]
        if not found:
            raise InputError(f"{body!r} is not attached to {'anything' if to is None else repr(to)} (see scene.attach)")
        return self._reaction(np.concatenate(found))

    def contact_problem(self) -> Mlcp | None:
        """The last contact problem of the last step, to save and study; None when there was none. Sleepers are not in it."""
        return None if self._solved is None or not self._solved.problem.node_count else self._solved.problem

    def _number(self, body: str) -> int:
        names = self._world.model.body_names
        if body not in names:
            raise InputError(f"there is no body {body!r}; there are {', '.join(names)}")
        return names.index(body)

    def _slot(self, body: str) -> BodySlot:
        self._number(body)
        if body not in self.bodies or not self._world.model.bodies[body].deformable:
            raise InputError(f"{body!r} must be a cloth, a rod or a soft solid: only these have pins and attachments")
        return self._world.model.bodies[body]

    def _center(self, body: str) -> NDArray[np.float64]:
        """Centre of mass, or of the vertices where there is no mass."""
        if body not in self.bodies:
            raise InputError(f"{body!r} is a half-space without a centre: give the point with about=(x, y, z)")
        slot = self._world.model.bodies[body]
        mass = self._world.model.mass[slot.nodes]
        if not len(mass):
            return self._moment.surface_positions[slot.vertices].mean(axis=0)
        return mass @ self._moment.state.q[slot.nodes] / mass.sum()

    def _reaction(self, nodes: NDArray[np.integer]) -> NDArray[np.float64]:
        if self._solved is None or not len(nodes):
            return np.zeros(3)
        return readout.constraint_forces(self._world.model, self._solved)[nodes].sum(axis=0)

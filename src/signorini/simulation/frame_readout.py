"""Read-out of one moment for files and viewers: contacts, and pressure, strain and stress at the vertices of the bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangles import vertex_means
from signorini.simulation import readout
from signorini.simulation.material.cloth_state import ClothState
from signorini.simulation.material.solid_state import SolidState
from signorini.simulation.pair_force import PairForce, pair_forces
from signorini.simulation.strain import principal_strain

if TYPE_CHECKING:
    from signorini.model.model import BodySlot, Model
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]
FIELDS = {
    "pressure": "Pa",
    "strain": "",
    "stress": "Pa",
    "tension": "N/m",
    "volume_ratio": "",
    "energy_density": "J/m³",
}
"""The fields at vertices and their units. Of all bodies with triangles: normal contact force over the area in contact. Of cloth
and solids: the principal stretch that differs most from 1, less 1. Of solids: the equivalent stress of von Mises; det F; strain
energy per volume at rest. Of cloth: the larger principal tension."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameReadout:
    """Contacts that carry force, m of them, and fields at the vertices of bodies."""

    names: tuple[str, ...]
    """Of all bodies, half-spaces included."""
    bodies: NDArray[np.int32]
    """(m, 2) numbers of the two bodies among `names`."""
    points: Floats
    """(m, 3) where the force acts on the first body [m]."""
    normals: Floats
    """(m, 3) unit, from the second body to the first."""
    forces: Floats
    """(m, 3) on the first body, friction included [N]."""
    sticks: NDArray[np.bool_]
    """(m,) whether friction is inside its cone."""
    fields: dict[str, dict[str, NDArray[np.float32]]] = field(default_factory=dict)
    """By field of `FIELDS` and body: a value for each of its vertices (n,). Bodies without the field are left out."""

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} of {', '.join(by_body)}" for name, by_body in self.fields.items() if by_body)
        return f"FrameReadout of {len(self)} contacts; fields: {shown or 'none'}"

    def pair_forces(self) -> list[PairForce]:
        """Contact forces between each pair of bodies that touch, split into normal force and friction."""
        return pair_forces(self.names, self.bodies, self.normals, self.forces, self.sticks)


States = Mapping[str, SolidState | ClothState]
"""States of the material of bodies by name."""


def frame_readout(sim: Simulation, states: States | None = None) -> FrameReadout:
    """The contacts and fields of the present state; without contacts before the first step."""
    world, moment, solved = sim._world, sim._moment, sim._solved
    names, fields = tuple(world.model.body_names), vertex_fields(sim, states)
    if solved is None:
        none = np.zeros((0, 3))
        return FrameReadout(names, np.zeros((0, 2), np.int32), none, none, none, np.zeros(0, np.bool_), fields)
    arrays = readout.contact_arrays(world.model, solved, moment.surface_positions)
    return FrameReadout(names, *arrays, fields)


def vertex_fields(sim: Simulation, states: States | None = None) -> dict[str, dict[str, NDArray[np.float32]]]:
    """By field of `FIELDS` and body: a value for each of its vertices (n,), means of the elements there.

    `states` of the material may be given if they are known already.
    """
    world, known = sim._world, material_states(sim) if states is None else states
    fields: dict[str, dict[str, NDArray[np.float32]]] = {name: {} for name in FIELDS}
    for name, body in sim.bodies.items():
        if sim._solved is not None and len(body.triangles):
            fields["pressure"][name] = sim.contact_pressure(name).astype(np.float32)
    for name, state in known.items():
        slot = world.model.bodies[name]
        for field_name, values in _element_scalars(state).items():
            if isinstance(state, SolidState):
                at_nodes = vertex_means(values, state.tetrahedra, slot.node_count)
                fields[field_name][name] = _on_surface(world.model, slot, at_nodes)
            else:
                fields[field_name][name] = vertex_means(values, state.triangles, slot.count).astype(np.float32)
    return fields


def material_states(sim: Simulation) -> dict[str, SolidState | ClothState]:
    """The state of the material of all soft solids and cloths."""
    found: dict[str, SolidState | ClothState] = {}
    for name, slot in sim._world.model.bodies.items():
        if slot.kind == "soft_solid":
            found[name] = sim.solid_state(name)
        elif slot.kind == "cloth":
            found[name] = sim.cloth_state(name)
    return found


def _element_scalars(state: SolidState | ClothState) -> dict[str, Floats]:
    """The fields of the elements that are shown at vertices."""
    if isinstance(state, ClothState):
        return {"strain": principal_strain(state.gradient), "tension": state.principal_tensions[:, 0]}
    return {
        "strain": principal_strain(state.gradient),
        "stress": state.von_mises,
        "volume_ratio": state.volume_ratio,
        "energy_density": state.energy_density,
    }


def _on_surface(model: Model, slot: BodySlot, values: Floats) -> NDArray[np.float32]:
    """Values of the nodes of a body (n,) at its surface vertices, by the weights with which nodes move them."""
    own = model.unattached_map
    first, last = own.indptr[slot.first], own.indptr[slot.first + slot.count]
    row = np.repeat(np.arange(slot.count), np.diff(own.indptr[slot.first : slot.first + slot.count + 1]))
    weighted = own.weights[first:last] * values[own.nodes[first:last] - slot.first_node]
    return np.bincount(row, weights=weighted, minlength=slot.count).astype(np.float32)

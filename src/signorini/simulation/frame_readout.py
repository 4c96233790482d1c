"""Read-out of one moment for files and viewers: contacts, and pressure, strain and stress at the vertices of the bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signorini.elements.tetrahedra import Tetrahedra
from signorini.geometry.triangles import vertex_means
from signorini.simulation import readout
from signorini.simulation.strain import principal_strain, solid_stress, tetrahedron_gradients, triangle_strain

if TYPE_CHECKING:
    from signorini.model.model import BodySlot, Model
    from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]
FIELDS = {"pressure": "Pa", "strain": "", "stress": "Pa"}
"""The fields at vertices and their units: normal contact force over area; the principal stretch that differs most from 1,
less 1; the equivalent stress of von Mises."""


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


def frame_readout(sim: Simulation) -> FrameReadout:
    """The contacts and fields of the present state; without contacts before the first step."""
    world, moment, solved = sim._world, sim._moment, sim._solved
    names = tuple(world.model.body_names)
    fields: dict[str, dict[str, NDArray[np.float32]]] = {name: {} for name in FIELDS}
    for name, body in sim.bodies.items():
        slot = world.model.bodies[name]
        if solved is not None and len(body.triangles):
            fields["pressure"][name] = sim.contact_pressure(name).astype(np.float32)
        if slot.kind == "cloth":
            strain = triangle_strain(slot.rest, moment.surface_positions[slot.vertices], slot.triangles)
            fields["strain"][name] = vertex_means(strain, slot.triangles, slot.count).astype(np.float32)
    _add_solids(world.model, moment.state.q, fields)
    if solved is None:
        none = np.zeros((0, 3))
        return FrameReadout(names, np.zeros((0, 2), np.int32), none, none, none, np.zeros(0, np.bool_), fields)
    arrays = readout.contact_arrays(world.model, solved, moment.surface_positions)
    return FrameReadout(names, *arrays, fields)


def _add_solids(model: Model, q: Floats, fields: dict[str, dict[str, NDArray[np.float32]]]) -> None:
    """Add strain and stress of the soft solids, carried from their nodes to their surfaces."""
    sets = [elements for elements in model.elements if isinstance(elements, Tetrahedra)]
    if not sets:
        return
    nodes = np.concatenate([elements.nodes for elements in sets])
    gradients = [tetrahedron_gradients(elements.nodes, elements.rest_inverse, q) for elements in sets]
    strain = np.concatenate([principal_strain(F) for F in gradients])
    stress = np.concatenate([solid_stress(e, F) for e, F in zip(sets, gradients, strict=True)])
    at_nodes = {
        "strain": vertex_means(strain, nodes, model.node_count),
        "stress": vertex_means(stress, nodes, model.node_count),
    }
    for name, slot in model.bodies.items():
        if slot.kind == "soft_solid":
            for key, values in at_nodes.items():
                fields[key][name] = _on_surface(model, slot, values)


def _on_surface(model: Model, slot: BodySlot, values: Floats) -> NDArray[np.float32]:
    """Values of nodes (n,) at the surface vertices of a body, by the weights with which nodes move them."""
    own = model.unattached_map
    first, last = own.indptr[slot.first], own.indptr[slot.first + slot.count]
    row = np.repeat(np.arange(slot.count), np.diff(own.indptr[slot.first : slot.first + slot.count + 1]))
    weighted = own.weights[first:last] * values[own.nodes[first:last]]
    return np.bincount(row, weights=weighted, minlength=slot.count).astype(np.float32)

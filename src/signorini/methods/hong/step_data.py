"""What stays the same during one step of Hong2004: masses, what is prescribed, lengths to compare with.

Also the refusal of what the method cannot simulate: it is about soft solids whose inside can be told from their outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.methods.hong.blocks import ElementBlocks, build_blocks
from signorini.methods.hong.solids import Solids, gather_solids
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Course:
    """One step of the user from `start_time`: scripted vertices and pinned nodes go straight to where they are due."""

    model: Model
    start_time: float
    end_time: float
    inverse_mass: Floats
    """(n,) [1/kg]; 0 for pinned nodes, which contact and forces do not move."""
    movable: NDArray[np.uint8]
    """(n,)"""
    movable_vertices: NDArray[np.bool_]
    """(v,) whether some node that is not pinned moves the vertex."""
    pinned: NDArray[np.int32]
    pinned_velocity: Floats
    """(p, 3) [m/s]"""
    kinematic: Floats
    """(k, 3) where the scripted vertices are at the start [m]."""
    kinematic_velocity: Floats
    """(k, 3) [m/s]"""
    solids: Solids
    """The elements of all bodies."""
    density: Floats
    """(t,) mass of an element over its volume [kg/m³]."""
    widest: int
    """The most nodes that a surface vertex has."""
    blocks: ElementBlocks
    """The elements, laid out for the loops over them."""
    element_size: float
    """Mean edge of regular tetrahedra of the elements' volumes [m]: what Hong2004 §5 measures penetration by."""

    def surface_positions(self, q: Floats, time: float) -> Floats:
        """(v, 3) [m]"""
        scripted = self.kinematic + (time - self.start_time) * self.kinematic_velocity
        return self.model.placed_surface(q, np.zeros((0, 4)), scripted)

    def surface_velocities(self, v: Floats) -> Floats:
        """(v, 3) [m/s]"""
        moving = self.model.surface_map.velocities(v)
        moving[self.model.kinematic_first :] = self.kinematic_velocity
        return moving


def plan_course(model: Model, state: State, end_time: float) -> Course:
    """The step from a state to `end_time` [s]."""
    dt = end_time - state.time
    pinned, targets = model.pinned(end_time)
    movable = np.ones(model.node_count, dtype=np.uint8)
    movable[pinned] = 0
    inverse_mass = np.where(movable, 1.0 / model.mass, 0.0)
    kinematic = model.kinematic_positions(state.time)
    tets = gather_solids(model.elements)
    return Course(
        model=model,
        start_time=state.time,
        end_time=end_time,
        inverse_mass=inverse_mass,
        movable=movable,
        movable_vertices=_movable_vertices(model, movable),
        pinned=pinned,
        pinned_velocity=(targets - state.q[pinned]) / dt,
        kinematic=kinematic,
        kinematic_velocity=(model.kinematic_positions(end_time) - kinematic) / dt,
        solids=tets,
        density=_densities(model, tets),
        widest=model.surface_map.widest,
        blocks=build_blocks(tets),
        element_size=float(np.cbrt(6.0 * np.sqrt(2.0) * tets.volume).mean()),
    )


def check_bodies(model: Model) -> None:
    """Raise an `InputError` that names a body which the method cannot simulate."""
    for slot in model.bodies.values():
        if slot.rigid >= 0 or not slot.thick:
            raise InputError(
                f"method 'hong' simulates soft solids among kinematic bodies and half-spaces, but {slot.name!r} is of kind "
                f"{slot.kind!r}: use method 'cmr', 'volume' or 'impulses', or leave the body out"
            )
        surface = model.surface
        own = surface.vertex_body[surface.edges[:, 0]] == slot.number
        if not (surface.edge_valence[own] == 2).all():
            raise InputError(
                f"method 'hong' tells by the inside of a body what penetrates it, but the surface of {slot.name!r} is not "
                "closed: close it, or use method 'cmr'"
            )


def _movable_vertices(model: Model, movable: NDArray[np.uint8]) -> NDArray[np.bool_]:
    surface_map = model.surface_map
    vertex = np.repeat(np.arange(surface_map.vertex_count), np.diff(surface_map.indptr))
    counts = np.bincount(vertex, weights=movable[surface_map.nodes], minlength=surface_map.vertex_count)
    return counts > 0


def _densities(model: Model, tets: Solids) -> Floats:
    """(t,) the density of the body of each element: its mass over the volume of its elements."""
    first = np.array([s.first_node for s in model.bodies.values() if s.node_count])
    order = np.sort(first)
    body_of_node = np.searchsorted(order, np.arange(model.node_count), side="right") - 1
    body = body_of_node[tets.nodes[:, 0]]
    mass = np.bincount(body_of_node, weights=model.mass, minlength=len(order))
    volume = np.bincount(body, weights=tets.volume, minlength=len(order))
    return (mass / volume)[body]

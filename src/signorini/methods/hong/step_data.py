"""Data of Hong2004 that stay the same: in all steps (elements, densities, lengths) and in one (masses, what is prescribed)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.methods.hong.blocks import ElementBlocks, build_blocks
from signorini.methods.hong.solids import Solids, gather_solids
from signorini.model.model import Model
from signorini.model.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ModelData:
    """What stays the same in all steps."""

    model: Model
    solids: Solids
    """The elements of all bodies."""
    blocks: ElementBlocks
    """The elements, laid out for the loops over them."""
    density: Floats
    """(t,) mass of an element over its volume [kg/m³]."""
    element_size: float
    """Mean edge of regular tetrahedra of the elements' volumes [m]: what Hong2004 §5 measures penetration by."""


def model_data(model: Model) -> ModelData:
    """The data of a model."""
    tets = gather_solids(model.elements)
    return ModelData(model, tets, build_blocks(tets), _densities(model, tets), element_size(tets))


def element_size(tets: Solids) -> float:
    """Mean edge of regular tetrahedra of the elements' volumes [m]."""
    return float(np.cbrt(6.0 * np.sqrt(2.0) * tets.volume).mean())


@dataclass(frozen=True, slots=True)
class StepData:
    """What stays the same in one step of the user: scripted vertices and pinned nodes go straight to where they are due."""

    data: ModelData
    start_time: float
    """[s]"""
    end_time: float
    """[s]"""
    inverse_mass: Floats
    """(n,) [1/kg]; 0 for pinned nodes, which contact and forces do not move."""
    movable: NDArray[np.uint8]
    """(n,) 0 for pinned nodes."""
    movable_vertices: NDArray[np.bool_]
    """(v,) whether some node that is not pinned moves the vertex."""
    pinned: NDArray[np.int32]
    """(p,) the pinned nodes."""
    pinned_velocity: Floats
    """(p, 3) [m/s]"""
    kinematic: Floats
    """(k, 3) where the scripted vertices are at the start [m]."""
    kinematic_velocity: Floats
    """(k, 3) [m/s]"""

    @property
    def model(self) -> Model:
        """The model that is stepped."""
        return self.data.model

    @property
    def solids(self) -> Solids:
        """The elements of all bodies."""
        return self.data.solids

    @property
    def blocks(self) -> ElementBlocks:
        """The elements, laid out for the loops over them."""
        return self.data.blocks

    def surface_positions(self, q: Floats, time: float) -> Floats:
        """(v, 3) [m]"""
        scripted = self.kinematic + (time - self.start_time) * self.kinematic_velocity
        return self.model.placed_surface(q, np.zeros((0, 4)), scripted)

    def surface_velocities(self, v: Floats) -> Floats:
        """(v, 3) [m/s]"""
        moving = self.model.surface_map.velocities(v)
        moving[self.model.kinematic_first :] = self.kinematic_velocity
        return moving


def step_data(data: ModelData, state: State, end_time: float) -> StepData:
    """The data of the step from a state to `end_time` [s]."""
    model, dt = data.model, end_time - state.time
    pinned, targets = model.pinned(end_time)
    movable = np.ones(model.node_count, dtype=np.uint8)
    movable[pinned] = 0
    kinematic = model.kinematic_positions(state.time)
    return StepData(
        data=data,
        start_time=state.time,
        end_time=end_time,
        inverse_mass=np.where(movable, 1.0 / model.mass, 0.0),
        movable=movable,
        movable_vertices=_movable_vertices(model, movable),
        pinned=pinned,
        pinned_velocity=(targets - state.q[pinned]) / dt,
        kinematic=kinematic,
        kinematic_velocity=(model.kinematic_positions(end_time) - kinematic) / dt,
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

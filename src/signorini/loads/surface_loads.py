"""Pressure and wind on the triangles of bodies; implicit, so that they are stable in any time step."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Linearisation, Weights
from signorini.loads import surface_loads_kernels as kernels
from signorini.loads.load_history import LoadHistory
from signorini.loads.point_loads import Load, turned_arms

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NO_ENTRIES = np.zeros((0, 0, 0), np.int32)
NO_BLOCKS = np.zeros((0, 3, 3))


@dataclass(frozen=True, slots=True)
class Air:
    """Air that blows, and what it does to a surface."""

    velocity: LoadHistory
    """(3,) of the wind [m/s]."""
    density: float
    """[kg/m³]"""
    drag: float
    """Coefficient c_D: force along the wind over ½ ρ v² and the area seen from the wind."""
    lift: float
    """Coefficient c_L: force across the wind over the same and the sine of the angle between wind and normal."""

    def numbers(self, time: float) -> tuple[Floats, float, float, float]:
        """The arguments of kernels at a time [s]."""
        return self.velocity.at(time), self.density, self.drag, self.lift


@dataclass(frozen=True, slots=True)
class SurfacePressure(Load):
    """Pressure on triangles whose corners are nodes, or means of nodes."""

    nodes: Ints
    """(t, 3 m) the m nodes that move each corner."""
    weights: Floats
    """(t, 3 m) how much each of them does."""
    pressure: LoadHistory
    """(1,) against the normals of the triangles, outward if it is positive [Pa]."""

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(t, 3 m, 3) [N]"""
        return _forces_of(self, at)

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add forces and stiffness (see `Elements.assemble`)."""
        p = float(self.pressure.at(at.time)[0])
        if p != 0.0:
            kernels.assemble_pressure(
                self.nodes, self.weights, p, entries, at.positions, at.offset_velocity, weights.force,
                weights.stiffness, data, b,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SurfaceWind(Load):
    """Wind on triangles whose corners are nodes, or means of nodes."""

    nodes: Ints
    """(t, 3 m) the m nodes that move each corner."""
    weights: Floats
    """(t, 3 m) how much each of them does."""
    air: Air
    one_sided: bool
    """Whether only the side to which normals point is in the wind: that of a solid."""

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(t, 3 m, 3) [N]"""
        return _forces_of(self, at)

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add forces and damping (see `Elements.assemble`)."""
        kernels.assemble_wind(
            self.nodes, self.weights, *self.air.numbers(at.time), self.one_sided, entries, at.positions, at.velocities,
            weights.force, weights.damping, data, b,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RigidPressure(Load):
    """Pressure on triangles of a rigid body."""

    nodes: Ints
    """(2, 1) the centre of mass, and the angular velocity."""
    arms: Floats
    """(p, 3) from the centre of mass to the vertices, in the frame of the mesh [m]."""
    triangles: Ints
    """(t, 3) of these vertices."""
    pressure: LoadHistory
    """(1,) against the normals of the triangles, outward if it is positive [Pa]."""

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(2, 1, 3) [N], [N m]"""
        _, arms = turned_arms(at, int(self.nodes[0, 0]), self.arms)
        a, b, c = (arms[self.triangles[:, k]] for k in range(3))
        each = 0.5 * self.pressure.at(at.time)[0] * np.cross(b - a, c - a)
        return np.array([[each.sum(axis=0)], [np.cross((a + b + c) / 3.0, each).sum(axis=0)]])


@dataclass(frozen=True, slots=True)
class RigidWind(Load):
    """Wind on triangles of a rigid body. Force and torque are implicit, each in its own velocity."""

    nodes: Ints
    """(2, 1) the centre of mass, and the angular velocity."""
    arms: Floats
    """(p, 3) from the centre of mass to the vertices, in the frame of the mesh [m]."""
    triangles: Ints
    """(t, 3) of these vertices."""
    air: Air

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """(2, 1, 3) [N], [N m]"""
        return self._evaluated(at)[0]

    def damping(self, at: Linearisation, internal: Floats) -> Floats:
        """C (2, 1, 1, 3, 3) [N s/m], [N m s]"""
        return self._evaluated(at)[1]

    def _evaluated(self, at: Linearisation) -> tuple[Floats, Floats]:
        centre, arms = turned_arms(at, int(self.nodes[0, 0]), self.arms)
        (linear,), (angular,) = at.velocities[self.nodes]
        total, C = np.zeros((2, 3)), np.zeros((2, 3, 3))
        velocities = linear + np.cross(angular, arms)
        kernels.rigid_wind(
            centre + arms, velocities, self.triangles, centre, *self.air.numbers(at.time), True, total, C
        )
        return total[:, None, :], C[:, None, None]


def _forces_of(load: SurfacePressure | SurfaceWind, at: Linearisation) -> Floats:
    """(t, 3 m, 3) [N] what a load adds to each node of each triangle."""
    width = load.nodes.shape[1]
    rows = np.arange(load.nodes.size, dtype=np.int32).reshape(-1, width)
    apart = Linearisation(at.positions[load.nodes].reshape(-1, 3), at.offset_velocity, at.frame_velocity,
                          at.velocities[load.nodes].reshape(-1, 3), at.time)  # fmt: skip
    b = np.zeros((load.nodes.size, 3))
    replace(load, nodes=rows).assemble(apart, Weights(1.0, 0.0, 0.0), b[:0, 0], NO_ENTRIES, NO_BLOCKS, b)
    return b.reshape(-1, width, 3)

"""Bending of a sheet as a plate or shell, on any triangle mesh: the bending element of a cloth.

Implements: the method of Hellan, Herrmann and Johnson of lowest order for shells of any deformation (NeunteufelSchoeberl2019),
with the moments eliminated (decision 0017).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from signorini.elements import plate_bending_kernels as kernels
from signorini.elements.element import NO_STATE, Elements, Floats, Ints, Linearisation, Weights


@dataclass(frozen=True, slots=True)
class PlateBending(Elements):
    """h hinges about the inner edges. Energy ½ (θ − θ₀)' F⁻¹ (θ − θ₀), θ their angles, F the flexibility of the triangles.

    The internal state are the plastic angles (h,) [rad] of a sheet that creases, nothing otherwise.
    """

    nodes: Ints
    """(h, 4) as `Hinges.nodes`."""
    rest_angle: Floats
    """(h,) θ₀ [rad]."""
    flexibility: Floats
    """(h,) diagonal of F: angle of a hinge by its own moment [1/(N m)]."""
    coupling: Floats
    """(h, 4) the other entries of the rows of F: hinges of the same triangles [1/(N m)]; 0 where there are fewer than four."""
    offset: Ints
    """(h, 4) numbers of these hinges, less that of the row: they stay what they are when sets are joined."""
    bound: Floats
    """(h,) D, a diagonal matrix with D ⪰ F⁻¹ [N m]."""
    damping_time: Floats
    """(h,) damping over stiffness [s]."""
    crease_moment: Floats
    """(h,) moment beyond which the sheet creases [N m]; inf: never."""
    creases: bool = False
    """Whether any of them may crease."""

    def group(self) -> Hashable:
        """Sheets that crease form one set, all others another."""
        return PlateBending, self.creases

    def initial_state(self, positions: Floats) -> Floats:
        """Plastic angles (h,) [rad], zero at the start, of a sheet that creases."""
        return np.zeros(len(self)) if self.creases else NO_STATE

    def next_state(self, positions: Floats, internal: Floats) -> Floats:
        """The plastic angles (h,) [rad] after the nodes have moved."""
        if not self.creases:
            return internal
        after = internal.copy()
        kernels.crease(
            self.nodes, self.rest_angle, self.flexibility, self.coupling, self.offset, self.bound, self.crease_moment,
            positions, after,
        )  # fmt: skip
        return after

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all hinges (see `Elements.assemble`)."""
        kernels.assemble(
            self.nodes, self._rest(internal), self.flexibility, self.coupling, self.offset, self.bound,
            self.damping_time, entries, at.positions, at.offset_velocity, self._predicted(at), *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """½ (θ − θ₀)' F⁻¹ (θ − θ₀) [J]."""
        return kernels.energy(self.nodes, self._rest(internal), self.flexibility, self.coupling, self.offset, positions)

    def moments(self, positions: Floats, internal: Floats = NO_STATE) -> Floats:
        """(h,) moments of the hinges [N m] at positions (n, 3) [m]."""
        theta, moment = np.empty(len(self)), np.empty(len(self))
        kernels.bent(self.nodes, self._rest(internal), np.array(positions), theta)
        kernels.solve(self.flexibility, self.coupling, self.offset, theta, kernels.MOMENT_TOLERANCE, moment)
        return moment

    def _rest(self, internal: Floats) -> Floats:
        """(h,) angles without moment [rad]."""
        return self.rest_angle + internal if self.creases and len(internal) else self.rest_angle

    def _predicted(self, at: Linearisation) -> Floats:
        """(n, 3) the velocity that the step is expected to end with: the last iterate, or that of the start."""
        return at.offset_velocity if at.offset_velocity[self.nodes[:, 0]].any() else at.velocities

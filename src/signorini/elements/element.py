"""Element sets: the protocol of whatever stores or dissipates energy.

A set has e elements of k nodes each. The implicit step needs their forces F, stiffness K = −∂F/∂x and damping C = −∂F/∂v; the
report needs their energy. Springs, hinges, friction elements and tetrahedra are sets; a user's own class is one too.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_number, told_fields
from signorini.errors import InputError, SimulationStoppedError, short
from signorini.geometry.triangle_mesh import as_floats

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NO_STATE = np.zeros(0)
"""The internal state of elements that have none."""
CHECKED = 1000
"""Elements whose matrices are looked at when a simulation is made: eigenvalues of all of a large set would take seconds."""
ROUNDING = 1e-8
"""Part of the largest entry by which a matrix may fail to be symmetric or semidefinite."""


class Weights(NamedTuple):
    """Factors with which an integrator takes forces, damping and stiffness into A v = b."""

    force: float
    """Of F in b [s]."""
    damping: float
    """Of C in A [s]."""
    stiffness: float
    """Of K in A [s²]."""


def backward_euler(dt: float) -> Weights:
    """A = M + dt C + dt² K,  b = M v0 + dt F   (Otaduy2009 Eq. 3) for a step of dt [s]."""
    return Weights(dt, dt, dt * dt)


@dataclass(frozen=True, slots=True)
class Linearisation:
    """The configuration about which the forces of a step are linearised. Arrays (n, 3) are for all nodes of the model."""

    __repr__ = told_fields

    positions: Floats
    """Positions at which forces, stiffness and damping are evaluated [m]."""
    offset_velocity: Floats
    """v_lin, with which the nodes went from the start of the step to `positions` [m/s]: K v_lin makes up for that in b."""
    frame_velocity: Floats
    """Velocities of the rotating reference frames of soft solids, zero elsewhere [m/s]; only motion beyond it is damped."""
    velocities: Floats
    """Velocities at the start of the step [m/s]."""
    time: float
    """Time at the end of the step [s]."""
    rotations: Floats = field(default_factory=lambda: np.zeros((0, 4)))
    """(b, 4) unit quaternions (x, y, z, w) that turn the meshes of the rigid bodies into the world."""
    rigid_nodes: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    """(b,) the node of the centre of mass of each rigid body, ascending; the next one is its angular node."""


class Elements(ABC):
    """Base class of element sets. A subclass has `nodes` and overrides either `forces` or `assemble`.

    `forces` (with `stiffness` and `damping`, if the forces are to be implicit) is the simple way, in NumPy; `assemble` is the
    fast one, with a kernel. Matrices K and C must be symmetric positive semidefinite, or the step has no unique solution.
    """

    nodes: Ints
    """(e, k) nodes of each element, counted within the body until the model is built."""

    def __len__(self) -> int:
        return len(self.nodes)

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """Forces (e, k, 3) [N] on the nodes of each element, at `at.positions`, `at.velocities` and `at.time`."""
        raise InputError(f"the elements {type(self).__name__} must define forces(...) or assemble(...)")

    def stiffness(self, at: Linearisation, internal: Floats) -> Floats | None:
        """K = −∂F/∂x of each element, (e, k, k, 3, 3) [N/m], projected to be semidefinite; None: the force is explicit."""
        return None

    def damping(self, at: Linearisation, internal: Floats) -> Floats | None:
        """C = −∂F/∂v of each element, (e, k, k, 3, 3) [N s/m]; None: the force does not depend on velocity."""
        return None

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Stored energy [J] at positions (n, 3) [m]; zero for forces that have none."""
        return 0.0

    def is_steady(self, before: Linearisation, after: Linearisation) -> bool:
        """Whether forces on nodes at rest are the same at two times, so that bodies may sleep; False if that is not known."""
        return False

    def initial_state(self, positions: Floats) -> Floats:
        """The internal state at the start, such as plastic strain or the angles at which friction has set."""
        return NO_STATE

    def next_state(self, positions: Floats, internal: Floats) -> Floats:
        """The internal state after a step that ended at positions (n, 3) [m]; a new array if it changes."""
        return internal

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add w_C C + w_K K to the matrix and w_F F + w_K K v_lin + w_C C v to b (n, 3).

        `data` (nnz, 3, 3) are the blocks of the matrix, entries (e, k, k) the place of each pair of nodes in it.
        """
        total = weights.force * self._checked("forces", self.forces(at, internal), 1)
        for matrices, weight, velocity in (
            (self.stiffness, weights.stiffness, at.offset_velocity),
            (self.damping, weights.damping, at.velocities),
        ):
            matrix = matrices(at, internal) if weight != 0.0 else None
            if matrix is not None:
                matrix = self._checked(matrices.__name__, matrix, 2)
                np.add.at(data, entries, weight * matrix)
                total = total + weight * np.einsum("eijab,ejb->eia", matrix, velocity[self.nodes])
        np.add.at(b, self.nodes, total)

    def check(self, at: Linearisation) -> None:
        """Raise an `InputError` if forces, matrices or energy are none, or a matrix is not symmetric and semidefinite.

        Called for a user's elements when the simulation is made; of sets with an `assemble` of their own only what they add is
        looked at, whether it is finite.
        """
        energy = self.energy(at.positions, self.initial_state(at.positions))
        energy = energy.item() if isinstance(energy, np.ndarray) and energy.ndim == 0 else energy
        if not np.isfinite(check_number(f"energy of the elements {type(self).__name__}", energy)):
            raise InputError(f"energy of the elements {type(self).__name__} must be a finite number, got {energy}")
        if type(self).assemble is not Elements.assemble:
            self._check_assembly(at)
            return
        internal, k = self.initial_state(at.positions), self.nodes.shape[1]
        self._checked("forces", self.forces(at, internal), 1)
        for name, matrix in (("stiffness", self.stiffness(at, internal)), ("damping", self.damping(at, internal))):
            if matrix is None or not len(self):
                continue
            dense = self._checked(name, matrix, 2)[:CHECKED].transpose(0, 1, 3, 2, 4).reshape(-1, 3 * k, 3 * k)
            size = np.abs(dense).max(initial=0.0)
            if np.abs(dense - dense.transpose(0, 2, 1)).max(initial=0.0) > ROUNDING * size:
                raise InputError(f"{name} of the elements {type(self).__name__} must be symmetric")
            least = np.linalg.eigvalsh(dense).min(axis=1)
            if least.min() < -ROUNDING * size:
                raise InputError(
                    f"{name} of the elements {type(self).__name__} must be positive semidefinite, but the eigenvalue "
                    f"{least.min():.3g} of element {int(least.argmin())} is negative: drop or clamp the negative part"
                )

    def _check_assembly(self, at: Linearisation) -> None:
        """Raise an `InputError` if `assemble` adds something that is not finite."""
        (e, k), b = self.nodes.shape, np.zeros_like(at.positions)
        entries = np.arange(e * k * k, dtype=np.int32).reshape(e, k, k)
        data = np.zeros((e * k * k, 3, 3))
        self.assemble(at, backward_euler(1.0), self.initial_state(at.positions), entries, data, b)
        for name, array in (("forces", b[self.nodes]), ("matrices", data[entries])):
            if not np.isfinite(array).all():
                raise InputError(
                    f"{name} of the elements {type(self).__name__} are not finite at the start, first for element "
                    f"{int(np.argwhere(~np.isfinite(array))[0, 0])}: correct its numbers"
                )

    def _checked(self, name: str, values: Any, blocks: int) -> Floats:
        """Forces (e, k, 3) or matrices (e, k, k, 3, 3), or an error that names the class."""
        e, k = self.nodes.shape
        shape = (e, *(k,) * blocks, *(3,) * blocks)
        try:
            array = as_floats(values)
        except (TypeError, ValueError):
            raise InputError(
                f"{name} of the elements {type(self).__name__} must be numbers of shape {shape}, got {short(values)}"
            ) from None
        if array.shape != shape:
            raise InputError(f"{name} of the elements {type(self).__name__} must have shape {shape}, got {array.shape}")
        if not np.isfinite(array).all():
            raise SimulationStoppedError(
                f"{name} of the elements {type(self).__name__} are not finite, first for element "
                f"{int(np.argwhere(~np.isfinite(array))[0, 0])}: guard divisions and roots in it"
            )
        return array

    def group(self) -> Hashable | None:
        """Sets of different bodies with an equal group are joined, so that one loop covers them; None: never joined."""
        return None

    def shifted(self, first: int | Ints) -> Self:
        """The set with its nodes counted from `first` on (one number, or one per column of `nodes`)."""
        if not is_dataclass(self):
            raise InputError(f"the elements {type(self).__name__} must be a dataclass, or define shifted(...)")
        return replace(self, nodes=(self.nodes + first).astype(np.int32))

    @classmethod
    def joined(cls, parts: Sequence[Any]) -> Any:
        """One set with the elements of all parts, one part after the other; fields that are no arrays are those of the first."""
        if len(parts) == 1:
            return parts[0]
        arrays = {
            f.name: np.concatenate([getattr(part, f.name) for part in parts])
            for f in fields(cls)  # pyright: ignore[reportArgumentType]
            if isinstance(getattr(parts[0], f.name), np.ndarray)
        }
        return replace(parts[0], **arrays)

"""Element sets: the protocol of whatever stores or dissipates energy.

A set has e elements of k nodes each. The implicit step needs their forces F, stiffness K = −∂F/∂x and damping C = −∂F/∂v; the
report needs their energy. Springs, hinges, friction elements and tetrahedra are sets; a user's own class is one too.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NO_STATE = np.zeros(0)
"""The internal state of elements that have none."""


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
        raise NotImplementedError(f"{type(self).__name__} must define forces(...) or assemble(...)")

    def stiffness(self, at: Linearisation, internal: Floats) -> Floats | None:
        """K = −∂F/∂x of each element, (e, k, k, 3, 3) [N/m], projected to be semidefinite; None: the force is explicit."""
        return None

    def damping(self, at: Linearisation, internal: Floats) -> Floats | None:
        """C = −∂F/∂v of each element, (e, k, k, 3, 3) [N s/m]; None: the force does not depend on velocity."""
        return None

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Stored energy [J] at positions (n, 3) [m]; zero for forces that have none."""
        return 0.0

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
        total = weights.force * self.forces(at, internal)
        for matrices, weight, velocity in (
            (self.stiffness, weights.stiffness, at.offset_velocity),
            (self.damping, weights.damping, at.velocities),
        ):
            matrix = matrices(at, internal) if weight != 0.0 else None
            if matrix is not None:
                np.add.at(data, entries, weight * matrix)
                total = total + weight * np.einsum("eijab,ejb->eia", matrix, velocity[self.nodes])
        np.add.at(b, self.nodes, total)

    def group(self) -> Hashable | None:
        """Sets of different bodies with an equal group are joined, so that one loop covers them; None: never joined."""
        return None

    def shifted(self, first: int | Ints) -> Self:
        """The set with its nodes counted from `first` on (one number, or one per column of `nodes`)."""
        if not is_dataclass(self):
            raise TypeError(f"{type(self).__name__} must be a dataclass, or define shifted(...)")
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

"""Contact forces between two bodies, split into what presses and what rubs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PairForce:
    """Resultants [N] of all contacts of two bodies; they act on `body_a`, and opposite on `body_b`."""

    body_a: str
    body_b: str
    normal: Floats
    """(3,) resultant of the normal forces."""
    friction: Floats
    """(3,) resultant of friction."""
    pressing: float
    """Sum of the sizes of the normal forces: at least the length of `normal`, larger where they press from several sides."""
    contacts: int
    """How many contacts carry force."""
    sticking: int
    """How many of them stick."""

    @property
    def total(self) -> Floats:
        """(3,) normal force and friction together."""
        return self.normal + self.friction

    def on(self, body: str) -> PairForce:
        """The same with the forces that act on `body`, which becomes `body_a`."""
        if body == self.body_a:
            return self
        return PairForce(
            self.body_b, self.body_a, -self.normal, -self.friction, self.pressing, self.contacts, self.sticking
        )

    def __repr__(self) -> str:
        normal, friction = (", ".join(f"{c:.3g}" for c in vector) for vector in (self.normal, self.friction))
        return (
            f"PairForce on {self.body_a!r} by {self.body_b!r}: normal ({normal}) N, friction ({friction}) N, {self.contacts} "
            f"contacts, {self.sticking} stick"
        )


def pair_forces(
    names: Sequence[str], bodies: NDArray[np.integer], normals: Floats, forces: Floats, sticks: NDArray[np.bool_]
) -> list[PairForce]:
    """One for each pair of bodies that touch, from m contacts: bodies (m, 2), normals (m, 3), forces on the first (m, 3) [N].

    The first body of a pair is the one that comes first among `names`.
    """
    swapped = bodies[:, 0] > bodies[:, 1]
    sign = np.where(swapped, -1.0, 1.0)[:, None]
    pressing = np.einsum("mi,mi->m", forces, normals)
    normal = pressing[:, None] * normals
    friction = sign * (forces - normal)
    normal = sign * normal
    pairs, of_pair = np.unique(np.sort(bodies, axis=1), axis=0, return_inverse=True)
    of_pair, found = of_pair.ravel(), []
    for k in range(len(pairs)):
        a, b = int(pairs[k, 0]), int(pairs[k, 1])
        rows = of_pair == k
        found.append(
            PairForce(
                body_a=names[a],
                body_b=names[b],
                normal=normal[rows].sum(axis=0),
                friction=friction[rows].sum(axis=0),
                pressing=float(pressing[rows].sum()),
                contacts=int(rows.sum()),
                sticking=int(sticks[rows].sum()),
            )
        )
    return found

"""Frames of scripted bodies: the rigid motion that their vertices have, for the joints that tie rigid bodies to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScriptedFrame:
    """The place and orientation of a scripted body, from where its vertices are."""

    body: str
    first: int
    """Its first row among the scripted vertices."""
    rest: Floats
    """(k, 3) its vertices at time 0 [m]."""

    def of_all(self, kinematic: Floats) -> tuple[Floats, Floats]:
        """The pose from the positions of all scripted vertices (m, 3) [m]."""
        return self.pose(kinematic[self.first : self.first + len(self.rest)])

    def pose(self, x: Floats) -> tuple[Floats, Floats]:
        """Mean (3,) of the vertices x (k, 3) [m], and the rotation (3, 3) that turns those at rest best into them."""
        centre, rest = x.mean(axis=0), self.rest - self.rest.mean(axis=0)
        if np.array_equal(x - centre, rest):
            return centre, np.eye(3)
        U, _, Vt = np.linalg.svd((x - centre).T @ rest)
        flip = np.diag([1.0, 1.0, np.linalg.det(U @ Vt)])
        return centre, U @ flip @ Vt

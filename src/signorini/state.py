"""State: where the nodes are and how they move. Plain arrays, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class State:
    """A moment of the simulation."""

    q: NDArray[np.float64]
    """(n, 3) node positions [m]."""
    v: NDArray[np.float64]
    """(n, 3) node velocities [m/s]."""
    time: float
    """[s]"""

"""State: where the nodes are and how they move. Plain arrays, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    set_angles: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(h,) angles at which the friction elements of hinges have set [rad]; empty: they are left out."""

"""Past of a simulation: a few of its states, evenly spread over time, so that notebooks can show how it came to where it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_STATES = 24
"""States that are kept; when there are more, every second one is dropped and the steps between them double."""
MOST_BYTES = 32_000_000
"""Memory for all of them; larger scenes keep fewer."""


class Past:
    """States that a simulation was in: times and positions of the whole surface, rounded to single precision."""

    def __init__(self, start: NDArray[np.float64]):
        """`start` (n, 3) [m] is the first state, at time 0."""
        self.times: list[float] = [0.0]
        """[s], increasing."""
        self.positions: list[NDArray[np.float32]] = [start.astype(np.float32)]
        """(n, 3) [m] at each time."""
        self._most = max(2, min(MOST_STATES, MOST_BYTES // max(self.positions[0].nbytes, 1)))
        self._stride = self._waited = 1

    def add(self, time: float, positions: NDArray[np.float64]) -> None:
        """Keep the state at a time, if so many steps have passed since the last one that was kept."""
        while len(self.times) > 1 and self.times[-1] >= time:  # the simulation was set back
            self.times.pop()
            self.positions.pop()
        self._waited += 1
        if self._waited <= self._stride:
            return
        self._waited = 1
        self.times.append(time)
        self.positions.append(positions.astype(np.float32))
        if len(self.times) > self._most:
            self.times, self.positions = self.times[::2], self.positions[::2]
            self._stride *= 2

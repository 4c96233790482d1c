"""Work space of contact solves, used again by the next one: fresh pages of memory cost more than what is computed in them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_FREE = 4
"""Rooms that are kept: one for every solve that goes on at the same time, in Python threads of their own."""


class Room:
    """Arrays by name, with whatever the last solve has left in them."""

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.float64]] = {}

    def take(self, name: str, *shape: int) -> NDArray[np.float64]:
        """An array of that shape, in which anything may stand."""
        size = prod(shape)
        buffer = self._buffers.get(name)
        if buffer is None or not size <= len(buffer) <= 4 * size + 1000:
            buffer = self._buffers[name] = np.empty(size + size // 8)
        return buffer[:size].reshape(shape)


_FREE: list[Room] = []


def lease_room() -> Room:
    """A room that nobody uses."""
    try:
        return _FREE.pop()
    except IndexError:
        return Room()


def give_back(room: Any) -> None:
    """Let the next solve have a room."""
    if len(_FREE) < MOST_FREE:
        _FREE.append(room)

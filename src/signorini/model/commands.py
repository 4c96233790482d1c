"""Commands to scripted bodies: motions that begin where a body is and last one step, or go on at a velocity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from signorini.model.contribution import Turning

Floats = NDArray[np.float64]
HEADER = 4
"""Rows of numbers before the vertices in the array of a command: times, centre, turn, translation."""


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """A motion from `begin` to `end` [s]: a translation and a turn about the centre at constant rates, or vertices on lines."""

    begin: float
    end: float
    onward: bool
    """Whether the motion goes on after `end`; otherwise the body stays there."""
    start: Floats
    """(k, 3) the vertices at the beginning [m]."""
    centre: Floats
    """(3,) of the turn, at the beginning [m]."""
    turn: Floats
    """(3,) rotation vector until the end [rad]."""
    translation: Floats
    """(3,) until the end [m]."""
    vertices: Floats | None = None
    """(k, 3) the vertices at the end, if they move on lines [m]."""

    def part(self, time: float) -> float:
        """How much of the motion is done at a time [s]."""
        part = max(0.0, (time - self.begin) / (self.end - self.begin))
        return part if self.onward else min(part, 1.0)

    def positions(self, rest: Floats, time: float) -> Floats:
        """Where the vertices are (k, 3) [m]."""
        part = self.part(time)
        if self.vertices is not None:
            return self.start + part * (self.vertices - self.start)
        moved = self.start + part * self.translation
        if not self.turn.any():
            return moved
        R = Rotation.from_rotvec(part * self.turn).as_matrix()
        return (self.start - self.centre) @ R.T + self.centre + part * self.translation

    def turning(self, start: float, end: float) -> Turning:
        """How it turns between two times [s]."""
        turn = (self.part(end) - self.part(start)) * self.turn
        return Turning(turn, self.centre + self.part(start) * self.translation, float(np.linalg.norm(turn)))

    def to_array(self) -> Floats:
        """All of it in one array, for a checkpoint."""
        times = np.array([self.begin, self.end, float(self.onward)])
        parts = [np.stack([times, self.centre, self.turn, self.translation]), self.start]
        return np.concatenate(parts if self.vertices is None else [*parts, self.vertices])

    @classmethod
    def from_array(cls, array: Floats, count: int) -> Command:
        """The command that an array of a checkpoint has, for a body of `count` vertices."""
        begin, end, onward = array[0]
        start, vertices = array[HEADER : HEADER + count], array[HEADER + count :]
        return cls(
            float(begin),
            float(end),
            bool(onward),
            start,
            array[1],
            array[2],
            array[3],
            vertices if len(vertices) else None,
        )

"""Pickers of cloth: points that hold a vertex each, by a stiff implicit spring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signorini.elements.element import Elements, Floats, Ints, Linearisation

STIFFNESS = 200.0
"""Of the spring between a picker and its vertex [N/m]: it gives by 1 mm when a cloth of 20 g hangs on it."""
DAMPING = 1.0
"""Of the same [N s/m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Grips(Elements):
    """A spring of no length for each vertex of a cloth, which pulls while its vertex is held. The arrays may be written to."""

    nodes: Ints
    """(n, 1)"""
    held: Floats
    """(n,) 1 while a vertex is held, else 0."""
    target: Floats
    """(n, 3) where it is to be at the end of the step [m]."""
    velocity: Floats
    """(n, 3) how its target moves [m/s]."""

    @classmethod
    def of(cls, count: int) -> Grips:
        """None of `count` vertices held."""
        nodes = np.arange(count, dtype=np.int32)[:, None]
        return cls(nodes, np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3)))

    def forces(self, at: Linearisation, internal: Floats) -> Floats:
        """−κ (x − c) − γ (v − v_c) of what is held (n, 1, 3) [N]."""
        x, v = at.positions[self.nodes[:, 0]], at.velocities[self.nodes[:, 0]]
        pull = STIFFNESS * (self.target - x) + DAMPING * (self.velocity - v)
        return (self.held[:, None] * pull)[:, None, :]

    def stiffness(self, at: Linearisation, internal: Floats) -> Floats:
        """κ of what is held (n, 1, 1, 3, 3) [N/m]."""
        return (STIFFNESS * self.held)[:, None, None, None, None] * np.eye(3)

    def damping(self, at: Linearisation, internal: Floats) -> Floats:
        """γ of what is held (n, 1, 1, 3, 3) [N s/m]."""
        return (DAMPING * self.held)[:, None, None, None, None] * np.eye(3)

"""Islands of a (sub-)step: movable bodies that contacts, attachments, elements or joints join, each with
an energy balance of its own.

Scripted bodies, half-spaces and pins touch islands and do work on them, but join none. A body that touches nothing is an
island.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.body_energies import BodyParts, sums_by_body

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
NOBODY = np.zeros((0, 2), np.int32)
"""The pairs of bodies that push each other in a motion without contact."""
LARGEST_TABLE = 1000
"""Bodies up to which the pairs that touch are marked in a table, which is faster than to sort them."""


@dataclass(frozen=True, slots=True)
class Islands:
    """Which bodies are joined, and which islands are held."""

    of_body: Ints
    """(bodies,) number of the island of each body; -1 for what has no nodes."""
    count: int
    held: Flags
    """(count,) whether something scripted or fixed touches the island, or a pin: its momentum is not its own."""
    touched: Flags
    """(count,) whether the island has a contact, be it of a body with itself; the others fly freely."""
    pairs: NDArray[np.integer]
    """(p, 2) the pairs of different bodies that touch, each once."""

    def sums(self, by_body: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums (count,) of an amount (bodies,) of each body over the islands."""
        own = self.of_body >= 0
        return sums_by_body(self.of_body[own], by_body[own], self.count)


def find_islands(parts: BodyParts, touching: NDArray[np.integer], pinned: NDArray[np.integer]) -> Islands:
    """The islands of bodies of which pairs (m, 2) touch, and some (k,) are pinned."""
    movable, leader = parts.movable, list(range(parts.body_count))

    def find(body: int) -> int:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    pairs = distinct_pairs(touching, parts.body_count)
    both = movable[pairs].all(axis=1)
    for a, b in [*pairs[both].tolist(), *parts.joined.tolist()]:
        leader[find(a)] = find(b)
    bodies = np.flatnonzero(movable).tolist()
    roots = sorted({find(body) for body in bodies})
    place = {root: k for k, root in enumerate(roots)}
    number = np.full(parts.body_count, -1, np.int32)
    number[bodies] = [place[find(body)] for body in bodies]
    held = np.zeros(len(roots), dtype=bool)
    held[number[pinned]] = True
    held[number[parts.held]] = True
    beside = pairs[~both]
    beside = number[beside[movable[beside].any(axis=1)]]
    held[beside.max(axis=1)] = True
    touched = np.zeros(len(roots), dtype=bool)
    meets = np.zeros(parts.body_count, dtype=bool)
    meets[touching] = True
    touched[number[meets & movable]] = True
    return Islands(number, len(roots), held, touched, pairs)


def distinct_pairs(pairs: NDArray[np.integer], bodies: int) -> NDArray[np.integer]:
    """The pairs (m, 2) of different bodies, each once."""
    key = pairs[:, 0].astype(np.int64) * bodies + pairs[:, 1]
    if bodies <= LARGEST_TABLE:
        seen = np.zeros(bodies * bodies, dtype=bool)
        seen[key] = True
        key = np.flatnonzero(seen)
    else:
        key = np.unique(key)
    found = np.column_stack([key // bodies, key % bodies])
    return found[found[:, 0] != found[:, 1]]

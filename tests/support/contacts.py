"""Contacts of small surfaces: detection without a simulation, and what holds for every contact."""

from __future__ import annotations

import numpy as np
import pytest

from reference import detection as naive
from signorini.collision.broad_phase import BoxTree
from signorini.collision.contact_set import (
    EDGE_EDGE,
    KIND_SHIFT,
    VERTEX_EDGE,
    VERTEX_PLANE,
    VERTEX_TRIANGLE,
    VERTEX_VERTEX,
    ContactSet,
)
from signorini.collision.detect import Impacts, Proximity, detect_continuous, detect_proximity
from signorini.collision.separation import Separation
from signorini.collision.surface import Surface

FACE = np.array([[0, 1, 2]])
BIG = np.array([[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]])
UP = np.array([0.0, 0.0, 1.0])
GROUND = ((0.0, 0.0, 1.0), 0.0)


def proximity(surface: Surface, x: naive.Array, distance: float) -> Proximity:
    candidates = BoxTree(surface, x).find_candidates(x, x, distance=distance, margin=0.0)
    return detect_proximity(surface, candidates, x, distance=distance)


def impacts(surface: Surface, x0: naive.Array, x1: naive.Array, separation: float) -> Impacts:
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=separation, margin=0.0)
    return detect_continuous(surface, candidates, x0, x1, separation=Separation.uniform(surface, separation))


def sides(contacts: ContactSet, c: int) -> tuple[naive.Weights, naive.Weights]:
    """The weights of both closest points, both positive."""
    a, b = {}, {}
    for v, w in zip(contacts.vertices[c].tolist(), contacts.weights[c].tolist(), strict=True):
        if v >= 0:
            (a if w > 0.0 else b)[v] = abs(w)
        else:
            assert w == 0.0
    return a, b


def point(x: naive.Array, weights: naive.Weights) -> naive.Array:
    return sum((w * x[v] for v, w in weights.items()), np.zeros(3))


def kinds(contacts: ContactSet) -> list[int]:
    return (contacts.key >> KIND_SHIFT).tolist()


def check_invariants(surface: Surface, contacts: ContactSet, x: naive.Array) -> None:
    """What holds for every contact, however it was found: x are the positions at the start."""
    assert len(np.unique(contacts.key)) == len(contacts)
    for c, kind in enumerate(kinds(contacts)):
        a, b = sides(contacts, c)
        assert sum(a.values()) == pytest.approx(1.0, abs=1e-12)
        assert np.linalg.norm(contacts.normal[c]) == pytest.approx(1.0, abs=1e-12)
        assert contacts.bodies[c, 0] == surface.vertex_body[next(iter(a))]
        if kind == VERTEX_PLANE:
            assert len(a) == 1
            assert not b
            continue
        assert sum(b.values()) == pytest.approx(1.0, abs=1e-12)
        assert contacts.bodies[c, 1] == surface.vertex_body[next(iter(b))]
        assert contacts.distance[c] == pytest.approx(contacts.normal[c] @ (point(x, a) - point(x, b)), abs=1e-12)
        sizes = {VERTEX_VERTEX: (1, 1), VERTEX_EDGE: (1, 2), VERTEX_TRIANGLE: (1, 3), EDGE_EDGE: (2, 2)}
        assert (len(a), len(b)) == sizes[kind]


def tip(at: list[float]) -> tuple[naive.Array, np.ndarray]:
    """A triangle that points down with its vertex 0 at `at`."""
    return np.array([[0, 0, 0], [0.1, 0, 1.0], [0, 0.1, 1.0]]) + at, FACE

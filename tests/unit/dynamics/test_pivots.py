"""Pivots of rigid bodies: contact points that are satisfied at the end of a step do not meet on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from signorini.collision.contact_set import ContactSet, empty_contacts
from signorini.dynamics.pivots import FARTHEST_TURN, Pivots
from signorini.dynamics.pivots_kernels import place_pivots


def contacts(vertices: list[list[int]], weights: list[list[float]], normals: list[list[float]]) -> ContactSet:
    """Contacts of vertices, with made-up keys."""
    count = len(vertices)
    return replace(
        empty_contacts(),
        key=np.arange(count),
        vertices=np.array(vertices, np.int32),
        weights=np.array(weights),
        normal=np.array(normals, float),
        distance=np.zeros(count),
        bodies=np.zeros((count, 2), np.int32),
    )


def path(x0: np.ndarray, move: np.ndarray, turn: np.ndarray, pivot: np.ndarray, s: float) -> np.ndarray:
    """Where a point is at the part s of a step in which `pivot` moves on a straight line by `move` and the body turns."""
    return pivot + s * move + Rotation.from_rotvec(s * turn).apply(x0 - pivot)


def naive(bodies, normals, points, turns, movable, sweeps, tolerance, pivots):
    """The projections of `place_pivots`, with matrices."""
    pivots = pivots.copy()
    M = [float(w @ w) * np.eye(3) - np.outer(w, w) for w in turns]
    for sweep in range(sweeps):
        moved = False
        for (a, b), n, x in zip(bodies, normals, points, strict=True):
            sides = [(k, sign) for k, sign in ((a, 1.0), (b, -1.0)) if k >= 0]
            second = sum(sign * n @ M[k] @ (x - pivots[k]) for k, sign in sides)
            third = sum(sign * n @ (turns[k] @ turns[k] * np.cross(turns[k], x - pivots[k])) for k, sign in sides)
            rows = [(k, sign * M[k] @ n) for k, sign in sides]
            rows = [(k, c) for k, c in rows if movable[k]]
            size = sum(float(c @ c) for _, c in rows)
            missing = abs(third) - second
            if missing > tolerance * max(float(turns[k] @ turns[k]) for k, _ in sides) and size > 0.0:
                moved = True
                for k, c in rows:
                    pivots[k] -= missing / size * c
        if not moved:
            return sweep, pivots
    return sweeps, pivots


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 4))
def test_the_kernel_does_what_its_twin_does(seed: int, count: int, body_count: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = rng.integers(-1, body_count, (count, 2)).astype(np.int32)
    bodies[(bodies < 0).all(axis=1), 0] = 0
    bodies[bodies[:, 0] == bodies[:, 1], 1] = -1
    normals = rng.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    points, turns, centers = (
        rng.normal(size=(count, 3)),
        rng.normal(size=(body_count, 3)),
        rng.normal(size=(body_count, 3)),
    )
    movable = rng.random(body_count) < 0.7
    found = centers.copy()
    sweeps = place_pivots(bodies, normals, points, turns, movable, 7, 1e-9, found)
    expected = naive(bodies, normals, points, turns, movable, 7, 1e-9, centers)
    assert sweeps == expected[0]
    np.testing.assert_allclose(found, expected[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("angle", [0.01, 0.1, 0.3, -0.2])
@pytest.mark.parametrize("slide", [0.0, 0.03])
def test_a_box_that_tilts_about_its_edge_does_not_dip(angle: float, slide: float) -> None:
    """A box of 1 m x 1 m x 1 m on its edge at x = ±0.5, which slides while it tilts: its centre is not the pivot."""
    side = np.sign(angle)
    edge = np.array([[0.5 * side, -0.5, 0.0], [0.5 * side, 0.5, 0.0]])
    center, turn = np.array([[0.0, 0.0, 0.5]]), np.array([[0.0, angle, 0.0]])
    pivots = Pivots()
    pivots.add(
        contacts([[0, -1, -1, -1], [1, -1, -1, -1]], [[1, 0, 0, 0]] * 2, [[0, 0, 1]] * 2), edge, np.zeros(2, np.int32)
    )
    (pivot,) = pivots.places(center, turn)
    end = edge[0] + [slide, 0.0, 0.0]
    for place, least, most in ((pivot, -1e-12, np.inf), (center[0], -np.inf, -1e-2 * angle**2)):
        # The straight motion of the pivot that takes the edge from its place to `end`:
        move = end - path(edge[0], np.zeros(3), turn[0], place, 1.0)
        height = [path(edge[0], move, turn[0], place, s)[2] for s in np.linspace(0.0, 1.0, 101)]
        assert height[-1] == pytest.approx(0.0, abs=1e-12)
        assert least <= min(height) <= most


def test_boxes_that_turn_together_stay_together() -> None:
    """Two boxes lie face to face and turn as one: about their centres of mass they would intersect on the way."""
    rng = np.random.default_rng(1)
    x0 = np.column_stack([np.zeros(8), rng.uniform(-0.5, 0.5, 8), rng.uniform(0.0, 1.0, 8)])
    centers, turns = np.array([[-0.5, 0.0, 0.5], [0.5, 0.0, 0.6]]), np.array([[0.0, 0.3, 0.0]] * 2)
    pivots = Pivots()
    vertices, weights = [[k, k, -1, -1] for k in range(8)], [[1.0, -1.0, 0.0, 0.0]] * 8
    pivots.add(contacts(vertices, weights, [[-1.0, 0.0, 0.0]] * 8), x0, np.array([0] * 8, np.int32))
    pivots.bodies[:, 1] = 1  # the same points belong to both bodies
    places = pivots.places(centers, turns)
    hinge = np.array([0.2, 0.0, 0.0])
    gaps = {}
    for name, chosen in (("pivots", places), ("centres", centers)):
        moves = [path(p, np.zeros(3), turns[0], hinge, 1.0) - p for p in chosen]
        gaps[name] = min(
            -(path(x, moves[0], turns[0], chosen[0], s) - path(x, moves[1], turns[1], chosen[1], s))[0]
            for x in x0
            for s in np.linspace(0.0, 1.0, 21)
        )
    assert gaps["pivots"] >= -1e-6
    assert gaps["centres"] < -1e-3


def test_pivots_are_centres_of_mass_without_contacts() -> None:
    centers = np.array([[1.0, 2.0, 3.0]])
    assert not Pivots()
    np.testing.assert_array_equal(Pivots().places(centers, np.ones((1, 3))), centers)


def test_a_body_that_turns_far_keeps_the_path_of_its_free_motion() -> None:
    pivots, x0 = Pivots(), np.array([[0.5, 0.0, 0.0]])
    pivots.add(contacts([[0, -1, -1, -1]], [[1, 0, 0, 0]], [[0, 0, 1]]), x0, np.zeros(1, np.int32))
    center = np.array([[0.0, 0.0, 0.5]])
    far = np.array([[0.0, 1.1 * FARTHEST_TURN, 0.0]])
    np.testing.assert_array_equal(pivots.places(center, far), center)
    assert pivots.places(center, 0.8 * far)[0, 2] < 1e-9

"""Contacts that are near at one state against all pairs measured naively."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reference import detection as naive
from reference.soups import random_soup, single_bodies
from signorini.collision.broad_phase import BoxTree
from signorini.collision.contact_set import EDGE_EDGE, VERTEX_EDGE, VERTEX_PLANE, VERTEX_TRIANGLE, VERTEX_VERTEX
from signorini.collision.detect import detect_proximity
from signorini.geometry import shapes
from support.contacts import BIG, FACE, GROUND, UP, check_invariants, kinds, point, proximity, sides, tip


@pytest.mark.parametrize("kinematic", [0, 1])
@pytest.mark.parametrize("seed", range(6))
def test_contacts_are_the_nearest_of_all_pairs(seed: int, kinematic: int) -> None:
    surface, x = random_soup(seed, triangles=5, kinematic=kinematic)
    distance = 0.15
    found = proximity(surface, x, distance)
    check_invariants(surface, found.contacts, x)
    expected: dict[frozenset, list[naive.NaivePair]] = {}
    for pair in naive.nearest_pairs(surface, x, distance):
        expected.setdefault(pair.features, []).append(pair)
    assert len(expected) > 2
    got = {}
    for c in range(len(found.contacts)):
        a, b = sides(found.contacts, c)
        got[frozenset({frozenset(a), frozenset(b)})] = (c, point(x, a), point(x, b))
    assert got.keys() == expected.keys()
    for features, (c, pa, pb) in got.items():
        twin = expected[features][0]
        points = point(x, twin.a), point(x, twin.b)
        if not np.allclose(points[0], pa, atol=1e-7):  # the sides of a contact have no fixed order
            points = points[::-1]
        np.testing.assert_allclose([pa, pb], points, atol=1e-7)
        assert found.contacts.distance[c] == pytest.approx(twin.distance, abs=1e-9)
        assert found.contacts.distance[c] > 0.0
    everything = naive.all_near_pairs(surface, x, distance)
    assert found.min_distance == pytest.approx(min(pair.distance for pair in everything))
    assert len({pair.features for pair in everything}) > len(expected)


def test_planes_are_met_by_deformable_vertices_only() -> None:
    surface, x = single_bodies([(BIG + 0.05 * UP, FACE), (BIG + 0.01 * UP, FACE)], kinematic=1, planes=(GROUND,))
    found = proximity(surface, x, 0.06)
    contacts = found.contacts
    plane = np.array(kinds(contacts)) == VERTEX_PLANE
    assert contacts.vertices[plane, 0].tolist() == [0, 1, 2]
    np.testing.assert_allclose(contacts.distance[plane], 0.05)
    np.testing.assert_array_equal(contacts.normal[plane], np.tile([0.0, 0.0, 1.0], (3, 1)))
    np.testing.assert_array_equal(contacts.bodies[plane], np.tile([0, 2], (3, 1)))
    assert found.min_distance == pytest.approx(0.04)


def test_nothing_near_gives_an_empty_set_and_no_least_distance() -> None:
    surface, x = single_bodies([(BIG, FACE), (BIG + UP, FACE)])
    found = proximity(surface, x, 0.5)
    assert len(found.contacts) == 0
    assert found.contacts.vertices.shape == (0, 4)
    assert found.min_distance == np.inf


def test_crowded_state_outgrows_the_buffers_without_loss() -> None:
    surface, x = random_soup(1, bodies=2, triangles=10, spread=0.01, size=0.5)
    found = proximity(surface, x, 3.0)  # everything is near: more contacts than the first buffer holds
    assert len(naive.all_near_pairs(surface, x, 3.0)) > 2 * 256
    expected = naive.nearest_pairs(surface, x, 3.0)
    check_invariants(surface, found.contacts, x)
    assert {p.features for p in expected} == {
        frozenset(frozenset(side) for side in sides(found.contacts, c)) for c in range(len(found.contacts))
    }


@pytest.mark.parametrize(
    ("at", "kind", "others"),
    [
        ([0.0, 0.0, 0.1], VERTEX_TRIANGLE, {3, 4, 5}),
        ([0.3, -1.0, 0.1], VERTEX_TRIANGLE, {3, 4, 5}),  # straight above its border
        ([0.3, -1.05, 0.05], VERTEX_EDGE, {3, 4}),
        ([0.53, 0.53, 0.05], VERTEX_EDGE, {4, 5}),
        ([-1.05, 0.4, 0.05], VERTEX_EDGE, {3, 5}),
        ([-1.05, -1.05, 0.05], VERTEX_VERTEX, {3}),
        ([2.1, -1.03, 0.02], VERTEX_VERTEX, {4}),
        ([-1.0, 2.1, 0.02], VERTEX_VERTEX, {5}),
    ],
)
def test_contact_is_keyed_by_the_feature_that_is_touched(at: list[float], kind: int, others: set[int]) -> None:
    surface, x = single_bodies([tip(at), (BIG, FACE)])
    contacts = proximity(surface, x, 0.15).contacts
    tips = [c for c in range(len(contacts)) if 0 in contacts.vertices[c, :1]]
    nearest = min(tips, key=lambda c: contacts.distance[c])
    a, b = sides(contacts, nearest)
    assert kinds(contacts)[nearest] == kind
    assert (set(a), set(b)) == ({0}, others)
    check_invariants(surface, contacts, x)


def test_many_pairs_that_see_the_same_two_vertices_are_one_contact() -> None:
    fan = np.array([[0.0, 0.0, 0.0], *([np.cos(t), np.sin(t), -1.0] for t in np.linspace(0.0, 2.0 * np.pi, 7)[:-1])])
    faces = np.array([[0, 1 + k, 1 + (k + 1) % 6] for k in range(6)])
    surface, x = single_bodies([(fan, faces), (fan * [1.0, 1.0, -1.0] + [0.0, 0.0, 0.1], faces[:, ::-1])])
    contacts = proximity(surface, x, 0.12).contacts
    assert kinds(contacts) == [VERTEX_VERTEX]
    assert contacts.distance[0] == pytest.approx(0.1)
    np.testing.assert_allclose(contacts.normal[0], [0.0, 0.0, -1.0], atol=1e-12)  # from body 1 to vertex 0


def test_crossing_edges_are_an_edge_edge_contact() -> None:
    blade = np.array([[-1.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.0, 0.0, 1.0]])
    edge = np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]])
    surface, x = single_bodies([(blade, FACE), (edge, FACE)])
    contacts = proximity(surface, x, 0.15).contacts
    assert kinds(contacts) == [EDGE_EDGE]
    assert contacts.distance[0] == pytest.approx(0.1)
    np.testing.assert_allclose(np.abs(contacts.weights[0]), 0.5)
    np.testing.assert_allclose(contacts.normal[0], [0.0, 0.0, 1.0], atol=1e-12)


def test_a_vertex_above_a_flat_mesh_has_one_contact_and_it_is_upright() -> None:
    flat = np.array([[x, y, 0.0] for y in range(3) for x in range(3)], dtype=float)
    faces = np.array([t for r in (0, 1, 3, 4) for t in ([r, r + 1, r + 4], [r, r + 4, r + 3])])
    surface, x = single_bodies([tip([1.03, 1.01, 0.05]), (flat, faces)])
    contacts = proximity(surface, x, 0.1).contacts
    assert kinds(contacts) == [VERTEX_TRIANGLE]
    np.testing.assert_allclose(contacts.normal, [[0.0, 0.0, 1.0]], atol=1e-12)


@pytest.mark.parametrize("heading", [0.1, 0.4, 1.2])
def test_edges_of_thick_bodies_that_see_each_other_from_the_side_make_no_contact(heading: float) -> None:
    """A box just above a meshed plate, at many places: all normals are vertical, and the box rests on enough points."""
    plate, box = shapes.box(1.0, 1.0, 0.1, cells=(4, 4, 1)), shapes.box(0.2, 0.2, 0.06)
    turn = np.array(
        [[np.cos(heading), -np.sin(heading), 0.0], [np.sin(heading), np.cos(heading), 0.0], [0.0, 0.0, 1.0]]
    )
    for k in range(40):
        above = box.vertices @ turn.T + np.array([0.0131 * k - 0.25, 0.0077 * k - 0.15, 0.08 + 1e-3])
        surface, x = single_bodies([(above, box.triangles), (plate.vertices, plate.triangles)], kinematic=1, rigid=1)
        surface = replace(surface, vertex_solid=np.ones(surface.vertex_count, dtype=np.bool_))
        candidates = BoxTree(surface, x).find_candidates(x, x, distance=2e-3, margin=0.0)
        contacts = detect_proximity(surface, candidates, x, distance=2e-3).contacts
        np.testing.assert_allclose(np.abs(contacts.normal[:, 2]), 1.0, atol=1e-6)
        points = (contacts.weights.clip(min=0.0)[:, :, None] * x[contacts.vertices]).sum(axis=1)
        assert np.linalg.matrix_rank(points[:, :2] - points[:, :2].mean(axis=0), tol=0.02) == 2

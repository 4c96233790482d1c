"""Contacts of the narrow phase against all pairs measured naively, and against ipctk for motions."""

from __future__ import annotations

from dataclasses import replace

import ipctk
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from reference import detection as naive
from reference.soups import random_soup, single_bodies
from signorini.collision import detect_kernels as kernels
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
from signorini.collision.surface import Surface
from signorini.geometry import shapes

FACE = np.array([[0, 1, 2]])
BIG = np.array([[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]])
UP = np.array([0.0, 0.0, 1.0])
GROUND = ((0.0, 0.0, 1.0), 0.0)


def proximity(surface: Surface, x: naive.Array, distance: float) -> Proximity:
    candidates = BoxTree(surface, x).find_candidates(x, x, distance=distance, margin=0.0)
    return detect_proximity(surface, candidates, x, distance=distance)


def impacts(surface: Surface, x0: naive.Array, x1: naive.Array, separation: float) -> Impacts:
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=separation, margin=0.0)
    return detect_continuous(surface, candidates, x0, x1, separation=separation)


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


def tip(at: list[float]) -> tuple[naive.Array, np.ndarray]:
    """A triangle that points down with its vertex 0 at `at`."""
    return np.array([[0, 0, 0], [0.1, 0, 1.0], [0, 0.1, 1.0]]) + at, FACE


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


positions = st.lists(st.floats(-1.0, 1.0, width=32), min_size=24, max_size=24).map(
    lambda values: np.array(values, dtype=np.float64).reshape(2, 4, 3)
)
TIMES = np.linspace(0.0, 1.0, 21)


@settings(max_examples=100, deadline=None)
@given(motion=positions, distance=st.sampled_from([0.0, 1e-3, 0.1, 0.5]), apart=st.floats(0.0, 2.0))
def test_vertex_that_stays_clear_is_never_near(motion: naive.Array, distance: float, apart: float) -> None:
    x0, x1 = motion[0].copy(), motion[0] + 0.5 * motion[1]
    x0[0, 2] += apart
    x1[0, 2] += apart
    if not kernels.vertex_stays_clear(x0, x1, 0, 1, 2, 3, distance):
        return
    for t in TIMES:
        x = x0 + t * (x1 - x0)
        assume(np.linalg.norm(np.cross(x[2] - x[1], x[3] - x[1])) > 1e-6)
        assert np.linalg.norm(x[0] - naive.point_triangle(x[0], x[1:]) @ x[1:]) > distance


@settings(max_examples=100, deadline=None)
@given(motion=positions, distance=st.sampled_from([0.0, 1e-3, 0.1, 0.5]), apart=st.floats(0.0, 2.0))
def test_edges_that_stay_clear_are_never_near(motion: naive.Array, distance: float, apart: float) -> None:
    x0, x1 = motion[0].copy(), motion[0] + 0.5 * motion[1]
    x0[:2, 2] += apart
    x1[:2, 2] += apart
    if not kernels.edges_stay_clear(x0, x1, 0, 1, 2, 3, distance):
        return
    for t in TIMES:
        x = x0 + t * (x1 - x0)
        assume(min(np.linalg.norm(x[1] - x[0]), np.linalg.norm(x[3] - x[2])) > 1e-6)
        wa, wb = naive.edge_edge(x[:2], x[2:])
        assert np.linalg.norm(wa @ x[:2] - wb @ x[2:]) > distance


def test_clear_pairs_exist() -> None:
    x = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]])
    assert kernels.vertex_stays_clear(x, x, 0, 1, 2, 3, 0.9)
    assert not kernels.vertex_stays_clear(x, x, 0, 1, 2, 3, 1.0)
    assert not kernels.vertex_stays_clear(x, x - [[0, 0, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]], 0, 1, 2, 3, 0.9)


def test_pairs_that_only_a_normal_tells_apart_are_clear() -> None:
    x = np.array([[0.8, 0.1, 0.1], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for side in (1.0, -1.0):
        flipped = x * [1.0, 1.0, side]
        assert kernels.vertex_stays_clear(flipped, flipped, 0, 1, 2, 3, 0.09)
        assert not kernels.vertex_stays_clear(flipped, flipped, 0, 1, 2, 3, 0.1)
        cross = np.array([[-1.0, 0.0, 0.1], [0.1, 0.0, 0.1], [0.0, -1.0, 0.0], [0.0, 0.1, 0.0]]) * [1.0, 1.0, side]
        assert kernels.edges_stay_clear(cross, cross, 0, 1, 2, 3, 0.09)
        assert not kernels.edges_stay_clear(cross, cross, 0, 1, 2, 3, 0.1)


@settings(max_examples=200, deadline=None)
@given(
    tilt=st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5]),
    turn=st.floats(0.0, 3.0),
    height=st.floats(1e-3, 1.0),
    slope=st.floats(-1.0, 1.0),
)
@example(tilt=0.0, turn=0.0, height=1.0, slope=3.5e-219)  # the square of their common normal underflows
@example(tilt=0.0, turn=0.0, height=1.0, slope=1e-155)
def test_no_axis_parts_nearly_parallel_edges_that_are_near(
    tilt: float, turn: float, height: float, slope: float
) -> None:
    c, s = np.cos(turn), np.sin(turn)
    along, across = np.array([c, s, slope]), np.array([-s, c, 0.3])
    x = np.array([0.0 * along, along, height * across, height * across + along + tilt * np.array([s, 1.0, c])])
    wa, wb = naive.edge_edge(x[:2], x[2:])
    distance = float(np.linalg.norm(wa @ x[:2] - wb @ x[2:]))
    assert not kernels.edges_stay_clear(x, x, 0, 1, 2, 3, distance * (1.0 + 1e-8))


def check_impacts(surface: Surface, found: Impacts, x0: naive.Array, separation: float) -> None:
    """Contacts are well formed, and their constraint holds at the start with some room."""
    check_invariants(surface, found.contacts, x0)
    assert (0.0 <= found.first_time <= 1.0) == (len(found.contacts) > 0)
    least = proximity(surface, x0, 10.0).min_distance
    assert (found.contacts.distance >= 0.5 * min(separation, least) * (1.0 - 1e-6)).all()


speeds = st.floats(0.0, 8.0).map(lambda power: 10.0**power)
inside = st.tuples(st.floats(0.05, 0.9), st.floats(0.05, 0.9)).filter(lambda p: p[0] + p[1] < 0.95)


@settings(max_examples=60, deadline=None)
@given(at=inside, height=st.floats(1e-6, 1.0), speed=speeds, seed=st.integers(0, 1000))
def test_vertex_shot_through_a_triangle_is_found_at_any_speed(
    at: tuple[float, float], height: float, speed: float, seed: int
) -> None:
    target = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    arrow, _ = tip([at[0], at[1], height])
    surface, x0 = single_bodies([(arrow, FACE), (target, FACE)])
    drift = np.random.default_rng(seed).normal(size=3)  # all move together, which changes nothing
    x1 = x0 + drift
    x1[:3, 2] -= height + speed
    found = impacts(surface, x0, x1, 1e-3)
    crossing = height / (height + speed)
    assert found.first_time <= crossing
    near = crossing - 1.1e-3 / (height + speed) if height > 2e-3 else 0.0
    assert found.first_time >= 0.4 * near
    check_impacts(surface, found, x0, 1e-3)
    assert any(0 in sides(found.contacts, c)[0] for c in range(len(found.contacts)))


@settings(max_examples=60, deadline=None)
@given(at=st.floats(-0.4, 0.4), angle=st.floats(0.05, 3.0), height=st.floats(1e-6, 1.0), speed=speeds)
def test_edge_shot_through_an_edge_is_found_at_any_speed(at: float, angle: float, height: float, speed: float) -> None:
    across = 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0])
    blade = np.array([across, -across, [0.0, 0.0, 3.0]]) + np.array([at, 0.0, height])
    edge = np.array([[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, -3.0]])
    surface, x0 = single_bodies([(blade, FACE), (edge, FACE)])
    x1 = x0.copy()
    x1[:3, 2] -= height + speed
    found = impacts(surface, x0, x1, 1e-3)
    assert found.first_time <= height / (height + speed)
    check_impacts(surface, found, x0, 1e-3)


@settings(max_examples=60, deadline=None)
@given(height=st.floats(1e-9, 1.0), speed=speeds)
def test_vertex_shot_through_a_plane_is_found_at_any_speed(height: float, speed: float) -> None:
    surface, x0 = single_bodies([tip([0.0, 0.0, height])], planes=(GROUND,))
    x1 = x0 - [0.0, 0.0, height + speed]
    found = impacts(surface, x0, x1, 1e-3)
    assert found.first_time == pytest.approx((height - min(1e-3, 0.5 * height)) / (height + speed), abs=1e-12)
    assert 0 in found.contacts.vertices[:, 0]
    check_invariants(surface, found.contacts, x0)
    np.testing.assert_allclose(found.contacts.distance[0], height)


def test_motion_apart_or_at_rest_has_no_impact() -> None:
    surface, x0 = single_bodies([(BIG, FACE), (BIG + 1e-4 * UP, FACE)], planes=(((0.0, 0.0, 1.0), -1e-4),))
    for x1 in (x0, x0 + UP, x0 * [1.0, 1.0, 1.5]):
        found = impacts(surface, x0, x1, 1e-3)
        assert len(found.contacts) == 0
        assert found.first_time == np.inf


@pytest.mark.parametrize("fall", [0.0, 1e-3])
def test_vertex_that_starts_below_a_plane_is_a_hit_at_once(fall: float) -> None:
    surface, x0 = single_bodies([tip([0.0, 0.0, -0.1])], planes=(GROUND,))
    found = impacts(surface, x0, x0 - fall * UP, 1e-3)
    assert found.first_time == 0.0
    assert found.contacts.vertices[:, 0].tolist() == [0]
    assert found.contacts.distance[0] == pytest.approx(-0.1)


def collision_mesh(surface: Surface, x: naive.Array) -> ipctk.CollisionMesh:
    return ipctk.CollisionMesh(
        np.asfortranarray(x), np.asfortranarray(surface.edges), np.asfortranarray(surface.triangles)
    )


@pytest.mark.parametrize("speed", [0.06, 0.3, 2.0])
def test_no_collision_that_ipctk_finds_is_missed(speed: float) -> None:
    hits = misses = 0
    for seed in range(100):
        surface, x0 = random_soup(seed, bodies=3, triangles=2, spread=3.0, size=0.4)
        mesh = collision_mesh(surface, x0)
        if ipctk.has_intersections(mesh, np.asfortranarray(x0)):
            continue
        x1 = x0 + speed * np.random.default_rng(seed).normal(size=(len(x0), 3))
        found = impacts(surface, x0, x1, 1e-4)
        check_impacts(surface, found, x0, 1e-4)
        if ipctk.is_step_collision_free(mesh, np.asfortranarray(x0), np.asfortranarray(x1)):
            misses += 1
        else:
            hits += 1
            assert len(found.contacts)
            step = ipctk.compute_collision_free_stepsize(mesh, np.asfortranarray(x0), np.asfortranarray(x1))
            assert found.first_time <= step / 0.8 + 1e-6  # ipctk stops short of the impact by up to a fifth
    assert hits > 5
    assert speed > 1.0 or misses > 5


@pytest.mark.parametrize("seed", range(8))
def test_motion_up_to_the_first_impact_keeps_the_separation(seed: int) -> None:
    surface, x0 = random_soup(seed, bodies=3, triangles=2, spread=2.0, size=0.4)
    x1 = x0 + 0.5 * np.random.default_rng(seed).normal(size=x0.shape)
    separation = 1e-3
    start = proximity(surface, x0, 10.0).min_distance
    found = impacts(surface, x0, x1, separation)
    for t in np.linspace(0.0, 0.999, 30) * min(found.first_time, 1.0):
        assert proximity(surface, x0 + t * (x1 - x0), 10.0).min_distance > 0.99 * min(separation, 0.5 * start)


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

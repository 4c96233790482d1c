"""Edges that belong to no triangle, as of a rod: in the surface, the broad phase, contacts, impacts and intersections."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from reference import broad_phase as naive_pairs
from reference import detection as naive
from reference.soups import random_soup, single_bodies
from signorini.collision.broad_phase import BoxTree
from signorini.collision.contact_set import EDGE_EDGE, VERTEX_EDGE, VERTEX_PLANE, VERTEX_TRIANGLE, VERTEX_VERTEX
from signorini.collision.intersections import find_intersections
from signorini.collision.surface import FREE, Surface, build_surface
from support.contacts import BIG, FACE, GROUND, check_invariants, impacts, kinds, proximity, sides

Array = naive.Array
HEIGHT, REACH = 0.01, 0.02


def rod(start: tuple[float, float, float], end: tuple[float, float, float], edges: int = 4) -> tuple[Array, np.ndarray]:
    """A straight chain of edges."""
    t = np.linspace(0.0, 1.0, edges + 1)[:, None]
    return (1.0 - t) * np.array(start) + t * np.array(end), np.column_stack([np.arange(edges), np.arange(1, edges + 1)])


def test_surface_has_lone_edges_after_those_of_triangles_and_owns_each_once() -> None:
    triangles = np.array([[0, 1, 2]], dtype=np.int32)
    whisker = np.array([[2, 3], [3, 4], [4, 3], [1, 0]])  # one twice, and one that is a side of the triangle
    meshes = [(triangles, 0, 5, 0), (np.zeros((0, 3), np.int32), 5, 3, 1)]
    surface = build_surface(meshes, np.full(8, FREE), [], edges=[(whisker, 0), (np.array([[0, 1], [1, 2]]), 5)])
    assert surface.edges.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [5, 6], [6, 7]]
    assert surface.first_lone_edge == 3
    assert surface.edge_valence.tolist() == [1, 1, 1, 0, 0, 0, 0]
    assert (surface.edge_opposite[3:] == -1).all()
    assert surface.vertex_valence.tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert surface.vertex_edges.tolist() == [2, 2, 3, 2, 1, 1, 2, 1]
    assert surface.vertex_lone_edges.tolist() == [0, 0, 1, 2, 1, 1, 2, 1]
    assert surface.leaves.tolist() == [[0, 1, 2], [2, 3, 3], [3, 4, 4], [5, 6, 6], [6, 7, 7]]
    for owned, count in ((surface.owned_vertices, 8), (surface.owned_edges, 7)):
        assert sorted(owned[owned >= 0].tolist()) == list(range(count))
        assert (np.sort(owned < 0, axis=1) == (owned < 0)).all()  # packed left
    for leaf, members in enumerate(surface.owned_edges.tolist()):
        for edge in (e for e in members if e >= 0):
            assert set(surface.edges[edge].tolist()) <= set(surface.leaves[leaf].tolist())


@pytest.mark.parametrize(("kinematic", "rigid"), [(0, 0), (1, 0), (0, 2), (1, 1)])
@pytest.mark.parametrize("triangles", [0, 4])
@pytest.mark.parametrize("seed", range(3))
def test_candidates_are_all_pairs_of_near_boxes(seed: int, triangles: int, kinematic: int, rigid: int) -> None:
    surface, x0 = random_soup(seed, triangles=triangles, whiskers=4, kinematic=kinematic, rigid=rigid)
    x1 = x0 + 0.1 * np.random.default_rng(seed).normal(size=x0.shape)
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=0.05, margin=0.02)
    low, high = np.minimum(x0, x1) - 0.02, np.maximum(x0, x1) + 0.02
    vertex_triangle, edge_edge = naive_pairs.box_pairs(surface, low, high, 0.05)
    assert sorted(map(tuple, candidates.vertex_triangle.tolist())) == sorted(vertex_triangle)
    assert sorted(tuple(sorted(p)) for p in candidates.edge_edge.tolist()) == sorted(edge_edge)
    assert edge_edge
    assert bool(vertex_triangle) == (triangles > 0)


def check_contacts(surface: Surface, x: Array, distance: float) -> list[int]:
    """Contacts are those of all pairs measured one by one; returns their kinds."""
    found = proximity(surface, x, distance)
    check_invariants(surface, found.contacts, x)
    expected = {pair.features for pair in naive.nearest_pairs(surface, x, distance)}
    rows = range(len(found.contacts))
    free = [c for c in rows if kinds(found.contacts)[c] != VERTEX_PLANE]
    assert {frozenset(frozenset(side) for side in sides(found.contacts, c)) for c in free} == expected
    everything = naive.all_near_pairs(surface, x, distance)
    assert found.min_distance == pytest.approx(min((pair.distance for pair in everything), default=np.inf))
    return kinds(found.contacts)


@pytest.mark.parametrize("triangles", [0, 3])
@pytest.mark.parametrize("kinematic", [0, 1])
@pytest.mark.parametrize("seed", range(8))
def test_contacts_are_the_nearest_of_all_pairs(seed: int, kinematic: int, triangles: int) -> None:
    surface, x = random_soup(seed, triangles=triangles, whiskers=4, kinematic=kinematic)
    assert len(check_contacts(surface, x, 0.15)) > 2


def test_random_contacts_are_of_all_kinds() -> None:
    seen: dict[int, int] = {}
    for seed in range(20):
        surface, x = random_soup(seed, triangles=2, whiskers=3)
        contacts = proximity(surface, x, 0.2).contacts
        for c, kind in enumerate(kinds(contacts)):
            vertices = contacts.vertices[c]
            if (surface.vertex_valence[vertices[vertices >= 0]] == 0).any():
                seen[kind] = seen.get(kind, 0) + 1
    assert {VERTEX_VERTEX, VERTEX_EDGE, VERTEX_TRIANGLE, EDGE_EDGE} <= seen.keys()
    assert min(seen.values()) > 5


MIDDLE = rod((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))  # vertices at multiples of 0.25, along x
TRIANGLE = (BIG, FACE)
CASES = [
    ("across", [rod((0.1, -0.5, HEIGHT), (0.1, 0.6, HEIGHT)), MIDDLE], EDGE_EDGE),
    ("vertex over an edge", [rod((0.1, -0.5, HEIGHT), (0.1, 0.5, HEIGHT)), MIDDLE], VERTEX_EDGE),
    ("edge over a vertex", [rod((0.25, -0.5, HEIGHT), (0.25, 0.6, HEIGHT)), MIDDLE], VERTEX_EDGE),
    ("vertex over a vertex", [rod((0.25, -0.5, HEIGHT), (0.25, 0.5, HEIGHT)), MIDDLE], VERTEX_VERTEX),
    ("end on an edge", [rod((0.1, 0.0, HEIGHT), (0.1, 0.0, 1.0)), MIDDLE], VERTEX_EDGE),
    ("end on a vertex", [rod((0.25, 0.0, HEIGHT), (0.25, 0.0, 1.0)), MIDDLE], VERTEX_VERTEX),
    ("end beside an end", [rod((0.5 + HEIGHT, 0.0, 0.0), (1.5, 0.0, 0.0)), MIDDLE], VERTEX_VERTEX),
    ("end beyond an end", [rod((0.505, 0.005, 0.0), (1.5, 1.0, 0.0)), MIDDLE], VERTEX_VERTEX),
    ("end on a triangle", [rod((0.1, 0.0, HEIGHT), (0.1, 0.0, 1.0)), TRIANGLE], VERTEX_TRIANGLE),
    ("end beside a triangle's edge", [rod((0.1, -1.0 - HEIGHT, 0.0), (0.1, -2.0, 0.0)), TRIANGLE], VERTEX_EDGE),
    ("end beyond a triangle's corner", [rod((2.005, -1.005, 0.0), (3.0, -2.0, 0.0)), TRIANGLE], VERTEX_VERTEX),
    ("over a triangle's edge", [rod((0.1, -1.3, HEIGHT + 0.15), (0.1, -0.8, HEIGHT - 0.1), 1), TRIANGLE], EDGE_EDGE),
    ("beside a triangle's corner", [rod((2.01, -1.5, 0.1), (2.01, -0.4, -0.1)), TRIANGLE], VERTEX_EDGE),
]


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.3, -0.5, 0.9)])
@pytest.mark.parametrize(("parts", "kind"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_kind_of_the_contact_of_a_rod(
    parts: list[tuple[Array, np.ndarray]], kind: int, turn: tuple[float, float, float]
) -> None:
    surface, x = single_bodies(parts)
    # Rounding of a rotation may move a point that is exactly over a vertex: the contact may be another one, but not lost.
    turned = np.ascontiguousarray(Rotation.from_rotvec(turn).apply(x)) if any(turn) else x
    contacts = proximity(surface, turned, REACH).contacts
    check_invariants(surface, contacts, turned)
    assert len(contacts)
    if not any(turn):
        check_contacts(surface, x, REACH)
        assert kinds(contacts) == [kind]
    apart = proximity(surface, x, REACH).contacts.distance.min()
    np.testing.assert_allclose(contacts.distance, apart, rtol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 1e-17, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.125, 0.25])
@pytest.mark.parametrize("angle", [0.0, np.pi / 2.0, 1.0])
def test_rods_above_each_other_keep_a_contact_whatever_rounding_makes_of_an_alignment(
    angle: float, shift: float, noise: float
) -> None:
    """Parallel rods, vertex over vertex or staggered, and crossing rods: each close pair of points is held by a contact."""
    vertices, edges = MIDDLE
    upper = Rotation.from_rotvec((0.0, 0.0, angle)).apply(vertices) + np.array([shift, 0.0, HEIGHT])
    surface, x = single_bodies([(upper, edges), MIDDLE])
    rng = np.random.default_rng(1)
    for turn in ((0.0, 0.0, 0.0), (0.3, -0.5, 0.9)):
        world = Rotation.from_rotvec(turn)
        moved = x + noise * rng.normal(size=x.shape)
        contacts = proximity(surface, np.ascontiguousarray(world.apply(moved)), REACH).contacts
        points = np.einsum("ck,ckd->cd", contacts.weights.clip(min=0.0), moved[contacts.vertices])
        if angle == 0.0 and noise <= 1e-12:  # along the whole overlap
            assert points[:, 0].min() <= -0.5 + shift + 1e-6
            assert points[:, 0].max() >= 0.5 - 1e-6
        elif angle:
            assert np.linalg.norm(points[:, :2] - [shift, 0.0], axis=1).min() < 1e-3
        assert len(contacts)


def test_rod_on_a_plane_has_one_contact_at_each_vertex() -> None:
    surface, x = single_bodies([rod((0.0, 0.0, HEIGHT), (1.0, 0.0, HEIGHT))], planes=(GROUND,))
    contacts = proximity(surface, x, REACH).contacts
    assert kinds(contacts) == [VERTEX_PLANE] * 5
    assert sorted(contacts.vertices[:, 0].tolist()) == [0, 1, 2, 3, 4]
    found = impacts(surface, x, x - [0.0, 0.0, 1.0], 1e-3)
    assert len(found.contacts) == 5
    assert found.first_time == pytest.approx(HEIGHT - 1e-3)


def test_bent_rod_has_no_contact_between_neighbours() -> None:
    fold = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.01, 0.0]]), np.array([[0, 1], [1, 2]])
    surface, x = single_bodies([fold])
    assert len(proximity(surface, x, 0.1).contacts) == 0


@pytest.mark.parametrize("speed", [1.0, 1e4, 1e8])
def test_fast_rod_is_stopped_by_a_triangle_and_by_another_rod(speed: float) -> None:
    """The middle of the flying rod's edge meets the border of the triangle, or the middle of the other rod's edge."""
    flying = rod((0.1, -1.5, 0.5), (0.1, -0.6, 0.5), 1)
    for target in (TRIANGLE, rod((-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), 1)):
        surface, x0 = single_bodies([flying, target])
        x1 = x0.copy()
        x1[:2, 2] -= 0.5 + speed
        found = impacts(surface, x0, x1, 1e-3)
        assert EDGE_EDGE in kinds(found.contacts)
        check_invariants(surface, found.contacts, x0)
        assert found.first_time <= 0.5 / (0.5 + speed)
        assert found.first_time >= (0.5 - 1.1e-3) / (0.5 + speed)


def test_rod_end_shot_at_a_triangle_is_found() -> None:
    surface, x0 = single_bodies([rod((0.1, 0.0, 0.5), (0.1, 0.0, 1.5)), TRIANGLE])
    x1 = x0.copy()
    x1[:5, 2] -= 100.0
    found = impacts(surface, x0, x1, 1e-3)
    assert kinds(found.contacts)[:1] == [VERTEX_TRIANGLE]
    assert (0.5 - 1.1e-3) / 100.0 <= found.first_time <= 0.5 / 100.0


@pytest.mark.parametrize("seed", range(8))
def test_motion_up_to_the_first_impact_keeps_the_separation(seed: int) -> None:
    surface, x0 = random_soup(seed, triangles=1, whiskers=2, spread=2.0, size=0.4)
    x1 = x0 + 0.5 * np.random.default_rng(seed).normal(size=x0.shape)
    start = min(p.distance for p in naive.all_near_pairs(surface, x0, 10.0))
    found = impacts(surface, x0, x1, 1e-3)
    assert found.first_time < 1.0
    for t in np.linspace(0.0, 0.999, 5) * found.first_time:
        x = x0 + t * (x1 - x0)
        assert min(p.distance for p in naive.all_near_pairs(surface, x, 10.0)) > 0.99 * min(1e-3, 0.5 * start)


@pytest.mark.parametrize("seed", range(1, 7))
def test_lone_edges_through_triangles_are_found(seed: int) -> None:
    surface, x = random_soup(seed, triangles=3, whiskers=4, spread=0.3, size=0.5, kinematic=1)
    expected = naive.all_crossings(surface, x)
    found = [tuple(p) for p in find_intersections(BoxTree(surface, x), x).edge_triangle.tolist()]
    assert sorted(found) == sorted(expected)
    assert any(e >= surface.first_lone_edge for e, _ in expected)

"""Proximity contacts of meshes that are aligned with each other: the closest points of parallel edges are not unique."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from reference import detection as naive
from reference.soups import single_bodies
from signorini.collision import detect_kernels as kernels
from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.collision.contact_records_kernels import TIE, pack, write_ends
from signorini.collision.contact_set import KIND_SHIFT, SEEN_FROM_EDGE, ContactSet
from signorini.collision.detect import detect_proximity
from signorini.collision.surface import Surface

HEIGHT = 1 / 64
REACH = 1 / 32
FACE = np.array([[0, 1, 2]])


def grid(cells: int, spacing: float) -> tuple[naive.Array, np.ndarray]:
    """A square sheet in the plane z = 0, each cell cut along the same diagonal."""
    n = cells + 1
    vertices = spacing * np.array([[i, j, 0.0] for j in range(n) for i in range(n)])
    corners = [j * n + i for j in range(cells) for i in range(cells)]
    return vertices, np.array([t for a in corners for t in ([a, a + 1, a + n + 1], [a, a + n + 1, a + n])])


def aligned(dx: float, dy: float, *, lean: float = 0.0) -> tuple[Surface, naive.Array]:
    """A sheet of 16 vertices above a coarser plate with parallel edges; all coordinates are exact in binary.

    The sheet rises by `lean` in both directions.
    """
    sheet, faces = grid(3, 1 / 8)
    sheet[:, 2] = lean * (sheet[:, 0] + sheet[:, 1])
    plate, below = grid(2, 1 / 2)
    return single_bodies([(sheet + np.array([dx, dy, HEIGHT]), faces), (plate, below)], kinematic=1)


def find(surface: Surface, x: naive.Array) -> Candidates:
    return BoxTree(surface, x).find_candidates(x, x, distance=REACH, margin=0.0)


def features(contacts: ContactSet) -> set[frozenset[frozenset[int]]]:
    """The two features of each contact, as sets of vertices."""
    rows = zip(contacts.vertices.tolist(), contacts.weights.tolist(), strict=True)
    return {
        frozenset(
            frozenset(v for v, w in zip(vertices, weights, strict=True) if v >= 0 and sign * w > 0.0)
            for sign in (1.0, -1.0)
        )
        for vertices, weights in rows
    }


# Vertices of the sheet are above the middle lines of the plate, a diagonal, a vertex, its border.
INNER = [(1 / 4, 1 / 2), (1 / 2, 1 / 16), (3 / 16, 3 / 16), (5 / 16, 1 / 8), (1 / 4, 1 / 4)]
TURNS = [(0.0, 0.0, 0.0), (0.3, -0.5, 0.9)]


@pytest.mark.parametrize("lean", [0.0, 1 / 1024, -1 / 128])
@pytest.mark.parametrize(("dx", "dy"), [*INNER, (1 / 16, 0.0)])
def test_aligned_meshes_have_the_contacts_of_the_naive_twin(dx: float, dy: float, lean: float) -> None:
    surface, x = aligned(dx, dy, lean=lean)
    contacts = detect_proximity(surface, find(surface, x), x, distance=REACH).contacts
    assert features(contacts) == {pair.features for pair in naive.nearest_pairs(surface, x, REACH)}
    points = np.einsum("ck,ckd->cd", contacts.weights, x[contacts.vertices])
    np.testing.assert_allclose(contacts.normal * contacts.distance[:, None], points, atol=1e-15)
    # Every vertex of the sheet is above the plate, so that each of them is held by a contact of its own.
    own = contacts.weights[:, 0] == 1.0
    assert set(contacts.vertices[own, 0].tolist()) >= set(range(16))
    straight = np.abs(contacts.normal[own & (contacts.vertices[:, 0] < 16), 2])
    np.testing.assert_allclose(straight, 1.0, rtol=1e-9)


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("noise", [0.0, 1e-17, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5])
@pytest.mark.parametrize("only_height", [True, False])
def test_no_vertex_above_an_edge_or_a_vertex_is_lost(
    only_height: bool, noise: float, turn: tuple[float, float, float]
) -> None:
    """Whatever rounding makes of an alignment: each vertex of the sheet is at least half of a side of some contact."""
    rng, world = np.random.default_rng(1), Rotation.from_rotvec(turn)
    for dx, dy in INNER:
        surface, x = aligned(dx, dy)
        x = np.ascontiguousarray(world.apply(x)) if np.any(turn) else x
        moved = noise * rng.normal(size=(16, 3))
        if only_height:
            moved = np.outer(moved[:, 0], world.apply((0.0, 0.0, 1.0)))
        x[:16] += moved
        contacts = detect_proximity(surface, find(surface, x), x, distance=REACH).contacts
        held = np.zeros(surface.vertex_count)
        taken = contacts.vertices >= 0
        np.maximum.at(held, contacts.vertices[taken], np.abs(contacts.weights[taken]))
        assert (held[:16] >= 0.5).all(), f"lost at {dx}, {dy}: {np.flatnonzero(held[:16] < 0.5)}"


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0.25, 0.75, {(0, 1), (1, 1)}),  # inside the other edge: both ends
        (0.25, 1.5, {(0, 1), (3, 0)}),  # they overlap: one end of each
        (-0.5, 1.5, {(2, 0), (3, 0)}),  # around the other edge: both ends of that one
        (1.5, 2.0, set()),  # beyond it: two vertices
        (0.5, 0.5, {(0, 1), (1, 1)}),  # without length
    ],
)
def test_all_ends_of_parallel_edges_that_share_the_least_distance_are_seen(
    start: float, end: float, expected: set[tuple[int, int]], turn: tuple[float, float, float]
) -> None:
    edges = np.array([[0, 1], [2, 3]], dtype=np.int32)
    x = np.array([[start, 0.0, 0.1], [end, 0.0, 0.1], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    x = np.ascontiguousarray(Rotation.from_rotvec(turn).apply(x))
    wa, wb = naive.edge_edge(x[:2], x[2:]) if start < end else (np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    d2 = float(np.sum((wa @ x[:2] - wb @ x[2:]) ** 2))
    assert set(seen(x, edges, d2)) == {int(pack(SEEN_FROM_EDGE, v, f)) for v, f in expected}


@pytest.mark.parametrize(("drop", "count"), [(0.0, 2), (0.1 * TIE, 2), (10.0 * TIE, 1)])
def test_only_the_lower_end_is_seen_of_an_edge_that_leans_by_more_than_rounding(drop: float, count: int) -> None:
    edges = np.array([[0, 1], [2, 3]], dtype=np.int32)
    x = np.array([[0.25, 0.0, 0.1], [0.75, 0.0, 0.1 * (1.0 - drop)], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    found = seen(x, edges, x[1, 2] ** 2)
    assert len(found) == count
    assert int(pack(SEEN_FROM_EDGE, 1, 1)) in found


def seen(x: naive.Array, edges: np.ndarray, d2: float) -> list[int]:
    """The keys that two edges with the squared distance d2 note."""
    keys, vertices, weights = np.full(4, -1), np.empty((4, 4), np.int32), np.empty((4, 4))
    count = write_ends(0, x, 0, 1, edges, d2, keys, vertices, weights)
    count = write_ends(count, x, 1, 0, edges, d2, keys, vertices, weights)
    assert (keys[count:] == -1).all()
    return keys[:count].tolist()


def unknown(candidates: Candidates) -> tuple[np.ndarray, np.ndarray]:
    """Lower bounds of the distances of pairs that have not been tested."""
    return np.full(len(candidates.vertex_triangle), -np.inf), np.full(len(candidates.edge_edge), -np.inf)


def test_a_full_buffer_is_not_overrun_and_the_count_says_how_much_room_is_needed() -> None:
    surface, x = aligned(1 / 4, 1 / 2)
    candidates = find(surface, x)
    size, guard = 1000, -7
    full = 0
    for capacity in (size, 0, 1, 17, 40):
        keys, vertices = np.full(size, guard), np.full((size, 4), guard, np.int32)
        weights, normal, distance = np.full((size, 4), -7.0), np.full((size, 3), -7.0), np.full(size, -7.0)
        arrays = (keys, vertices, weights, normal, distance)
        count, least = kernels.proximity(
            candidates.vertex_triangle, candidates.edge_edge, candidates.vertex_plane, surface.triangles, surface.edges,
            surface.triangle_edges, surface.first_lone_edge, surface.plane_normal, surface.plane_height, x, REACH,
            *unknown(candidates), *(array[:capacity] for array in arrays),
        )  # fmt: skip
        full = full or count
        assert 40 < full < size
        assert count == full
        assert least == pytest.approx(HEIGHT)
        assert (keys[: min(capacity, full)] >= 0).all()
        assert all((array[capacity:] == guard).all() for array in arrays)


def test_a_state_with_more_notes_than_the_first_buffer_holds_loses_nothing() -> None:
    """Strips above one another, all of their long edges parallel: several records for each pair of edges."""
    strip = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, 1.0]])
    parts = [(strip + np.array([k / 64, 0.0, k / 1024]), FACE) for k in range(24)]
    surface, x = single_bodies(parts)
    candidates = find(surface, x)
    arrays = np.empty(0, np.int64), np.empty((0, 4), np.int32), np.empty((0, 4)), np.empty((0, 3)), np.empty(0)
    count, _ = kernels.proximity(
        candidates.vertex_triangle, candidates.edge_edge, candidates.vertex_plane, surface.triangles, surface.edges,
        surface.triangle_edges, surface.first_lone_edge, surface.plane_normal, surface.plane_height, x, REACH,
        *unknown(candidates), *arrays,
    )  # fmt: skip
    assert count > 256 + len(candidates) // 2
    contacts = detect_proximity(surface, candidates, x, distance=REACH).contacts
    assert features(contacts) == {pair.features for pair in naive.nearest_pairs(surface, x, REACH)}
    assert ((contacts.key >> KIND_SHIFT) != SEEN_FROM_EDGE).all()

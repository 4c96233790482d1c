"""Candidate pairs of the box tree against all pairs of boxes."""

from __future__ import annotations

import numpy as np
import pytest

from reference import broad_phase as naive
from reference.soups import random_soup, single_bodies
from signorini.collision import broad_phase
from signorini.collision.boxes.packed_boxes import middle_of
from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.geometry import shapes
from signorini.parallel import team

TRIANGLE = np.array([[0, 1, 2]])


def found(candidates: Candidates) -> tuple[naive.Pairs, naive.Pairs, naive.Pairs]:
    """Candidates as sets, after the check that none appears twice."""
    vertex_triangle = [tuple(p) for p in candidates.vertex_triangle.tolist()]
    edge_edge = [tuple(sorted(p)) for p in candidates.edge_edge.tolist()]
    vertex_plane = [tuple(p) for p in candidates.vertex_plane.tolist()]
    for pairs in (vertex_triangle, edge_edge, vertex_plane):
        assert len(set(pairs)) == len(pairs)
    assert len(candidates) == len(vertex_triangle) + len(edge_edge) + len(vertex_plane)
    return set(vertex_triangle), set(edge_edge), set(vertex_plane)


@pytest.mark.parametrize(("kinematic", "rigid"), [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (0, 3), (1, 2), (2, 1)])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_are_all_pairs_of_near_boxes(seed: int, kinematic: int, rigid: int) -> None:
    surface, x0 = random_soup(
        seed, kinematic=kinematic, rigid=rigid, planes=(((0.0, 0.0, 1.0), -0.4), ((0.6, 0.0, -0.8), -0.5))
    )
    x1 = x0 + 0.1 * np.random.default_rng(seed).normal(size=x0.shape)
    margin, distance = 0.02, 0.05
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=distance, margin=margin)
    low, high = np.minimum(x0, x1) - margin, np.maximum(x0, x1) + margin
    vertex_triangle, edge_edge, vertex_plane = found(candidates)
    assert (vertex_triangle, edge_edge) == naive.box_pairs(surface, low, high, distance)
    assert vertex_plane == naive.plane_pairs(surface, low, high, distance)
    if kinematic == 3:  # nothing that contact could move
        assert not vertex_triangle
        assert not edge_edge
        assert not vertex_plane


@pytest.mark.parametrize("seed", range(4))
def test_every_vertex_may_have_a_margin_of_its_own(seed: int) -> None:
    surface, x0 = random_soup(seed, planes=(((0.0, 0.0, 1.0), -0.4),))
    rng = np.random.default_rng(seed)
    x1, margin, distance = x0 + 0.1 * rng.normal(size=x0.shape), rng.uniform(0.0, 0.1, len(x0)), 0.05
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=distance, margin=margin, frame_margin=np.inf)
    low, high = np.minimum(x0, x1) - margin[:, None], np.maximum(x0, x1) + margin[:, None]
    vertex_triangle, edge_edge, vertex_plane = found(candidates)
    assert (vertex_triangle, edge_edge) == naive.box_pairs(surface, low, high, distance)
    assert vertex_plane == naive.plane_pairs(surface, low, high, distance)


@pytest.mark.parametrize("bodies", [1, 3, 40])
def test_every_number_of_threads_finds_the_same_pairs_in_the_same_order(
    bodies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    surface, x = random_soup(2, bodies=bodies, triangles=240 // bodies, whiskers=3)
    monkeypatch.setattr(team, "_team", team.Team(patient=True))
    monkeypatch.setattr(broad_phase, "WORTH_SHARING", 0)
    alone = BoxTree(surface, x).find_candidates(x, 1.1 * x, distance=0.2, margin=0.01)
    assert found(alone)[:2] == naive.box_pairs(
        surface, np.minimum(x, 1.1 * x) - 0.01, np.maximum(x, 1.1 * x) + 0.01, 0.2
    )
    for threads in (2, 3, 8):
        with team.use_threads(threads):
            together = BoxTree(surface, x).find_candidates(x, 1.1 * x, distance=0.2, margin=0.01)
        assert together.vertex_triangle.tobytes() == alone.vertex_triangle.tobytes()
        assert together.edge_edge.tobytes() == alone.edge_edge.tobytes()


def test_crowded_surface_outgrows_the_buffers_without_loss() -> None:
    surface, x = random_soup(5, bodies=2, triangles=20, spread=0.01, size=0.5)
    candidates = BoxTree(surface, x).find_candidates(x, x, distance=1.0, margin=0.0)
    assert len(candidates.edge_edge) > 16 * len(surface.triangles)
    assert found(candidates)[:2] == naive.box_pairs(surface, x, x, 1.0)


def test_tree_built_for_one_shape_serves_another() -> None:
    surface, x = random_soup(6)
    other = np.random.default_rng(1).uniform(-1.0, 1.0, x.shape)
    candidates = BoxTree(surface, x).find_candidates(other, other, distance=0.1, margin=0.0)
    assert found(candidates)[:2] == naive.box_pairs(surface, other, other, 0.1)


@pytest.mark.parametrize("bodies", [1, 2, 7, 20])
def test_every_triangle_is_one_leaf_below_its_ancestors_boxes(bodies: int) -> None:
    surface, x = random_soup(bodies, bodies=bodies, triangles=3)
    tree = BoxTree(surface, x)
    tree.find_candidates(x, x, distance=0.1, margin=0.0)
    seen = []

    def descend(node: int) -> None:
        if tree.leaf[node] >= 0:
            seen.append(int(tree.leaf[node]))
            corners = x[surface.triangles[tree.leaf[node]]] - middle_of(x, x)
            assert (tree.boxes[node, :3] <= corners.min(axis=0) - 0.05).all()
            assert (-tree.boxes[node, 4:7] >= corners.max(axis=0) + 0.05).all()
            return
        for child in (node + 1, int(tree.right[node])):
            assert (tree.boxes[node, :3] <= tree.boxes[child, :3]).all()
            assert (tree.boxes[node, 4:7] <= tree.boxes[child, 4:7]).all()
            descend(child)

    descend(0)
    assert sorted(seen) == list(range(len(surface.triangles)))


def test_single_triangle_has_no_pairs_but_planes() -> None:
    surface, x = single_bodies([(np.eye(3), TRIANGLE)], planes=(((0.0, 0.0, 1.0), 0.0),))
    candidates = BoxTree(surface, x).find_candidates(x, x, distance=0.1, margin=0.0)
    assert found(candidates) == (set(), set(), {(0, 0), (1, 0)})


def test_two_triangles_with_a_common_edge_have_no_pairs_between_neighbours() -> None:
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]])
    surface, x = single_bodies([(x, np.array([[0, 1, 2], [1, 3, 2]]))])
    vertex_triangle, edge_edge, _ = found(BoxTree(surface, x).find_candidates(x, x, distance=9.0, margin=0.0))
    assert vertex_triangle == {(0, 1), (3, 0)}
    ends = {tuple(sorted((tuple(surface.edges[e]), tuple(surface.edges[f])))) for e, f in edge_edge}
    assert ends == {((0, 1), (2, 3)), ((0, 2), (1, 3))}


def test_far_from_the_origin_no_pair_is_lost() -> None:
    surface, x = random_soup(8, spread=0.05, size=0.01)
    x = x + 1e4  # float32 has steps of a millimetre here
    candidates = BoxTree(surface, x).find_candidates(x, x, distance=1e-3, margin=0.0)
    vertex_triangle, edge_edge = naive.box_pairs(surface, x, x, 1e-3)
    assert vertex_triangle
    assert (vertex_triangle, edge_edge) == found(candidates)[:2]


def test_cover_is_true_inside_the_margin_only() -> None:
    surface, x0 = random_soup(2)
    x1 = x0 + 0.1
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=0.01, margin=0.02)
    assert candidates.cover(x0)
    assert candidates.cover(x1)
    assert candidates.cover(0.5 * (x0 + x1))
    assert candidates.cover(x1 + 0.0199)
    assert not candidates.cover(x1 + 0.0201)
    one_out = x1.copy()
    one_out[3, 1] -= 0.1201
    assert not candidates.cover(one_out)


def test_candidates_of_an_earlier_search_are_not_overwritten() -> None:
    surface, x = random_soup(3)
    tree = BoxTree(surface, x)
    first = tree.find_candidates(x, x, distance=0.2, margin=0.0)
    before = found(first)
    tree.find_candidates(5.0 * x, 5.0 * x, distance=0.2, margin=0.0)
    assert found(first) == before


def test_surface_owners_are_unique_and_complete() -> None:
    mesh = shapes.sphere(1.0, subdivisions=2)
    surface, _ = single_bodies([(mesh.vertices, mesh.triangles), (mesh.vertices + 3.0, mesh.triangles)])
    for owned, count in ((surface.owned_vertices, surface.vertex_count), (surface.owned_edges, len(surface.edges))):
        members = owned[owned >= 0]
        assert sorted(members.tolist()) == list(range(count))
        assert (np.sort(owned < 0, axis=1) == (owned < 0)).all()  # packed left
    for t, corners in enumerate(surface.triangles.tolist()):
        assert set(surface.owned_vertices[t].tolist()) <= {*corners, -1}
        for k in range(3):
            expected = sorted((corners[k], corners[(k + 1) % 3]))
            assert surface.edges[surface.triangle_edges[t, k]].tolist() == expected
        assert set(surface.owned_edges[t].tolist()) <= {*surface.triangle_edges[t].tolist(), -1}

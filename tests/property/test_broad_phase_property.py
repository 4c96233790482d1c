"""The broad phase loses no pair that comes near, for any motion within its boxes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import broad_phase as naive
from reference.soups import random_soup
from signorini.collision.broad_phase import BoxTree


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 100_000),
    bodies=st.integers(1, 4),
    whiskers=st.integers(0, 2),
    kinematic=st.integers(0, 3),
    motion=st.sampled_from([0.0, 0.01, 0.5]),
    distance=st.sampled_from([0.0, 1e-3, 0.1]),
    offset=st.sampled_from([0.0, 100.0]),
)
def test_pairs_that_come_near_on_the_way_are_candidates(
    seed: int, bodies: int, whiskers: int, kinematic: int, motion: float, distance: float, offset: float
) -> None:
    surface, x0 = random_soup(seed, bodies=bodies, triangles=3, kinematic=min(kinematic, bodies), whiskers=whiskers)
    rng = np.random.default_rng(seed)
    x0 = x0 + offset
    x1 = x0 + motion * rng.normal(size=x0.shape)
    margin = 0.02
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=distance, margin=margin)
    vertex_triangle = {tuple(p) for p in candidates.vertex_triangle.tolist()}
    edge_edge = {tuple(sorted(p)) for p in candidates.edge_edge.tolist()}
    for time in (0.4, 1.0):
        x = x0 + time * (x1 - x0) + 0.99 * margin * rng.uniform(-1.0, 1.0, x0.shape)
        near_vertex_triangle, near_edge_edge = naive.near_pairs(surface, x, distance)
        assert near_vertex_triangle <= vertex_triangle
        assert near_edge_edge <= edge_edge

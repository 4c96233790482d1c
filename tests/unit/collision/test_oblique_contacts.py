"""Edge-edge contacts that are seen from the side, against plain NumPy."""

from __future__ import annotations

import numpy as np

from reference.soups import random_soup
from signorini.collision.contact_set import EDGE_EDGE, FIRST_SHIFT, KIND_SHIFT, VERTEX_TRIANGLE
from signorini.collision.nearest_contacts_kernels import find_oblique

SINE = 0.3


def expected(surface, keys, vertices, normal, solid, x) -> list[int]:
    rows = []
    for c in range(len(keys)):
        if keys[c] >> KIND_SHIFT != EDGE_EDGE or not solid[vertices[c]].all():
            continue
        mask = (1 << FIRST_SHIFT) - 1
        seen = False
        for edge, ends, towards in (
            ((keys[c] >> FIRST_SHIFT) & mask, vertices[c, :2], -normal[c]),
            (keys[c] & mask, vertices[c, 2:], normal[c]),
        ):
            start, end = x[ends]
            along = (end - start) / np.linalg.norm(end - start)
            for third in surface.edge_opposite[edge]:
                inward = x[third] - start
                inward = inward - (inward @ along) * along
                seen |= bool(third >= 0 and inward @ towards > SINE * np.linalg.norm(inward))
        if seen:
            rows.append(c)
    return rows


def test_oblique_contacts_are_those_from_whose_edge_a_triangle_rises() -> None:
    surface, x = random_soup(7, bodies=4, triangles=12, whiskers=2)
    rng, whole = np.random.default_rng(7), surface.first_lone_edge
    e, f = rng.integers(0, whole, (2, 200))
    e[:40] = rng.integers(whole, len(surface.edges), 40)
    kinds = np.where(np.arange(200) % 10 == 0, VERTEX_TRIANGLE, EDGE_EDGE).astype(np.int64)
    keys = (kinds << KIND_SHIFT) | (e << FIRST_SHIFT) | f
    vertices = np.concatenate([surface.edges[e], surface.edges[f]], axis=1)
    normal = rng.normal(size=(200, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    solid, rows = np.ones(len(x), np.bool_), np.empty(200, np.int64)
    solid[rng.integers(0, len(x), 5)] = False
    count = find_oblique(keys, vertices, normal, solid, surface.edge_opposite, x, SINE, rows)
    true = expected(surface, keys, vertices, normal, solid, x)
    assert 5 < len(true) < 195
    np.testing.assert_array_equal(rows[:count], true)

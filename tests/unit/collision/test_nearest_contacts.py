"""Which records become contacts: counting in a hash table against sorting with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.soups import random_soup
from signorini.collision import nearest_contacts_kernels as kernels
from signorini.collision.contact_records_kernels import pack
from signorini.collision.contact_set import EDGE_EDGE, SEEN_FROM_EDGE, VERTEX_EDGE, VERTEX_TRIANGLE, VERTEX_VERTEX
from signorini.collision.detect import _Records
from signorini.collision.surface import Surface


def nearest(surface: Surface, keys: np.ndarray) -> list[int]:
    """The first rows of the keys of contacts that all who can see them have seen, by increasing key (decision 0005)."""
    rows, edges, lone = [], surface.vertex_edges, surface.vertex_lone_edges
    for key in np.unique(keys).tolist():
        kind, a, b, views = key >> 60, (key >> 30) % 2**30, key % 2**30, int((keys == key).sum())
        if kind == VERTEX_VERTEX:
            with_lone = edges[a] * edges[b] - (edges[a] - lone[a]) * (edges[b] - lone[b])
            wanted = views == surface.vertex_valence[a] + surface.vertex_valence[b] + with_lone
        elif kind == VERTEX_EDGE and b >= surface.first_lone_edge:
            wanted = views == edges[a]
        elif kind == VERTEX_EDGE:
            notes = int((keys == int(pack(SEEN_FROM_EDGE, a, b))).sum())
            wanted = views == surface.edge_valence[b] and notes == edges[a]
        else:
            wanted = kind != SEEN_FROM_EDGE
        if wanted:
            rows.append(int(np.flatnonzero(keys == key)[0]))
    return rows


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 100_000), count=st.sampled_from([0, 1, 5, 300]))
def test_rows_are_the_first_ones_of_nearest_contacts(seed: int, count: int) -> None:
    surface, x = random_soup(seed % 50, bodies=2, triangles=3, whiskers=1)
    rng = np.random.default_rng(seed)
    kinds = rng.choice([VERTEX_VERTEX, VERTEX_EDGE, VERTEX_TRIANGLE, EDGE_EDGE, SEEN_FROM_EDGE], count)
    # Few primitives, so that many keys are seen by all who can.
    first, second = rng.integers(0, 4, count), rng.integers(0, len(surface.edges), count) % rng.integers(2, len(x))
    records = _Records(count + 3)
    records.key[:count] = [int(pack(*one)) for one in zip(kinds, first, second, strict=True)]
    keys = records.key[:count]
    assert records.rows(surface, count, only_nearest=True).tolist() == nearest(surface, keys)
    np.testing.assert_array_equal(
        records.rows(surface, count, only_nearest=False), np.unique(keys, return_index=True)[1]
    )


@pytest.mark.parametrize("step", [1, 1 << 30, 1 << 32, 1 << 57])
def test_keys_of_all_bits_are_told_apart(step: int) -> None:
    keys = np.repeat(np.arange(32, dtype=np.int64) * step, 3)
    table, first, views = np.full(256, kernels.FREE_SLOT, np.int32), np.empty(96, np.int64), np.empty(96, np.int32)
    assert kernels.count_views(keys, 96, table, first, views) == 32
    np.testing.assert_array_equal(first[:32], np.arange(0, 96, 3))
    assert (views[:32] == 3).all()
    assert all(table[kernels.find_slot(table, keys, first, key)] == k for k, key in enumerate(keys[::3]))
    assert table[kernels.find_slot(table, keys, first, np.int64(-5))] == kernels.FREE_SLOT

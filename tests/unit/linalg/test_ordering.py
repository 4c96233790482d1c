"""The order of nodes for several threads: a permutation in which nothing couples two blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.linalg.block_matrix import BlockMatrix, build_pattern
from signorini.linalg.ordering import block_count, order_nodes


def blocks_of(starts: np.ndarray, n: int) -> np.ndarray:
    """The block of every place; the last number is that of the nodes between the blocks."""
    return np.searchsorted(starts[1:], np.arange(n), side="right")


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(0, 120), st.integers(0, 15), st.integers(1, 5))
def test_no_pair_and_no_contact_couples_two_blocks(seed, n, pairs, contacts, blocks):
    rng = np.random.default_rng(seed)
    A = build_pattern(n, rng.integers(0, n, size=(pairs, 2)))
    sizes = rng.integers(0, 5, size=contacts)
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    nodes = rng.integers(0, n, size=indptr[-1]).astype(np.int32)
    order, place, starts = order_nodes(A, indptr, nodes, blocks=blocks)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    np.testing.assert_array_equal(order[place], np.arange(n))
    assert starts[0] == 0 and (np.diff(starts) >= 0).all() and starts[-1] <= n
    block = blocks_of(starts, n)[place]
    rows = np.repeat(np.arange(n), np.diff(A.indptr))
    couplings = [(block[i], block[j]) for i, j in zip(rows, A.indices, strict=True)]
    for c in range(contacts):
        own = block[nodes[indptr[c] : indptr[c + 1]]]
        couplings += [(a, b) for a in own for b in own]
    assert all(a == b or blocks in (a, b) for a, b in couplings)


def grid_pairs(side: int) -> np.ndarray:
    """Neighbours in a grid of triangles."""
    index = np.arange(side * side).reshape(side, side)
    steps = ((1, 0), (0, 1), (1, 1))
    return np.concatenate(
        [np.column_stack([index[a:, b:].ravel(), index[: side - a, : side - b].ravel()]) for a, b in steps]
    )


@pytest.mark.parametrize(("side", "blocks", "part"), [(50, 2, 0.04), (50, 4, 0.10), (100, 8, 0.10)])
def test_few_nodes_of_a_grid_lie_between_the_blocks(side, blocks, part):
    _, _, starts = order_nodes(build_pattern(side * side, grid_pairs(side)), blocks=blocks)
    assert side * side - starts[-1] <= part * side * side
    assert np.diff(starts).min() > 0.85 * np.diff(starts).mean()  # and the blocks are of about equal size


def test_blocks_have_equal_work_where_contacts_are():
    """Nodes with many contacts take longer: their block has fewer of them."""
    side = 50
    busy = np.arange(side * side // 4, dtype=np.int32)
    contacts = np.repeat(busy, 12)
    indptr = np.arange(len(contacts) + 1, dtype=np.int32)
    order, _, starts = order_nodes(build_pattern(side * side, grid_pairs(side)), indptr, contacts, blocks=2)
    work = 7 + 2 * 12 * np.isin(order, busy)
    first, second = work[: starts[1]].sum(), work[starts[1] : starts[2]].sum()
    assert 0.85 < first / second < 1.15
    assert not 0.8 < starts[1] / (starts[2] - starts[1]) < 1.25


def neighbours_before(A: BlockMatrix, order: np.ndarray, place: np.ndarray) -> float:
    """Part of the rows that are coupled to one of the three before them."""
    near = [(place[A.indices[A.indptr[i] : A.indptr[i + 1]]] - place[i]) for i in order]
    return float(np.mean([((d < 0) & (d > -4)).any() for d in near]))


def test_coupled_nodes_of_a_large_matrix_are_kept_apart():
    large, small = build_pattern(2500, grid_pairs(50)), build_pattern(900, grid_pairs(30))
    assert neighbours_before(large, *order_nodes(large, blocks=2)[:2]) < 0.05
    assert neighbours_before(small, *order_nodes(small, blocks=2)[:2]) > 0.2  # small ones stay as they are


def test_bodies_are_not_cut_where_that_is_not_needed():
    pairs = np.concatenate([np.column_stack([np.arange(99), np.arange(1, 100)]) + 100 * body for body in range(8)])
    _, _, starts = order_nodes(build_pattern(800, pairs), blocks=4)
    np.testing.assert_array_equal(starts, [0, 200, 400, 600, 800])


def test_the_number_of_blocks_grows_with_the_matrix():
    counts = [block_count(n) for n in (1, 500, 1000, 5000, 20_000, 10**6)]
    assert counts == sorted(counts) and counts[0] == 1 and counts[-1] == 16

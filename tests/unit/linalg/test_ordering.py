"""The order of nodes for several threads: a permutation in which nothing couples two blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signorini.linalg.block_matrix import build_pattern
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


@pytest.mark.parametrize(("side", "blocks", "part"), [(50, 2, 0.04), (50, 4, 0.10), (100, 8, 0.10)])
def test_few_nodes_of_a_grid_lie_between_the_blocks(side, blocks, part):
    index = np.arange(side * side).reshape(side, side)
    pairs = np.concatenate(
        [
            np.column_stack([index[a:, b:].ravel(), index[: side - a, : side - b].ravel()])
            for a, b in ((1, 0), (0, 1), (1, 1))
        ]
    )
    _, _, starts = order_nodes(build_pattern(side * side, pairs), blocks=blocks)
    assert side * side - starts[-1] <= part * side * side
    assert np.diff(starts).min() > 0.6 * side * side / blocks  # and the blocks are of about equal size


def test_bodies_are_not_cut_where_that_is_not_needed():
    pairs = np.concatenate([np.column_stack([np.arange(99), np.arange(1, 100)]) + 100 * body for body in range(8)])
    _, _, starts = order_nodes(build_pattern(800, pairs), blocks=4)
    np.testing.assert_array_equal(starts, [0, 200, 400, 600, 800])


def test_the_number_of_blocks_grows_with_the_matrix():
    counts = [block_count(n) for n in (1, 500, 1000, 5000, 20_000, 10**6)]
    assert counts == sorted(counts) and counts[0] == 1 and counts[-1] == 16

"""Kernels that assemble the matrix K = A + G' H G of a Newton step: its diagonal blocks D and strictly lower triangle L.

Many contacts couple the same few nodes, so that one product with the assembled matrix is several times cheaper than one
with A and G apart. The pattern covers the contacts that have been active so far and is renewed when others join them. Only what
changes from one Newton step to the next is added; K is assembled from nothing when the penalties are others, so that rounding
errors of large ones do not outlive them.
"""

from __future__ import annotations

from signorini.compiled import kernel
from signorini.linalg.vector4_kernels import first_three, load, plus_product, spread, store
from signorini.solvers.newton.rows_kernels import listed_of


@kernel
def cover_active(matrix, group):
    """Mark the active contacts of a group as covered; whether one of them was not."""
    missing = False
    for c in listed_of(matrix, group):
        if matrix.active[c] > matrix.covered[c]:
            matrix.covered[c] = 1
            missing = True
    return missing


@kernel
def cover_near(u, reach, covered):
    """Mark also the contacts with a normal velocity of at most `reach` [m/s]: the next steps may close them."""
    for c in range(len(covered)):
        if u[c, 0] <= reach:
            covered[c] = 1


@kernel
def build_pattern(problem, matrix):
    """The pattern of L in matrix.L_indptr, L_indices (columns unsorted) for the contacts that are `covered`.

    Rows and columns are places in the order of the matrix. L_A gets the blocks of A below the diagonal in this pattern,
    pair_entry for every pair of nodes of a covered contact its place in L, -1 for a pair of equal nodes.
    """
    A_indptr, A_indices, indptr, nodes = problem.A_indptr, problem.A_indices, problem.indptr, problem.nodes
    order, place = matrix.ordering.order, matrix.ordering.place
    covered, pair_indptr, pair_entry = matrix.covered, matrix.pair_indptr, matrix.pair_entry
    row_start, row_columns, row_source, seen = matrix.row_start, matrix.row_columns, matrix.row_source, matrix.seen
    L_indptr, L_indices, L_A = matrix.split.L_indptr, matrix.split.L_indices, matrix.L_A
    n, A_flat = len(A_indptr) - 1, problem.A_data.reshape(-1)
    for i in range(n + 1):
        row_start[i] = 0
    for c in range(len(covered)):
        if covered[c]:
            for a in range(indptr[c], indptr[c + 1]):
                for b in range(indptr[c], a):
                    row_start[max(place[nodes[a]], place[nodes[b]]) + 1] += 1
    for i in range(n):
        row_start[i + 1] += row_start[i]
    for c in range(len(covered)):
        if covered[c]:
            pair = pair_indptr[c]
            for a in range(indptr[c], indptr[c + 1]):
                for b in range(indptr[c], a):
                    i, j = place[nodes[a]], place[nodes[b]]
                    i, j = max(i, j), min(i, j)
                    at = row_start[i]
                    row_start[i] += 1
                    row_columns[at], row_source[at] = j, pair
                    pair += 1
    # Filling moved every start to the next one: row i is now row_start[i - 1] to row_start[i].
    end = 0
    begin = 0
    for i in range(n):
        seen[i] = -1
    for i in range(n):
        L_indptr[i] = end
        first = end
        for k in range(A_indptr[order[i]], A_indptr[order[i] + 1]):
            j = place[A_indices[k]]
            if j < i:
                seen[j] = end
                L_indices[end] = j
                for a in range(9):
                    L_A[9 * end + a] = A_flat[9 * k + a]
                end += 1
        for k in range(begin, row_start[i]):
            j = row_columns[k]
            if j == i:
                pair_entry[row_source[k]] = -1
                continue
            if seen[j] < first:
                seen[j] = end
                L_indices[end] = j
                for a in range(9):
                    L_A[9 * end + a] = 0.0
                end += 1
            pair_entry[row_source[k]] = seen[j]
        begin = row_start[i]
    L_indptr[n] = end
    matrix.fresh[0] = 1


@kernel
def copy_rows_of_A(matrix, begin, end):
    """Some rows of K become those of A."""
    split = matrix.split
    copy_numbers(matrix.D_A, 9 * begin, 9 * end, split.D)
    copy_numbers(matrix.L_A, 9 * split.L_indptr[begin], 9 * split.L_indptr[end], split.L)


@kernel
def renew_group(problem, matrix, group):
    """Bring K up to date with the contacts of a group: K += G' (H - what K contains) G where that differs."""
    change, assembled = matrix.change[group], matrix.assembled
    for c in listed_of(matrix, group):
        if matrix.fresh[0]:
            for a in range(3):
                for b in range(3):
                    assembled[c, a, b] = 0.0
        if not matrix.active[c] and assembled[c, 0, 0] == 0.0:
            continue
        largest = 0.0
        for a in range(3):
            for b in range(3):
                change[a, b] = (matrix.H[c, a, b] if matrix.active[c] else 0.0) - assembled[c, a, b]
                largest = max(largest, abs(change[a, b]))
        if largest > 0.0:  # a contact that sticks, or slides without friction, stays as it is
            for a in range(3):
                for b in range(3):
                    assembled[c, a, b] = matrix.H[c, a, b] if matrix.active[c] else 0.0
            add_contact(problem, matrix, c, change, matrix.HB[group])


@kernel
def add_contact(problem, matrix, c, H, HB):
    """K += G_c' H G_c; HB is work space."""
    blocks, places, D, L = matrix.blocks, matrix.places, matrix.split.D, matrix.split.L
    begin, pair = problem.indptr[c], matrix.pair_indptr[c]
    for k in range(begin, problem.indptr[c + 1]):
        i = places[k]
        times_rows(H, blocks, k, HB, k - begin)
        add_product(blocks, k, HB, k - begin, D, i)
        for other in range(begin, k):
            j = places[other]
            entry = matrix.pair_entry[pair]
            pair += 1
            if j < i:  # block (i, j) = B_i' H B_j
                add_product(blocks, k, HB, other - begin, L, entry)
            elif j > i:
                add_product(blocks, other, HB, k - begin, L, entry)
            else:
                add_product(blocks, k, HB, other - begin, D, i)
                add_product(blocks, other, HB, k - begin, D, i)


@kernel
def times_rows(H, blocks, k, HB, at):
    """Block `at` of HB, with rows of four = H times block k."""
    b0, b1, b2 = load(blocks, 9 * k), load(blocks, 9 * k + 3), load(blocks, 9 * k + 6)
    for a in range(3):
        row = plus_product(spread(0.0), spread(H[a, 0]), b0)
        row = plus_product(plus_product(row, spread(H[a, 1]), b1), spread(H[a, 2]), b2)
        store(HB, 12 * at + 4 * a, first_three(row))


@kernel
def add_product(blocks, k, HB, at, K, entry):
    """Block `entry` of K += B' h for block k of B and block `at` of HB; what follows each row gets nothing added."""
    h0, h1, h2 = load(HB, 12 * at), load(HB, 12 * at + 4), load(HB, 12 * at + 8)
    for a in range(3):
        row = plus_product(load(K, 9 * entry + 3 * a), spread(blocks[9 * k + a]), h0)
        row = plus_product(row, spread(blocks[9 * k + 3 + a]), h1)
        store(K, 9 * entry + 3 * a, plus_product(row, spread(blocks[9 * k + 6 + a]), h2))


@kernel
def copy_numbers(source, begin, end, target):
    """The numbers from `begin` to `end`."""
    for i in range(begin, end):
        target[i] = source[i]

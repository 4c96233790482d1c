"""Kernels that assemble the matrix K = A + G' H G of a Newton step: its diagonal blocks D and strictly lower triangle L.

Many contacts couple the same few nodes, so that one product with the assembled matrix is several times cheaper than one
with A and G apart. The pattern covers the contacts that have been active so far and is renewed when others join them.
"""

from __future__ import annotations

from signorini.compiled import inlined_kernel, kernel


@kernel
def cover_active(active, count, covered):
    """Mark the active contacts as covered; whether one of them was not."""
    missing = False
    for n in range(count):
        if covered[active[n]] == 0:
            covered[active[n]] = 1
            missing = True
    return missing


@kernel
def build_pattern(problem, matrix):
    """The pattern of L in matrix.L_indptr, L_indices (columns unsorted) for the contacts that are `covered`.

    L_A gets the blocks of A below the diagonal in this pattern, pair_entry for every pair of nodes of a covered contact its
    place in L, -1 for a pair of equal nodes.
    """
    A_indptr, A_indices, indptr, nodes = problem.A_indptr, problem.A_indices, problem.indptr, problem.nodes
    covered, pair_indptr, pair_entry = matrix.covered, matrix.pair_indptr, matrix.pair_entry
    row_start, row_columns, row_source, seen = matrix.row_start, matrix.row_columns, matrix.row_source, matrix.seen
    L_indptr, L_indices, L_A = matrix.L_indptr, matrix.L_indices, matrix.L_A
    n = len(A_indptr) - 1
    for i in range(n + 1):
        row_start[i] = 0
    for c in range(len(covered)):
        if covered[c]:
            for a in range(indptr[c], indptr[c + 1]):
                for b in range(indptr[c], a):
                    row_start[max(nodes[a], nodes[b]) + 1] += 1
    for i in range(n):
        row_start[i + 1] += row_start[i]
    for c in range(len(covered)):
        if covered[c]:
            pair = pair_indptr[c]
            for a in range(indptr[c], indptr[c + 1]):
                for b in range(indptr[c], a):
                    i, j = max(nodes[a], nodes[b]), min(nodes[a], nodes[b])
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
        for k in range(A_indptr[i], A_indptr[i + 1]):
            j = A_indices[k]
            if j < i:
                seen[j] = end
                L_indices[end] = j
                for a in range(3):
                    for b in range(3):
                        L_A[end, a, b] = problem.A_data[k, a, b]
                end += 1
        for k in range(begin, row_start[i]):
            j = row_columns[k]
            if j == i:
                pair_entry[row_source[k]] = -1
                continue
            if seen[j] < first:
                seen[j] = end
                L_indices[end] = j
                for a in range(3):
                    for b in range(3):
                        L_A[end, a, b] = 0.0
                end += 1
            pair_entry[row_source[k]] = seen[j]
        begin = row_start[i]
    L_indptr[n] = end


@kernel
def assemble(problem, matrix, active, count, H):
    """D and L of A + G' H G over the active contacts."""
    indptr, nodes, blocks = problem.indptr, problem.nodes, problem.blocks
    pair_indptr, pair_entry, D, L, HB = matrix.pair_indptr, matrix.pair_entry, matrix.D, matrix.L, matrix.HB
    copy_blocks(problem.D, len(D), D)
    copy_blocks(matrix.L_A, matrix.L_indptr[len(D)], L)
    for s in range(count):
        c = active[s]
        begin = indptr[c]
        pair = pair_indptr[c]
        for k in range(begin, indptr[c + 1]):
            i = nodes[k]
            h = HB[k - begin]
            for a in range(3):
                for b in range(3):
                    h[a, b] = H[s, a, 0] * blocks[k, 0, b] + H[s, a, 1] * blocks[k, 1, b] + H[s, a, 2] * blocks[k, 2, b]
            add_product(blocks[k], h, D[i])
            for other in range(begin, k):
                j = nodes[other]
                entry = pair_entry[pair]
                pair += 1
                if j < i:  # block (i, j) = B_i' H B_j
                    add_product(blocks[k], HB[other - begin], L[entry])
                elif j > i:
                    add_product(blocks[other], h, L[entry])
                else:
                    add_product(blocks[k], HB[other - begin], D[i])
                    add_product(blocks[other], h, D[i])


@kernel
def copy_blocks(source, count, target):
    """The first `count` blocks, as one flat run that compiles to vector instructions."""
    a, b = source.reshape(-1), target.reshape(-1)
    for i in range(9 * count):
        b[i] = a[i]


@inlined_kernel
def add_product(B, h, K):
    """K += B' h for 3x3 blocks."""
    for a in range(3):
        for b in range(3):
            K[a, b] += B[0, a] * h[0, b] + B[1, a] * h[1, b] + B[2, a] * h[2, b]

"""Kernels that order the nodes of a sparse matrix: blocks that are not coupled to each other first, then what separates them."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

SLACK = 8
"""A cut may move by the length of a block over this number, to where it crosses fewer couplings."""
CONTACT = 2
"""Work for a node in a contact, beside that for a coupling of the matrix."""
SEPARATOR = 2.0
"""Cost of a node between blocks, beside that of one by which a block is longer: all of its couplings are below the diagonal, and
one thread reads from the cache of another for it."""
APART, AHEAD = 4, 32
"""Rows from a node to the next one coupled to it, if one of the next AHEAD nodes makes that possible: a processor works on
several rows at once as long as none waits for the one before. On a cloth an iteration of conjugate gradients takes 0.87 of the
time; with 2 and 16, or 8 and 64, it is 0.89."""

FEW = 1000
"""Nodes up to which the order stays as it is: there one problem, 80 kg of boxes on a sheet, took four times the iterations."""


@kernel
def spread_from(root, graph, seen, contact_seen, order, end):
    """Nodes that hang together with `root`, nearest first, in `order` from `end` on; returns the new end."""
    indptr, indices, contact_indptr, contact_nodes, node_indptr, node_contacts = graph
    first = end
    order[end] = root
    seen[root] = 1
    end += 1
    while first < end:
        i = order[first]
        first += 1
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if not seen[j]:
                seen[j] = 1
                order[end] = j
                end += 1
        for s in range(node_indptr[i], node_indptr[i + 1]):
            c = node_contacts[s]
            if contact_seen[c]:
                continue
            contact_seen[c] = 1
            for k in range(contact_indptr[c], contact_indptr[c + 1]):
                j = contact_nodes[k]
                if not seen[j]:
                    seen[j] = 1
                    order[end] = j
                    end += 1
    return end


@kernel
def breadth_first(graph, order):
    """All nodes by their distance from the rim of what they hang together with."""
    node_indptr, node_contacts = graph[4], graph[5]
    n = len(order)
    seen, contact_seen = np.zeros(n, np.uint8), np.zeros(len(graph[2]) - 1, np.uint8)
    end = 0
    for root in range(n):
        if seen[root]:
            continue
        first = end
        end = spread_from(root, graph, seen, contact_seen, order, end)
        if end - first > 2:  # the node that is farthest from any is on the rim
            last = order[end - 1]
            for at in range(first, end):
                i = order[at]
                seen[i] = 0
                for s in range(node_indptr[i], node_indptr[i + 1]):
                    contact_seen[node_contacts[s]] = 0
            end = spread_from(last, graph, seen, contact_seen, order, first)


@kernel
def contacts_of_nodes(contact_indptr, contact_nodes, node_indptr, node_contacts):
    """The contacts of every node, from the nodes of every contact."""
    n = len(node_indptr) - 1
    for i in range(n + 1):
        node_indptr[i] = 0
    for k in range(len(contact_nodes)):
        node_indptr[contact_nodes[k] + 1] += 1
    for i in range(n):
        node_indptr[i + 1] += node_indptr[i]
    at = node_indptr.copy()
    for c in range(len(contact_indptr) - 1):
        for k in range(contact_indptr[c], contact_indptr[c + 1]):
            i = contact_nodes[k]
            node_contacts[at[i]] = c
            at[i] += 1


@kernel
def farthest_neighbours(graph, order, place, farthest):
    """The last place in the order that each place is coupled to."""
    indptr, indices, contact_indptr, contact_nodes, node_indptr, node_contacts = graph
    last = np.zeros(len(contact_indptr) - 1, np.int32)
    for c in range(len(last)):
        for k in range(contact_indptr[c], contact_indptr[c + 1]):
            last[c] = max(last[c], place[contact_nodes[k]])
    for at in range(len(order)):
        i = order[at]
        far = at
        for k in range(indptr[i], indptr[i + 1]):
            far = max(far, place[indices[k]])
        for s in range(node_indptr[i], node_indptr[i + 1]):
            far = max(far, last[node_contacts[s]])
        farthest[at] = far


@kernel
def work_so_far(graph, order, work):
    """Couplings of the matrix and nodes of contacts of all nodes before each place: about the time that they take."""
    indptr, node_indptr = graph[0], graph[4]
    total = 0
    for at in range(len(order)):
        i = order[at]
        work[at] = total
        total += indptr[i + 1] - indptr[i] + CONTACT * (node_indptr[i + 1] - node_indptr[i])
    work[len(order)] = total


@kernel
def choose_cuts(farthest, work, cuts):
    """Where blocks of about equal work end: near the equal parts, where few nodes are coupled to a later one.

    The thread with the largest block is waited for by the others, and the nodes between the blocks are the work of one: a cut is
    the better, the less of both there is.
    """
    n, blocks = len(farthest), len(cuts) - 1
    crossing = np.zeros(n + 2, np.int32)
    for at in range(n):  # couplings from `at` cross all cuts in at + 1 ... farthest
        crossing[at + 1] += 1
        crossing[farthest[at] + 1] -= 1
    for at in range(n + 1):
        crossing[at + 1] += crossing[at]
    cuts[0], cuts[blocks] = 0, n
    mean, slack, at = work[n] / max(n, 1), n // (SLACK * blocks), 0
    for b in range(1, blocks):
        goal = b * work[n] / blocks
        while work[at] < goal:
            at += 1
        cuts[b], least = at, np.inf
        for other in range(max(at - slack, 0), min(at + slack, n) + 1):
            cost = abs(work[other] - goal) / mean + SEPARATOR * crossing[other]
            if cost < least:
                cuts[b], least = other, cost


@kernel
def order_nodes(graph, cuts, order, place):
    """Fill `order`, the nodes by place, and `place`, its inverse; cuts (blocks + 1,) become the starts of the blocks.

    A node that is coupled to one of a later block goes to the end: what is left of two blocks is not coupled then. The last cut
    is where these begin.
    """
    n, blocks = len(order), len(cuts) - 1
    breadth = np.empty(n, np.int32)
    breadth_first(graph, breadth)
    for at in range(n):
        place[breadth[at]] = at
    farthest = np.empty(n, np.int32)
    farthest_neighbours(graph, breadth, place, farthest)
    work = np.empty(n + 1, np.int64)
    work_so_far(graph, breadth, work)
    choose_cuts(farthest, work, cuts)
    end, block, separators = 0, 0, 0
    waiting = np.empty(n, np.int32)
    for at in range(n):
        while at == cuts[block + 1]:
            block += 1
            cuts[block] = end
        if farthest[at] >= cuts[block + 1]:
            waiting[separators] = breadth[at]
            separators += 1
        else:
            order[end] = breadth[at]
            end += 1
    for b in range(block + 1, blocks + 1):
        cuts[b] = end
    for s in range(separators):
        order[end + s] = waiting[s]
    for b in range(blocks + 1 if n > FEW else 0):
        keep_apart(graph, order[cuts[b] : cuts[b + 1] if b < blocks else n], place)
    for at in range(n):
        place[order[at]] = at


@kernel
def keep_apart(graph, order, touched):
    """Reorder nodes a little, so that a node is not coupled by the matrix to the few before it; touched (n,) is work space.

    The next node is the first of those ahead that is far enough from its last neighbour, or else the one that is farthest.
    """
    indptr, indices = graph[0], graph[1]
    for i in order:
        touched[i] = -APART
    ahead = np.empty(min(AHEAD, len(order)), np.int32)
    count, end = 0, 0
    for at in range(len(order)):
        while count < len(ahead) and end < len(order):
            ahead[count] = order[end]
            count, end = count + 1, end + 1
        chosen, farthest = 0, -1
        for s in range(count):
            away = at - touched[ahead[s]]
            if away > farthest:
                chosen, farthest = s, away
            if away > APART:
                break
        i = ahead[chosen]
        for s in range(chosen, count - 1):
            ahead[s] = ahead[s + 1]
        count -= 1
        order[at] = i
        for k in range(indptr[i], indptr[i + 1]):
            touched[indices[k]] = at


@kernel
def split_pattern(indptr, indices, order, place, L_indptr, L_indices, L_source, D_source):
    """The strictly lower triangle in that order: its columns, and where its blocks and the diagonal ones are in the matrix."""
    end = 0
    for at in range(len(order)):
        i = order[at]
        L_indptr[at] = end
        for k in range(indptr[i], indptr[i + 1]):
            other = place[indices[k]]
            if other < at:
                L_indices[end], L_source[end] = other, k
                end += 1
            elif other == at:
                D_source[at] = k
    L_indptr[len(order)] = end


@kernel
def gather_blocks(data, source, blocks):
    """blocks[9 e : 9 e + 9] = data[source[e]]."""
    flat = data.reshape(-1)
    for e in range(len(source)):
        k = 9 * source[e]
        for a in range(9):
            blocks[9 * e + a] = flat[k + a]


@kernel
def gather_rows(x, order, y):
    """y (4n,) = x (n, 3) in another order."""
    for at in range(len(order)):
        i = order[at]
        y[4 * at], y[4 * at + 1], y[4 * at + 2] = x[i, 0], x[i, 1], x[i, 2]


@kernel
def scatter_rows(y, order, x):
    """x (n, 3) = y (4n,) back in the order of the nodes."""
    for at in range(len(order)):
        i = order[at]
        x[i, 0], x[i, 1], x[i, 2] = y[4 * at], y[4 * at + 1], y[4 * at + 2]

"""Rigid impact zones as groups of nodes.

Implements: Bridson2002 §7.5, the grouping of colliding pairs by the nodes that they share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.collision.contact_set import KIND_SHIFT, VERTEX_PLANE, ContactSet
from signorini.model.model import Model


@dataclass(frozen=True, slots=True)
class Zones:
    """Disjoint sets of nodes that move as one."""

    label: NDArray[np.int32]
    """(n,) the zone of each node, -1 for those in none; zones are numbered by their first node."""
    count: int
    at_rest: NDArray[np.bool_]
    """(zones,) whether a half-space takes part."""
    anchors: NDArray[np.int32]
    """(a, 2) zone and what it touches that is scripted: a pinned node i as i, a kinematic vertex j as n + j."""

    def equals(self, other: Zones) -> bool:
        """Whether both are the same, with the same anchors."""
        return (
            np.array_equal(self.label, other.label)
            and np.array_equal(self.at_rest, other.at_rest)
            and np.array_equal(self.anchors, other.anchors)
        )


def build_zones(model: Model, contacts: ContactSet, pinned: NDArray[np.int32]) -> Zones:
    """The zones that contacts make: two nodes are in the same zone if a chain of contacts connects them.

    What is scripted does not connect: two sheets on the same table are two zones.
    """
    n, m = model.node_count, len(contacts)
    contact, node = _participants(model, contacts)
    fixed = np.isin(node, pinned)
    # A graph of contacts and nodes; a contact with a rigid body has both nodes of it.
    rows, columns = n + contact[~fixed], node[~fixed]
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(n + m, n + m))
    _, component = connected_components(graph, directed=False)
    # Numbered by their first node; a component without a contact, or without a node, is no zone.
    touched, first_node = np.unique(component[:n], return_index=True)
    in_contact = np.isin(touched, component[n:])
    touched = touched[in_contact][np.argsort(first_node[in_contact])]
    number = np.full(n + m, -1, np.int32)
    number[touched] = np.arange(len(touched))
    label = number[component]
    zone_of_contact = label[n:]
    at_rest = np.zeros(len(touched), dtype=np.bool_)
    plane = ((contacts.key >> KIND_SHIFT) == VERTEX_PLANE) & (zone_of_contact >= 0)
    at_rest[zone_of_contact[plane]] = True
    k, corner = np.nonzero(contacts.vertices >= model.kinematic_first)
    anchors = np.concatenate(
        [
            np.column_stack([zone_of_contact[contact[fixed]], node[fixed]]),
            np.column_stack([zone_of_contact[k], n + contacts.vertices[k, corner]]),
        ]
    ).astype(np.int32)
    return Zones(label[:n], len(touched), at_rest, np.unique(anchors[anchors[:, 0] >= 0], axis=0))


def _participants(model: Model, contacts: ContactSet) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Every pair of a contact and a node that moves one of its vertices: (k,) contacts and (k,) nodes."""
    contact, corner = np.nonzero((contacts.vertices >= 0) & (contacts.weights != 0.0))
    vertex = contacts.vertices[contact, corner]
    first = model.surface_map.indptr[vertex]
    counts = model.surface_map.indptr[vertex + 1] - first
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(contact, counts), model.surface_map.nodes[np.repeat(first, counts) + within]

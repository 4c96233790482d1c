"""Attachments of nodes to rigid and scripted bodies, in the numbering of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from signorini.collision.surface import PRESCRIBED
from signorini.errors import InputError
from signorini.model.contribution import AttachmentLike, Contribution, Pinned, Script
from signorini.model.followers import Follower
from signorini.model.model import AttachmentSlot, BodySlot
from signorini.model.rigid_attachments import RigidAttachments
from signorini.model.rigid_bodies import RigidBodies, turned_vectors
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Slots = Mapping[str, BodySlot]
Parts = Mapping[str, Contribution]
Attachments = Sequence[AttachmentLike]


def attach_to_rigids(
    given: Attachments, parts: Parts, slots: Slots, rigids: RigidBodies, q: Floats, rotations: Floats
) -> RigidAttachments:
    """The nodes that rigid bodies carry, where they are at the start q (n, 3)."""
    nodes, rotor = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for attachment in given:
        if slots[attachment.to].rigid >= 0:
            _check_not_pinned(parts, attachment)
            nodes.append(slots[attachment.body].first_node + attachment.vertices)
            rotor.append(np.full(len(attachment.vertices), slots[attachment.to].rigid, np.int32))
    node, body = np.concatenate(nodes).astype(np.int32), np.concatenate(rotor)
    linear = rigids.nodes[body]
    inverse = rotations[body] * np.array([-1.0, -1.0, -1.0, 1.0])
    return RigidAttachments(node, body, linear, turned_vectors(inverse, q[node] - q[linear]))


def carried_nodes(given: Attachments, slots: Slots) -> Ints:
    """The nodes that scripted bodies carry."""
    carried = [slots[a.body].first_node + a.vertices for a in given if slots[a.to].rigid < 0]
    return np.concatenate([*carried, np.zeros(0)]).astype(np.int32)


def carried_pins(given: Attachments, parts: Parts, slots: Slots, q: Floats, scripts: Sequence[Script]) -> list[Pinned]:
    """Attachments to scripted bodies as pins that follow the body's surface."""
    pins = []
    for attachment in given:
        target = parts[attachment.to]
        if target.script is not None:
            _check_not_pinned(parts, attachment)
            nodes = slots[attachment.body].first_node + attachment.vertices
            script = next(one for one in scripts if one.body == target.name)
            follower = Follower(q[nodes], target.triangles, script.positions, script)
            pins.append(Pinned(nodes, q[nodes], follower, float("inf"), attachment.body))
    return pins


def attachment_slots(given: Attachments, slots: Slots) -> list[AttachmentSlot]:
    """The attached nodes of each pair of bodies, for the read-out of forces."""
    return [
        AttachmentSlot(slots[a.body].number, slots[a.to].number, slots[a.body].first_node + a.vertices) for a in given
    ]


def attached_groups(group: Ints, surface_map: SurfaceMap, attachments: RigidAttachments, carried: Ints) -> Ints:
    """The groups of the surface vertices, with those that are attached in the group of the body that carries them.

    A vertex of an embedded surface is attached when all of its nodes are.
    """
    if not len(attachments) and not len(carried):
        return group
    of_node = np.full(int(surface_map.nodes.max(initial=-1)) + 1, -1, np.int32)
    for nodes, number in ((attachments.nodes, attachments.rotor + 1), (carried, np.full(len(carried), PRESCRIBED))):
        seen = nodes < len(of_node)
        of_node[nodes[seen]] = number[seen]
    group = group.copy()
    for i in range(surface_map.vertex_count):
        found = of_node[surface_map.nodes[surface_map.indptr[i] : surface_map.indptr[i + 1]]]
        if len(found) and found[0] >= 0 and (found == found[0]).all():
            group[i] = found[0]
    return group


def _check_not_pinned(parts: Parts, attachment: AttachmentLike) -> None:
    body = parts[attachment.body]
    for pin in body.pins:
        both = np.intersect1d(pin.nodes, attachment.vertices)
        if len(both):
            raise InputError(
                f"vertex {int(both[0])} of {body.name!r} is pinned and attached to {attachment.to!r}: choose one of them"
            )

"""Checks before the first step: a start without intersection, and no body inside another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.intersections import Intersections, find_intersections
from signorini.errors import InputError
from signorini.geometry.inside import InsideTest
from signorini.geometry.mass_properties import encloses_volume, surface_parts
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.methods.method import find_method
from signorini.methods.moment import Moment, World
from signorini.model.model import BodySlot

TOUCHING = 1e-6
"""Pairs closer than this part of the contact distance have no reliable normal."""
SHOWN = 3
"""How many intersecting pairs a message names."""


def check_start(world: World, moment: Moment) -> Moment:
    """The moment itself, or an `InputError` that names the first pairs that intersect or touch."""
    if moment.state.time > 0.0 and not find_method(world.settings.method).certifies:
        return moment  # a checkpoint of bodies in contact: they touch, and may legally penetrate a little
    found = find_intersections(world.tree, moment.surface_positions)
    if len(found):
        raise InputError(_describe(world, found))
    _check_nested(world, moment.surface_positions)
    if moment.near.min_distance <= TOUCHING * world.contact_distance:
        contacts = moment.near.contacts
        who = "two parts of the scene"
        if len(contacts):
            a, b = (world.model.body_names[body] for body in contacts.bodies[int(np.argmin(contacts.distance))])
            who = f"{a!r} and {b!r}" if a != b else f"two parts of {a!r}"
        raise InputError(
            f"{who} touch at the start (distance {moment.near.min_distance:.2g} m): move them apart, best by the contact "
            f"distance ({world.contact_distance:.3g} m)"
        )
    return moment


def _check_nested(world: World, x: NDArray[np.float64]) -> None:
    """Raise an `InputError` when a body is wholly inside a solid or rigid one: their surfaces do not cross, but they overlap."""
    slots = list(world.model.bodies.values())
    low = np.array([x[s.vertices].min(axis=0) for s in slots])
    high = np.array([x[s.vertices].max(axis=0) for s in slots])
    for k, outer in enumerate(slots):
        if not outer.thick or outer.scripted:
            continue
        near = np.flatnonzero(((low <= high[k]) & (high >= low[k])).all(axis=1))
        others = [slots[i] for i in near if i != k]
        mesh = TriangleMesh(x[outer.vertices], outer.triangles)
        if not others or not encloses_volume(mesh):
            continue
        inside = InsideTest(mesh)
        for inner in others:
            if inside.contains(x[inner.vertices][_one_of_each_part(inner, x)]).any():
                raise InputError(
                    f"{inner.name!r} starts inside {outer.name!r}, which is solid: move one of them, or make {outer.name!r} "
                    "a kinematic body if it is a hollow container"
                )


def _one_of_each_part(slot: BodySlot, x: NDArray[np.float64]) -> NDArray[np.integer]:
    """A vertex of each connected part of a body, counted within the body."""
    if not len(slot.triangles):
        return slot.edges[:1, 0]
    part = surface_parts(TriangleMesh(x[slot.vertices], slot.triangles))
    return slot.triangles[np.unique(part, return_index=True)[1], 0]


def _describe(world: World, found: Intersections) -> str:
    model = world.model
    names, surface = model.body_names, model.surface
    first = {slot.number: slot.first for slot in model.bodies.values()}
    if len(found.vertex_plane):
        v, plane = found.vertex_plane[0].tolist()
        body = int(surface.vertex_body[v])
        return (
            f"{len(found.vertex_plane)} vertices start on or below {names[surface.plane_body[plane]]!r}, the first is vertex "
            f"{v - first[body]} of {names[body]!r}: move the body up, by at least the contact distance "
            f"({world.contact_distance:.3g} m)"
        )
    shown = []
    for edge, triangle in found.edge_triangle[:SHOWN].tolist():
        a, b = surface.edges[edge].tolist()
        body_a, body_b = int(surface.vertex_body[a]), int(surface.vertex_body[surface.triangles[triangle, 0]])
        corners = tuple(int(i) - first[body_b] for i in surface.triangles[triangle])
        shown.append(
            f"edge {a - first[body_a]}-{b - first[body_a]} of {names[body_a]!r} through triangle {corners} of "
            f"{names[body_b]!r}"
        )
    more = "" if len(found) <= SHOWN else ", ..."
    return (
        f"the scene intersects at the start in {len(found.edge_triangle)} places ({'; '.join(shown)}{more}): move the bodies "
        "apart or repair the mesh"
    )

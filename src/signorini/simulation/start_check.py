"""Checks before the first step: a contact distance that fits the meshes, and a start without intersection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.intersections import Intersections, find_intersections
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import side_lengths
from signorini.methods.method import find_method
from signorini.methods.moment import Moment, World
from signorini.model.model import BodySlot, Model
from signorini.settings import Settings
from signorini.simulation.nesting import Nesting

TOUCHING = 1e-6
"""Pairs closer than this part of the contact distance have no reliable normal."""
THICKNESS = 0.02
"""The contact distance is at most this part of the least extent of a solid or rigid body."""
SHOWN = 3
"""How many intersecting pairs a message names."""


def choose_contact_distance(model: Model, settings: Settings) -> float:
    """The user's contact distance if it fits the bodies, or one that does.

    Two vertices of a cloth or solid that are not neighbours must be farther apart than the detection distance when it is at
    rest, or it would push itself apart: the choice is a tenth of the mean edge, at most 1/4 of the least height. For solids
    and rigid bodies it is also at most 1/50 of their least extent.
    """
    movable = [slot for slot in model.bodies.values() if not slot.scripted]
    heights = {
        slot.name: TriangleMesh(slot.rest, slot.triangles).least_height
        for slot in movable
        if slot.deformable and len(slot.triangles)
    }
    name = min(heights, key=lambda n: heights[n], default="")
    if settings.contact_distance is None:
        fitting = [0.25 * heights[name]] if heights else []
        for kind in dict.fromkeys(slot.kind for slot in movable):
            edges = [_edge_lengths(slot) for slot in movable if slot.kind == kind]
            fitting.append(0.1 * float(np.concatenate(edges).mean()))
        fitting += [THICKNESS * float(np.ptp(slot.rest, axis=0).min()) for slot in movable if slot.thick]
        return min(fitting)
    if heights and settings.contact_distance > 0.5 * heights[name]:
        raise InputError(
            f"contact_distance {settings.contact_distance:g} m is too large for {name!r}, whose flattest triangle has a "
            f"height of {heights[name]:.3g} m: choose at most {0.5 * heights[name]:.3g} m or a coarser mesh"
        )
    return settings.contact_distance


def check_start(world: World, moment: Moment, nesting: Nesting) -> Moment:
    """The moment itself, or an `InputError` that names the first pairs that intersect, touch or are inside each other."""
    if moment.state.time > 0.0 and not find_method(world.settings.method).certifies:
        return moment  # a checkpoint of bodies in contact: they touch, and may legally penetrate a little
    found = find_intersections(world.tree, moment.surface_positions)
    if len(found):
        raise InputError(_describe(world, found))
    nesting.check_start(moment.surface_positions)
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


def _edge_lengths(slot: BodySlot) -> NDArray[np.float64]:
    """Lengths [m] of the sides of all triangles at rest, (3 t,), and of the edges that belong to no triangle."""
    ends = slot.rest[slot.edges]
    lone = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    return np.concatenate([side_lengths(slot.rest, slot.triangles).ravel(), lone])

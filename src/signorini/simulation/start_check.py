"""Checks before the first step: a start without intersection, and no body inside another."""

from __future__ import annotations

import numpy as np

from signorini.collision.intersections import Intersections, find_intersections
from signorini.errors import InputError
from signorini.methods.method import Method, find_method
from signorini.methods.moment import Moment, World
from signorini.simulation.nesting import Nesting

TOUCHING = 1e-6
"""Pairs closer than this part of the contact distance have no reliable normal."""
SHOWN = 3
"""How many intersecting pairs a message names."""


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


def check_method(method: Method) -> None:
    """Raise an `InputError` if the method would leave out something that the scene asks for."""
    model = method.world.model
    if model.contact_rules.bounces and not method.rebounds:
        raise InputError(
            f"restitution is not part of the method {method.name!r}: leave it out, or use the method 'cmr'"
        )
    if model.contact_rules.bounces and model.joints is not None:
        raise InputError("restitution does not work together with joints, locks and drives yet: leave one of them out")
    if model.joints is not None and method.world.settings.integrator == "bdf2":
        raise InputError(
            "joints, locks and drives are not part of steps of second order yet: use integrator='euler' for this scene"
        )
    if not method.takes_loads and (model.node_gravity != model.gravity).any():
        raise InputError(
            f"gravity of single bodies is not part of the method {method.name!r}: leave it out, or use the method 'cmr'"
        )


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

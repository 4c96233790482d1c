"""Faults of a scene: bodies that cross, touch, are inside one another, below the ground or small beside the contact distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.intersections import find_intersections
from signorini.diagnosis.fault import Fault
from signorini.errors import InputError
from signorini.methods.moment import Moment, World
from signorini.model.build import build_model
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.contact_distance import start_world
from signorini.simulation.nesting import Nesting
from signorini.simulation.start_check import TOUCHING

Floats = NDArray[np.float64]
NEAR_FEATURE = 0.25
"""Contact distance over the size of the smallest body above which it is large: the body floats visibly above others."""


def start_of(scene: Scene, settings: Settings) -> tuple[World, Moment]:
    """The model of a scene at its start; an `InputError` if it cannot be made."""
    return start_world(*build_model(scene), settings)


def scene_faults(world: World, start: Moment) -> list[Fault]:
    """All faults of the start of a scene that concern several bodies, or a body and the ground."""
    x = start.surface_positions
    found = [*_crossing(world, x), *_below(world, x), *_nested(world, x)]
    return [*found, *_near(world, start), *_large_distance(world)]


def refusal(error: InputError) -> Fault:
    """A sentence with which the scene was refused, as a fault."""
    return Fault("refused", "error", (), 1, str(error), "change what the sentence names")


def _names(world: World, vertices: NDArray[np.integer]) -> list[str]:
    return [world.model.body_names[body] for body in world.model.surface.vertex_body[vertices]]


def _local(world: World, name: str, triangles: NDArray[np.integer]) -> NDArray[np.int64]:
    """Numbers of triangles of the whole surface as those of their body."""
    whole = world.model.surface.vertex_body[world.model.surface.triangles[:, 0]]
    first = int(np.argmax(whole == world.model.body_names.index(name)))
    return np.unique(triangles).astype(np.int64) - first


def _crossing(world: World, x: Floats) -> list[Fault]:
    """Edges of one body through triangles of another; those of one body are faults of its mesh."""
    surface = world.model.surface
    pairs = find_intersections(world.tree, x).edge_triangle
    if not len(pairs):
        return []
    ends, corners = surface.edges[pairs[:, 0]], surface.triangles[pairs[:, 1]]
    bodies = np.column_stack([_names(world, ends[:, 0]), _names(world, corners[:, 0])])
    places = x[ends].mean(axis=1)
    found = []
    for pair in {tuple(sorted(row)) for row in bodies.tolist()}:
        rows = np.array([tuple(sorted(row)) == pair for row in bodies.tolist()])
        marked = tuple(
            (name, _local(world, name, pairs[rows & (bodies[:, 1] == name), 1]))
            for name in dict.fromkeys(pair)
            if (rows & (bodies[:, 1] == name)).any()
        )
        what = f"{'the bodies cross' if pair[0] != pair[1] else 'the body crosses itself'} in {rows.sum():,} places"
        remedy = "move them apart" if pair[0] != pair[1] else "repair its mesh, or let it start in another shape"
        names = tuple(dict.fromkeys(pair))
        found.append(Fault("intersecting", "error", names, int(rows.sum()), what, remedy, places[rows], marked))
    return found


def _below(world: World, x: Floats) -> list[Fault]:
    """Vertices on or below a half-space."""
    surface, found = world.model.surface, []
    pairs = find_intersections(world.tree, x).vertex_plane
    for plane in np.unique(pairs[:, 1]).tolist():
        ground = world.model.body_names[surface.plane_body[plane]]
        vertices = pairs[pairs[:, 1] == plane, 0]
        names = np.array(_names(world, vertices))
        for name in np.unique(names).tolist():
            own = vertices[names == name]
            depth = surface.plane_height[plane] - float((x[own] @ surface.plane_normal[plane]).min())
            what = f"{len(own):,} vertices start on or below {ground!r}, up to {depth:.3g} m deep"
            remedy = f"move {name!r} up by {depth + world.contact_distance:.3g} m"
            found.append(Fault("below ground", "error", (name, ground), len(own), what, remedy, x[own]))
    return found


def _nested(world: World, x: Floats) -> list[Fault]:
    """Bodies inside others that are not hollow."""
    found = []
    for inner, outer, sentence, places in Nesting(world.model, x).inside_solids(x):
        what, _, remedy = sentence.partition(": ")
        found.append(
            Fault("inside one another", "error", tuple(dict.fromkeys((inner, outer))), 1, what, remedy, places)
        )
    return found


def _near(world: World, start: Moment) -> list[Fault]:
    """Pairs of bodies that touch, which no simulation can start from."""
    contacts, x = start.near.contacts, start.surface_positions
    found = []
    pairs = np.sort(contacts.bodies, axis=1)
    for pair in np.unique(pairs, axis=0).tolist() if len(contacts) else []:
        rows = np.flatnonzero((pairs == pair).all(axis=1))
        distance = contacts.distance[rows]
        names = tuple(dict.fromkeys(world.model.body_names[body] for body in pair))
        touching = rows[distance <= TOUCHING * world.contact_distance]
        if not len(touching):
            continue
        who = "they touch" if len(names) == 2 else "two parts of it touch"
        what = f"{who} at the start (distance {distance.min():.2g} m)"
        remedy = f"move them apart by the contact distance, {1e3 * world.contact_distance:.3g} mm"
        places = x[contacts.vertices[touching, 0]]
        found.append(Fault("touching", "error", names, len(touching), what, remedy, places))
    return found


def _large_distance(world: World) -> list[Fault]:
    """Bodies that are thin or small beside the contact distance."""
    found = []
    for slot in world.model.bodies.values():
        extent = float(np.sort(np.ptp(slot.rest, axis=0))[1])  # a sheet has one extent of zero
        if not slot.scripted and world.contact_distance > NEAR_FEATURE * extent > 0.0:
            what = f"the contact distance of {1e3 * world.contact_distance:.3g} mm is large beside its {1e3 * extent:.3g} mm"
            remedy = f"give settings.contact_distance, at most {1e3 * 0.1 * extent:.3g} mm"
            found.append(Fault("contact distance", "remark", (slot.name,), 1, what, remedy))
    return found

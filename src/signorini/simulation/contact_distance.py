"""Contact distances: one that fits the meshes of a scene, and smaller ones for bodies that start in a tight place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import BoxTree
from signorini.collision.contact_set import ContactSet
from signorini.collision.detect import detect_proximity
from signorini.errors import InputError
from signorini.geometry.least_width import least_width
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.methods.moment import Moment, World, moment_at
from signorini.model.model import BodySlot, Model
from signorini.model.state import State
from signorini.settings import Settings
from signorini.simulation.rotational_play import least_play

THICKNESS = 0.02
"""The contact distance is at most this part of the least width of a solid or rigid body."""
FABRIC_LEAST, FABRIC_MOST = 0.01, 0.1
"""Contact distance of a fabric over its mean edge: its thickness within these bounds. Below them contacts are found late and cost
more refinements, above them vertices that are no neighbours would push each other apart."""
LARGE_BESIDE = 0.02
"""Contact distance over the least width of any body, scripted ones too, above which the gap between bodies is noted."""
TIGHT = 0.9
"""Distance at the start, over the contact distance, below which two bodies that cannot deform are in a tight place. A stack that
was built at the contact distance is none."""
OPPOSITE, MOST_NORMALS = -0.5, 200
"""Cosine of the angle between two normals that counts as opposite, and how many normals of a pair are compared."""
ENCLOSING = 8.0
"""Reach over the contact distance within which bodies that enclose one another are looked for: a pin of eight sides has 4 % of
its diameter as room where sides face sides, and much less where corners face sides."""
TIGHT_PART = 0.25
"""Contact distance of two such bodies over their distance at the start. With a half, parts that are not exactly centred at the
start jam: their true play is larger than what the start shows."""


def start_world(model: Model, state: State, settings: Settings) -> tuple[World, Moment]:
    """The world of a scene, with the contact distances that its start leaves room for, and the moment at which it starts."""
    tree = BoxTree(model.surface, model.surface_positions(state.q, state.time, state.rotations))
    common, given = choose_contact_distance(model, settings), model.contact_rules.distance
    _check_given(model)
    own = given if settings.contact_distance is not None else np.where(np.isnan(given), fabric_distances(model), given)
    wanted = np.where(np.isnan(own), common, own)
    # The reach of detection is measured in the largest distance that any pair keeps.
    largest = max(common, float(wanted.max()))
    world = World(model, tree, settings, largest, wanted)
    moment = moment_at(world, state)
    tight = np.where(np.isnan(given), tight_distances(world, moment), given)
    return World(model, tree, settings, largest, tight), moment


def choose_contact_distance(model: Model, settings: Settings) -> float:
    """The user's contact distance if it fits the bodies, or one that does.

    Two vertices of a cloth or solid that are not neighbours must be farther apart than the detection distance when it is at
    rest, or it would push itself apart: the choice is a tenth of the mean edge, at most 1/4 of the least height. For solids
    and rigid bodies it is also at most 1/50 of their least width, for a fabric its thickness.
    """
    if settings.contact_distance is None:
        return min(distance for distance, _ in distance_limits(model))
    heights = _least_heights(model)
    name = min(heights, key=lambda n: heights[n], default="")
    if heights and settings.contact_distance > 0.5 * heights[name]:
        raise InputError(
            f"contact_distance {settings.contact_distance:g} m is too large for {name!r}, whose flattest triangle has a "
            f"height of {heights[name]:.3g} m: choose at most {0.5 * heights[name]:.3g} m or a coarser mesh"
        )
    return settings.contact_distance


def _check_given(model: Model) -> None:
    """Raise an `InputError` if a body was given a contact distance that is too large for its own mesh."""
    heights = _least_heights(model)
    for slot in model.bodies.values():
        given, height = float(model.contact_rules.distance[slot.number]), heights.get(slot.name, np.inf)
        if given > 0.5 * height:
            raise InputError(
                f"contact_distance {given:g} m of {slot.name!r} is too large for its mesh, whose flattest triangle has a height "
                f"of {height:.3g} m: choose at most {0.5 * height:.3g} m or a coarser mesh"
            )


def distance_limits(model: Model) -> list[tuple[float, str]]:
    """The contact distances [m] that the bodies allow, each with what it is a part of; the least one is chosen."""
    movable = [slot for slot in model.bodies.values() if not slot.scripted]
    heights = _least_heights(model)
    limits = [
        (0.25 * height, f"a quarter of the height of the flattest triangle of {name!r}")
        for name, height in heights.items()
    ]
    for kind in dict.fromkeys(slot.kind for slot in movable):
        edges = [slot.edge_lengths for slot in movable if slot.kind == kind]
        mean = float(np.concatenate(edges).mean())
        limits.append(
            (0.1 * mean, f"a tenth of the mean edge of {kind.replace('_', ' ')}, which is {1e3 * mean:.3g} mm")
        )
    limits += [
        (THICKNESS * least_width(slot.rest), f"1/{1.0 / THICKNESS:.0f} of the least width of {slot.name!r}")
        for slot in movable
        if slot.thick
    ]
    fabric = fabric_distances(model)
    limits += [
        (float(fabric[slot.number]), f"the thickness of {slot.name!r}") for slot in movable if fabric[slot.number] > 0.0
    ]
    return limits


def fabric_distances(model: Model) -> NDArray[np.float64]:
    """(bodies,) what fabrics keep apart by their thickness [m], within what their meshes allow; NaN: no fabric."""
    distances, heights = np.full(len(model.contact_rules.thickness), np.nan), _least_heights(model)
    for slot in model.bodies.values():
        thickness = float(model.contact_rules.thickness[slot.number])
        if thickness > 0.0:
            edge = float(slot.edge_lengths.mean())
            most = min(FABRIC_MOST * edge, 0.25 * heights[slot.name])
            distances[slot.number] = min(max(thickness, FABRIC_LEAST * edge), most)
    return distances


def explain_contact_distance(model: Model, settings: Settings, distance: float) -> tuple[str, str]:
    """Why the contact distance [m] has its value, and a note if it is large beside the smallest body, else nothing."""
    reason, given = "given by the settings", model.contact_rules.distance
    if distance in given:
        reason = f"given for {model.body_names[int(np.flatnonzero(given == distance)[0])]!r}"
    elif settings.contact_distance is None:
        reason = min(distance_limits(model))[1]
    sizes = [(_least_size(slot), slot.name) for slot in model.bodies.values()]
    size, name = min(sizes, default=(np.inf, ""))
    if distance <= LARGE_BESIDE * size or size == 0.0:
        return reason, ""
    note = (
        f"bodies keep {1e3 * distance:.3g} mm apart, which is {100.0 * distance / size:.2g} % of the least width of {name!r} "
        f"({1e3 * size:.3g} mm) and can be seen: use a finer mesh, or set contact_distance"
    )
    return reason, note


def _least_size(slot: BodySlot) -> float:
    """The least width of what is thick, the width of a sheet, the length of a rod [m]."""
    if slot.thick and (width := least_width(slot.rest)) > 0.0:  # a scripted plate may be flat
        return width
    spread = slot.rest - slot.rest.mean(axis=0)
    axes = np.linalg.svd(spread, full_matrices=False)[2]
    extents = np.ptp(spread @ axes.T, axis=0)
    return float(extents[1] if len(slot.triangles) else extents[0])


def _least_heights(model: Model) -> dict[str, float]:
    """Heights of the flattest triangles [m] of cloth and soft solids, by name."""
    return {
        slot.name: TriangleMesh(slot.rest, slot.triangles).least_height
        for slot in model.bodies.values()
        if slot.deformable and len(slot.triangles)
    }


def tight_distances(world: World, start: Moment) -> NDArray[np.float64]:
    """The contact distance of each body (bodies,) [m]: that of the world, or less if it starts in a tight place.

    A pin in its bore, a bolt in its nut and teeth of gears are two bodies that cannot deform and start nearer than the contact
    distance, or enclose one another nearer than twice of it: they keep a part of the distance that they have at the start, or
    would have in other orientations. A pair keeps the larger distance of its two bodies, so that each of them treats all others
    as before.
    """
    model, distances = world.model, world.body_distances.copy()
    rigid = np.ones(len(model.body_names), dtype=bool)
    rigid[[slot.number for slot in model.bodies.values() if slot.deformable]] = False
    loose = {slot.number: slot for slot in model.bodies.values() if slot.rigid >= 0}
    if not loose:
        return distances
    contacts = _wide_proximity(world, start)
    pairs = contacts.bodies
    stiff = rigid[pairs].all(axis=1) & (pairs[:, 0] != pairs[:, 1])
    enclosing = _enclosing(pairs, contacts.normal, stiff)
    near = contacts.distance < world.detection_distance
    tight = stiff & ((contacts.distance < TIGHT * world.pair_distance(pairs)) | (enclosing & near))
    for side in range(2):
        np.minimum.at(distances, pairs[tight, side], TIGHT_PART * contacts.distance[tight])
    for pair in np.unique(pairs[enclosing], axis=0).tolist():
        for body, other in (pair, pair[::-1]):
            if body in loose:
                play = least_play(world, start.state, loose[body], other)
                distances[pair] = np.minimum(distances[pair], TIGHT_PART * play)
    return distances


def _wide_proximity(world: World, start: Moment) -> ContactSet:
    """The contacts of the start within ENCLOSING contact distances."""
    x, reach = start.surface_positions, ENCLOSING * world.contact_distance
    candidates = world.tree.find_candidates(x, x, distance=reach, margin=0.0)
    return detect_proximity(world.model.surface, candidates, x, distance=reach).contacts


def _enclosing(pairs: NDArray[np.integer], normal: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(m,) whether a contact is one of a pair of bodies with opposite normals, such as a pin and its bore.

    Their play may be less than the start shows: corners face corners there, and come to face sides.
    """
    found = np.zeros(len(pairs), np.bool_)
    for pair in np.unique(pairs[chosen], axis=0):
        own = np.flatnonzero(chosen & (pairs == pair).all(axis=1))
        some = normal[own[:: max(1, len(own) // MOST_NORMALS)]]
        found[own] = (some @ some.T).min() < OPPOSITE
    return found

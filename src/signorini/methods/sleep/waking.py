"""What wakes sleepers before a step: scripts that move near them, their own pins, and states that were set from outside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.dynamics.scripted_paths import CHECKS
from signorini.elements.element import Linearisation
from signorini.methods.moment import World
from signorini.model.contribution import Motion, turning_of
from signorini.model.state import State

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
FEW_TURNS = 1.0
"""Angle by which a script may turn in a step [rad] before the box of its samples counts as that of a spinning body."""


def disturbed(world: World, asleep: Flags, x: Floats, start: float, end: float) -> Flags:
    """(bodies,) the sleepers that prescribed motions disturb between two times [s]; x (v, 3) is where the surface is now [m]."""
    hit = np.zeros(len(asleep), dtype=bool)
    model, parts = world.model, world.parts
    for pin in model.prescribed.pins:
        body = int(parts.node_body[pin.nodes[0]]) if len(pin.nodes) else -1
        if body < 0 or not asleep[body] or start > pin.release_time * (1.0 + 1e-12):
            continue
        released = end > pin.release_time * (1.0 + 1e-12)
        hit[body] |= released or (
            pin.motion is not None and len(_places(pin.motion, pin.rest, pin.positions(start), start, end)) > 1
        )
    first, boxes = model.kinematic_first, []
    for script in model.prescribed.scripts:
        rows = slice(first, first + len(script.rest))
        first = rows.stop
        if script.motion is not None and len(script.rest):
            places = _places(script.motion, script.rest, x[rows], start, end)
            if len(places) > 1:
                boxes.append(_swept_box(script.motion, places, start, end))
    if boxes:
        hit |= _reached(world, asleep, x, boxes)
    return hit


def changed(world: World, asleep: Flags, state: State, known: State | None) -> Flags:
    """(bodies,) the sleepers that are not where they were in the `known` state, or move; whose motion is not known are where they
    are."""
    hit = np.zeros(len(asleep), dtype=bool)
    if state is known:
        return hit
    parts = world.parts
    moved = state.v.any(axis=1)
    if len(state.applied):
        moved |= state.applied.any(axis=1)
    if known is not None:
        moved |= (state.q != known.q).any(axis=1)
        hit[parts.rigid_body[(state.rotations != known.rotations).any(axis=1)]] = True
    hit[parts.node_body[moved]] = True
    return hit & asleep


def changing(world: World, asleep: Flags, state: State, start: float, end: float) -> Flags:
    """(bodies,) the sleepers on which loads, drives or elements of a user may change between two times [s].

    Nobody knows when drives, and scripted bodies that a joint ties to a sleeper, change: their bodies never sleep.
    """
    hit, model, still = np.zeros(len(asleep), dtype=bool), world.model, np.zeros_like(state.v)
    for elements in model.elements:
        if elements.group() is not None or not len(elements):
            continue
        bodies = world.parts.node_body[elements.nodes]
        if not asleep[bodies].any():
            continue
        before, after = (
            Linearisation(state.q, still, still, still, time, state.rotations, model.rigids.nodes)
            for time in (start, end)
        )
        hit[bodies] |= not elements.is_steady(before, after)
    if model.joints is not None:
        hit[world.parts.rigid_body[model.joints.driven()]] = True
    return hit & asleep


def _places(motion: Motion, rest: Floats, now: Floats, start: float, end: float) -> list[Floats]:
    """Where a script has its points (k, 3) [m] in a step: now, at some times within, and at the end; only now if they stay."""
    times = [start + t * (end - start) for t in CHECKS] + [end]
    places = [motion.positions(rest, time) for time in times]
    return [now] if all(np.array_equal(place, now) for place in places) else [now, *places]


def _swept_box(motion: Motion, places: list[Floats], start: float, end: float) -> tuple[Floats, Floats]:
    """Corners (3,) of a box around all places and what a script may reach between them [m]."""
    every = np.concatenate(places)
    low, high = every.min(axis=0), every.max(axis=0)
    farther = max(float(np.abs(place - places[0]).max()) for place in places[1:])
    turning = turning_of(motion, start, end)
    if turning is not None and turning.angle > FEW_TURNS:
        farther = max(farther, float(np.linalg.norm(high - low)))
    return low - farther, high + farther


def _reached(world: World, asleep: Flags, x: Floats, boxes: list[tuple[Floats, Floats]]) -> Flags:
    """(bodies,) the sleepers with a triangle or an edge in one of the boxes, or within the detection distance of it."""
    surface, hit = world.model.surface, np.zeros(len(asleep), dtype=bool)
    leaves = surface.leaves[asleep[surface.vertex_body[surface.leaves[:, 0]]]]
    corners = x[leaves]
    low, high = corners.min(axis=1) - world.detection_distance, corners.max(axis=1) + world.detection_distance
    for box_low, box_high in boxes:
        meets = ((low <= box_high) & (high >= box_low)).all(axis=1)
        hit[surface.vertex_body[leaves[meets, 0]]] = True
    return hit

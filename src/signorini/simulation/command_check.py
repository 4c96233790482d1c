"""Check of commands to scripted bodies: contact does not keep scripted bodies apart, so none may go through another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from signorini.collision.broad_phase import BoxTree
from signorini.collision.detect import detect_continuous
from signorini.collision.separation import Separation
from signorini.collision.surface import PRESCRIBED, build_surface
from signorini.errors import InputError
from signorini.model.commands import Command
from signorini.model.model import BodySlot, Model

Floats = NDArray[np.float64]
FINEST_TURN = 0.02
"""Angle of the pieces in which a turn is checked along straight lines [rad]."""
APART = 1e-9
"""What two scripted bodies must keep between them, over the size of the body [m/m]."""


def check_command(model: Model, slot: BodySlot, command: Command, x: Floats) -> None:
    """Raise an `InputError` if a command leads a body through another scripted one; x (v, 3) is where the surface is [m]."""
    start = x[slot.vertices]
    pieces = 1 + int(np.linalg.norm(command.turn) / FINEST_TURN)
    times = command.begin + (command.end - command.begin) * np.arange(pieces + 1) / pieces
    places = [command.positions(start, time) for time in times]
    low = np.min([p.min(axis=0) for p in places], axis=0)
    high = np.max([p.max(axis=0) for p in places], axis=0)
    ignored, surface = model.contact_rules.ignored, model.surface
    for normal, height, number in zip(surface.plane_normal, surface.plane_height, surface.plane_body, strict=True):
        passes = (start @ normal >= height).all() and any((p @ normal < height).any() for p in places)
        if passes and (ignored is None or not ignored[slot.number, number]):
            raise InputError(
                f"command to {slot.name!r}: on the way it would go below {model.body_names[number]!r}, and contact does not keep "
                "scripted bodies above it: choose another way"
            )
    for other in model.bodies.values():
        own = x[other.vertices]
        near = other.scripted and other.name != slot.name and other.first >= model.kinematic_first
        near = near and (ignored is None or not ignored[slot.number, other.number])
        if not near or (own.min(axis=0) > high).any() or (own.max(axis=0) < low).any():
            continue
        both = build_surface(
            [(slot.triangles, 0, slot.count, 0), (other.triangles, slot.count, other.count, 1)],
            np.concatenate([np.ones(slot.count, np.int32), np.full(other.count, PRESCRIBED, np.int32)]),
            [],
        )
        tree = BoxTree(both, np.concatenate([start, own]))
        apart = APART * float(np.linalg.norm(np.ptp(start, axis=0)))
        for before, after in pairwise(places):
            x0, x1 = np.concatenate([before, own]), np.concatenate([after, own])
            pairs = tree.find_candidates(x0, x1, distance=apart, margin=0.0)
            separation = Separation(np.full(both.vertex_count, apart), np.zeros(0))
            if len(detect_continuous(both, pairs, x0, x1, separation=separation).contacts):
                raise InputError(
                    f"command to {slot.name!r}: on the way it would go through the scripted body {other.name!r}, and contact "
                    "does not keep two scripted bodies apart: choose another way"
                )

"""Check of what a model is made from: a scene is plain data, and may have been written to since its calls checked it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from signorini.checks import check_number
from signorini.errors import InputError, short
from signorini.geometry.ranges import LARGEST
from signorini.geometry.triangle_mesh import as_floats, as_points, as_vector
from signorini.model.contribution import Contribution


def check_source(gravity: Any, parts: Sequence[Contribution]) -> None:
    """Raise an `InputError` that names the body and the value that is not finite, or an array that has a wrong shape."""
    as_vector("gravity of the scene", gravity)
    for part in parts:
        _check_numbers(f"friction of {part.name!r}", part.friction, 1, positive=True)
        _check_numbers(f"restitution of {part.name!r}", part.contact.restitution, 1, positive=True)
        if part.contact.distance is not None:
            _check_numbers(f"contact_distance of {part.name!r}", part.contact.distance, 1, positive=True)
        if part.gravity is not None:
            as_vector(f"gravity of {part.name!r}", part.gravity)
        count = len(part.nodes.mass)
        if count:
            _check_points(f"positions of {part.name!r} at the start", part.nodes.positions, count)
            _check_numbers(f"velocities of {part.name!r} at the start", part.nodes.velocities, 3 * count)
        _check_numbers(f"masses of {part.name!r}", part.nodes.mass, count, positive=True)
        _check_numbers(f"drag of {part.name!r}", part.nodes.drag, count, positive=True)
        if part.rigid is not None:
            _check_numbers(f"inertia of {part.name!r}", part.rigid.inertia, 9)
            _check_numbers(f"rotation of {part.name!r} at the start", part.rigid.rotation, 4)
        if part.script is not None:
            _check_points(f"positions of {part.name!r} at the start", part.script.rest, len(part.rest))
        if part.plane is not None:
            normal = as_vector(f"normal of {part.name!r}", part.plane.normal)
            if not abs(float(np.linalg.norm(normal)) - 1.0) <= 1e-6:
                raise InputError(f"normal of {part.name!r} must have length 1 by now, got {short(normal.tolist())}")
            if not abs(check_number(f"height of {part.name!r}", part.plane.height)) <= LARGEST:
                raise InputError(
                    f"height of {part.name!r} must be finite and within {LARGEST:g} m, got {part.plane.height:g} m"
                )


def _check_points(what: str, value: Any, count: int) -> None:
    points = as_points(what, value)
    if len(points) != count:
        raise InputError(f"{what} must have shape ({count}, 3), got {points.shape}")


def _check_numbers(what: str, value: Any, count: int, *, positive: bool = False) -> None:
    """Raise an `InputError` unless there are so many finite numbers, none of them negative if they are to be positive or 0."""
    try:
        numbers = as_floats(value).ravel()
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {short(value)}") from None
    if len(numbers) != count:
        raise InputError(f"{what} must be {count} numbers, got {len(numbers)}")
    wrong = ~np.isfinite(numbers) | ((numbers < 0.0) & positive)
    if wrong.any():
        kind = "finite and not negative" if positive else "finite"
        raise InputError(f"{what} must be {kind}, but number {int(wrong.argmax())} is {numbers[wrong][0]}")

"""Options that calls `Scene.add_...` of several kinds of bodies have in common, beside those of their kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_number, check_positive
from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import as_vector
from signorini.model.contact_rules import BodyContact


class ContactOptions(TypedDict, total=False):
    """Contact options of a body.

    Parameters:
        restitution: part of the approach speed with which it rebounds, from 0 to 1; a pair has the larger one of its two
            bodies. By default 0.
        contact_distance: distance that it keeps from others, and they from it [m]; a pair keeps the larger one of its two
            bodies. By default that of the scene.
    """

    restitution: float | None
    contact_distance: float | None


class MovableOptions(ContactOptions, total=False):
    """Contact options and gravity of a movable body.

    Parameters:
        gravity: its own acceleration of gravity [m/s²]; by default that of the scene.
    """

    gravity: Sequence[float] | None


class DeformableOptions(MovableOptions, total=False):
    """Contact options, self-contact and gravity of a deformable body.

    Parameters:
        self_contact: whether it collides with itself, by default true.
    """

    self_contact: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyOptions:
    """The options of a body as it has been given them; None where nothing was said."""

    restitution: float | None = None
    contact_distance: float | None = None
    gravity: NDArray[np.float64] | None = None
    self_contact: bool | None = None

    def contact(self) -> BodyContact:
        """Contact options as the model takes them."""
        return BodyContact(
            restitution=self.restitution or 0.0,
            distance=self.contact_distance,
            self_contact=self.self_contact is not False,
        )

    def to_table(self) -> dict[str, Any]:
        """Its keys in the table of the body; None where nothing was said."""
        return {
            "restitution": self.restitution,
            "contact_distance": self.contact_distance,
            "gravity": None if self.gravity is None else self.gravity.tolist(),
            "self_contact": self.self_contact,
        }


def checked_options(
    name: str, options: DeformableOptions | MovableOptions | ContactOptions, known: type[ContactOptions]
) -> BodyOptions:
    """The options of the body `name`, or an `InputError`; arguments that are not `known` are answered as Python does."""
    given: dict[str, Any] = dict(options)
    for key in given:
        if key not in known.__annotations__:
            raise TypeError(
                f"{name!r} got an unexpected argument {key!r}; beside those of its kind there are "
                f"{', '.join(known.__annotations__)}"
            )
    distance, gravity, own = given.get("contact_distance"), given.get("gravity"), given.get("self_contact")
    if own is not None and not isinstance(own, bool):
        raise InputError(f"self_contact of {name!r} must be true or false, got {short(own)}")
    return BodyOptions(
        restitution=checked_restitution(f"restitution of {name!r}", given.get("restitution")),
        contact_distance=None
        if distance is None
        else check_positive(f"contact_distance of {name!r}", distance, unit="m"),
        gravity=None if gravity is None else as_vector(f"gravity of {name!r}", gravity),
        self_contact=own,
    )


def checked_restitution(what: str, value: Any) -> float | None:
    """A coefficient of restitution, None as it is, or an `InputError`."""
    if value is None:
        return None
    if not 0.0 <= check_number(what, value) <= 1.0:
        raise InputError(f"{what} must be from 0 (no rebound) to 1 (as fast as it came), got {short(value)}")
    return float(value)

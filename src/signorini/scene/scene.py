"""Scene: what the user builds. Bodies, ground, gravity and friction; nothing here computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from signorini.attributes import KnownAttributes
from signorini.checks import named_list, told_vector
from signorini.elements.element import Elements
from signorini.errors import InputError, short
from signorini.geometry.triangle_mesh import as_vector
from signorini.model.contribution import Contribution
from signorini.scene.body import Body
from signorini.scene.body_load import BodyLoad
from signorini.scene.checks import check_non_negative
from signorini.scene.contact_pairs import PairRule, SetsContacts
from signorini.scene.joints import AddsJoints
from signorini.scene.kinds import KINDS, AddsBodies
from signorini.scene.loads import AddsLoads
from signorini.scene.pins import Attachment, checked_attachment
from signorini.scene.places import VerticesLike

CHECKED: dict[str, Callable[[str, Any], Any]] = {
    "gravity": as_vector,
    "friction": check_non_negative,
    "air_drag": check_non_negative,
}
"""What is checked when it is set."""


class Scene(AddsBodies, SetsContacts, AddsLoads, AddsJoints, KnownAttributes):
    """The bodies and their environment. SI units; z is up.

    Parameters:
        gravity: acceleration of gravity [m/s²].
        friction: friction coefficient of bodies that have none of their own; that of a pair is the geometric mean of both.
        air_drag: rate at which still air slows every node down [1/s]: force = air_drag · mass · velocity.
        name: name of the scene.
    """

    def __init__(
        self,
        *,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        friction: float = 0.3,
        air_drag: float = 0.0,
        name: str = "scene",
    ) -> None:
        super().__init__(friction=friction)
        self.name = name
        self.air_drag = check_non_negative("air_drag", air_drag)
        self.gravity = as_vector("gravity", gravity)
        self.attachments: list[Attachment] = []
        self.pair_rules: list[PairRule] = []
        self.loads: list[BodyLoad] = []
        self.elements: list[tuple[Elements, tuple[str, ...]]] = []
        self._complete = True

    def __setattr__(self, name: str, value: Any) -> None:
        check = CHECKED.get(name)
        super().__setattr__(name, value if check is None else check(name, value))

    def _described(self) -> str:
        return f"the scene {self.name!r}"

    def __repr__(self) -> str:
        counts = {
            "attachment": self.attachments, "load": self.loads, "element set": self.elements, "joint": self.joints,
            "lock": self.locks, "drive": self.drives,
        }  # fmt: skip
        more = "".join(f", {len(found)} {what}{'s' * (len(found) > 1)}" for what, found in counts.items() if found)
        bodies = f"{len(self.bodies)} bodies {named_list(self.bodies)}" if self.bodies else "no bodies"
        gravity = told_vector(self.gravity)
        return f"Scene {self.name!r} of {bodies}{more}; friction {self.friction:g}, gravity {gravity} m/s²"

    def _repr_html_(self) -> str:
        """A table of its bodies, for notebooks."""
        return import_module("signorini.reports.notebook").scene_html(self)  # a room above, entered only on request

    def attach(self, body: str | Body, vertices: VerticesLike, *, to: str | Body) -> Attachment:
        """Make vertices of a cloth, or nodes of a solid, move with another body as if glued where they start.

        A kinematic body carries them along; a rigid body also feels them.

        Parameters:
            body: name of the cloth or the soft solid.
            vertices: numbers of its vertices, or of the nodes of the solid; or a place that chooses them.
            to: name of the kinematic or rigid body.
        """
        attachment = checked_attachment(self._named(body), vertices, self._named(to), self.attachments)
        self.attachments.append(attachment)
        return attachment

    def add_elements(self, elements: Elements, *, body: str | Sequence[str]) -> Elements:
        """Add elements of your own: springs, fields, loads (see `Elements`).

        Parameters:
            elements: the set of elements; its nodes count from 0 within the body: vertices of a cloth, nodes of a solid.
            body: name of the body that they act on, or one name for each column of `elements.nodes`.
        """
        if not isinstance(elements, Elements):
            raise InputError(f"elements must be a signorini.Elements, got {type(elements).__name__}")
        try:
            nodes = np.asarray(getattr(elements, "nodes", None))
        except ValueError:
            raise InputError(
                "nodes of elements must be integers of shape (e, k): rows of different length are none"
            ) from None
        if nodes.ndim != 2 or not np.issubdtype(nodes.dtype, np.integer) or not nodes.shape[1]:
            raise InputError(f"nodes of elements must be integers of shape (e, k), got {nodes.dtype} {nodes.shape}")
        if not isinstance(body, str | Sequence):
            raise InputError(f"body of elements must be its name, or one name for each node, got {short(body)}")
        names = (body,) * nodes.shape[1] if isinstance(body, str) else tuple(body)
        if len(names) != nodes.shape[1]:
            raise InputError(
                f"elements have {nodes.shape[1]} nodes each: give one body for all of them or one for each, got {len(names)}"
            )
        for column, name in zip(nodes.T, names, strict=True):
            count = self._named(name).attachable_nodes
            if not count:
                raise InputError(
                    f"elements cannot act on {name!r}: only nodes of cloth, rods and soft solids take them, and a body of kind "
                    f"{self._named(name).kind!r} has none"
                )
            bad = column[(column < 0) | (column >= count)]
            if len(bad):
                raise InputError(f"elements: node {int(bad[0])} does not exist, {name!r} has {count} nodes to act on")
        self.elements.append((elements, names))
        return elements

    @property
    def body_names(self) -> list[str]:
        """The names of all bodies, in the order in which they were added."""
        return list(self.bodies)

    def contributions(self) -> list[Contribution]:
        """Contributions of the bodies to the model, kind by kind."""
        order = {kind: k for k, kind in enumerate(KINDS)}
        bodies = sorted(self.bodies.values(), key=lambda body: order[type(body)])
        return [body.contribution(self.air_drag) for body in bodies]

    def free_elements(self) -> list[tuple[Elements, tuple[str, ...]]]:
        """The elements of `add_elements`, with the body of each column of their nodes."""
        return self.elements

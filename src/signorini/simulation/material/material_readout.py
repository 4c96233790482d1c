"""Read-out of the material: stress of soft solids, strain and tension of cloth."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from signorini.errors import InputError
from signorini.methods.moment import Moment, World
from signorini.scene.scene import Scene
from signorini.scene.soft_solid import SoftSolid
from signorini.scene.solids.solid_elements import Membership, memberships
from signorini.simulation.material.cloth_state import ClothState, cloth_state
from signorini.simulation.material.solid_state import SolidState, solid_state

if TYPE_CHECKING:
    from signorini.model.model import BodySlot


class MaterialReadout:
    """The part of `Simulation` that reads what the material of a body carries."""

    scene: Scene
    _world: World
    _moment: Moment

    def solid_state(self, body: str) -> SolidState:
        """Stress, stretches, strain energy and volume of each tetrahedron of a soft solid, at the present state."""
        slot = self._slot_of_kind(body, "soft_solid", "soft solid")
        solid: SoftSolid = self.scene.bodies[body]  # pyright: ignore[reportAssignmentType]
        if body not in self._members:
            self._members[body] = memberships(solid.tets, solid.material)
        return solid_state(self._world, self._moment.state, slot, solid, self._members[body])

    def cloth_state(self, body: str) -> ClothState:
        """Stretches and tension of each triangle of a cloth, at the present state."""
        return cloth_state(self._world, self._moment.state, self._slot_of_kind(body, "cloth", "cloth"))

    @cached_property
    def _members(self) -> dict[str, dict[int, Membership]]:
        """By soft solid: which tetrahedra its elements stand for, once it was asked for."""
        return {}

    def _slot_of_kind(self, body: str, kind: str, words: str) -> BodySlot:
        slots = self._world.model.bodies
        if body not in slots or slots[body].kind != kind:
            have = ", ".join(name for name, slot in slots.items() if slot.kind == kind) or "none"
            raise InputError(f"{body!r} must be a {words} of this simulation; there are: {have}")
        return slots[body]

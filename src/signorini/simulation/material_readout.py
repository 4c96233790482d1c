"""Read-out of the material: stress of soft solids, strain and tension of cloth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signorini.errors import InputError
from signorini.methods.moment import Moment, World
from signorini.scene.scene import Scene
from signorini.simulation.cloth_state import ClothState, cloth_state
from signorini.simulation.solid_state import SolidState, solid_state

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
        tets = self.scene.bodies[body].tets  # pyright: ignore[reportAttributeAccessIssue]
        return solid_state(self._world, self._moment.state, slot, tets)

    def cloth_state(self, body: str) -> ClothState:
        """Stretches and tension of each triangle of a cloth, at the present state."""
        return cloth_state(self._world, self._moment.state, self._slot_of_kind(body, "cloth", "cloth"))

    def _slot_of_kind(self, body: str, kind: str, words: str) -> BodySlot:
        slots = self._world.model.bodies
        if body not in slots or slots[body].kind != kind:
            have = ", ".join(name for name, slot in slots.items() if slot.kind == kind) or "none"
            raise InputError(f"{body!r} must be a {words} of this simulation; there are: {have}")
        return slots[body]

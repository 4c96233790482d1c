"""The protocol of a method, which advances a scene by one step, and the registry of all methods by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

from numpy.typing import NDArray

from signorini.methods.moment import Moment, SolvedContacts, World
from signorini.methods.report import StepReport

METHODS = {
    "cmr": "signorini.methods.substeps:ConstraintManifoldRefinement",
    "volume": "signorini.methods.collision_loop.collision_loop:VolumeCollisionLoop",
    "impulses": "signorini.methods.collision_loop.collision_loop:ImpulseCollisionLoop",
    "hong": "signorini.methods.hong.hong:Hong",
}
"""Module and class of each method that `Settings.method` names. Strings, so that only the method in use is loaded."""


@dataclass(frozen=True, slots=True)
class CoveredStep:
    """The outcome of a whole step."""

    moment: Moment
    """Its end."""
    solved: SolvedContacts | None
    """The last contact problem of the step; None where there was none."""
    report: StepReport


class Method(ABC):
    """How a scene is advanced by one step. A simulation makes one object of the class, calls `check` and `prepare`, then `cover`.

    An object may keep what is computed once for all steps; what changes from step to step belongs in `Moment.memory`, so that a
    step that fails leaves no trace and a checkpoint has it.
    """

    name: ClassVar[str]
    """As in `Settings.method`."""
    certifies: ClassVar[bool] = True
    """Whether states are always free of intersection. If not, a state in the middle of a run may touch or penetrate."""
    takes_loads: ClassVar[bool] = True
    """Whether forces by hand and gravity of single bodies act in it."""
    rebounds: ClassVar[bool] = False
    """Whether it knows restitution."""
    chooses_steps: ClassVar[bool] = False
    """Whether the method divides a step into the steps that its integrator needs, so that dt is only an interval of output."""

    def __init__(self, world: World) -> None:
        self.world = world

    def check(self, start: Moment) -> None:  # noqa: B027 - optional
        """Raise an `InputError` that names what the method cannot simulate; called when the simulation is made."""

    def prepare(self) -> None:  # noqa: B027 - optional
        """Compute what stays the same in all steps; called once, after `check`."""

    @abstractmethod
    def cover(self, start: Moment, end_time: float) -> CoveredStep:
        """Advance to exactly `end_time` [s]; raise `SimulationStoppedError` when that is impossible."""

    def memory_arrays(self, memory: object) -> dict[str, NDArray]:
        """`Moment.memory` as arrays with names of their own, for a checkpoint."""
        return {}

    def recalled(self, arrays: Mapping[str, NDArray]) -> object:
        """`Moment.memory` from the arrays of a checkpoint, which may be of another method; None: nothing to remember."""
        return None

    def sleeping(self, memory: object) -> list[int]:
        """Numbers of the bodies that sleep."""
        return []

    def woken(self, memory: object) -> object:
        """`Moment.memory` with all bodies awake."""
        return memory


def find_method(name: str) -> type[Method]:
    """The class of a method; loads its module, and with it the compiled code that it needs."""
    module, _, attribute = METHODS[name].partition(":")
    return getattr(import_module(module), attribute)

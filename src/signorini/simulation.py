"""Simulation: the time loop, access to the bodies, and the read-out of contacts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.collision.broad_phase import BoxTree
from signorini.collision.intersections import find_intersections
from signorini.contact.contact_set import ContactMemory
from signorini.contact.mlcp import Mlcp
from signorini.dynamics.assembly import elastic_energy
from signorini.errors import InputError, SimulationStoppedError
from signorini.mesh import as_points
from signorini.model import BodySlot, build_model
from signorini.report import StepReport, StepStatus
from signorini.scene import Scene
from signorini.settings import Settings, check_positive
from signorini.start_check import check_start, choose_contact_distance
from signorini.state import State
from signorini.stepping.moment import SolvedContacts, World, look_around
from signorini.stepping.substeps import cover_step


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment that `Simulation.run` hands out."""

    index: int
    time: float
    report: StepReport
    """Of the last step before this frame."""
    reports: list[StepReport]
    """Of all steps since the previous frame."""


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact at the end of the last step; forces act on body_a [N]."""

    body_a: str
    body_b: str
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    gap: float
    """Distance along the normal at the start of the step minus the contact distance [m]."""
    normal_force: float
    friction_force: NDArray[np.float64]
    sticks: bool
    """Friction is inside its cone."""


class BodyView:
    """A body of a running simulation: its positions and velocities can be read and set between steps."""

    def __init__(self, simulation: Simulation, slot: BodySlot) -> None:
        self._simulation = simulation
        self._slot = slot
        self.name, self.kind, self.triangles = slot.name, slot.kind, slot.triangles

    @property
    def positions(self) -> NDArray[np.float64]:
        """(n, 3) [m], a copy."""
        return self._simulation._moment.surface_positions[self._range()].copy()

    @positions.setter
    def positions(self, value: ArrayLike) -> None:
        state = self._simulation.state
        q = state.q.copy()
        q[self._range()] = self._checked("positions", value)
        self._simulation._set_state(replace(state, q=q))

    @property
    def velocities(self) -> NDArray[np.float64]:
        """(n, 3) [m/s], a copy; zero for a kinematic body, whose motion is its script's."""
        if self.kind != "cloth":
            return np.zeros((self._slot.count, 3))
        return self._simulation.state.v[self._range()].copy()

    @velocities.setter
    def velocities(self, value: ArrayLike) -> None:
        state = self._simulation.state
        v = state.v.copy()
        v[self._range()] = self._checked("velocities", value)
        self._simulation._set_state(replace(state, v=v))

    def _range(self) -> slice:
        return slice(self._slot.first, self._slot.first + self._slot.count)

    def _checked(self, what: str, value: ArrayLike) -> NDArray[np.float64]:
        if self.kind != "cloth":
            raise InputError(f"{what} of the kinematic body {self.name!r} come from its motion and cannot be set")
        points = as_points(f"{what} of {self.name!r}", value)
        if len(points) != self._slot.count:
            raise InputError(f"{what} of {self.name!r} must have shape ({self._slot.count}, 3), got {points.shape}")
        return points


class Simulation:
    """A scene in time. `step()` advances by dt; `run()` does so until a time and yields frames."""

    def __init__(self, scene: Scene, *, dt: float = 4e-3, settings: Settings | None = None) -> None:
        if not isinstance(scene, Scene):
            raise InputError(f"scene must be a signorini.Scene, got {type(scene).__name__}")
        if settings is not None and not isinstance(settings, Settings):
            raise InputError(f"settings must be a signorini.Settings, got {type(settings).__name__}")
        self.scene = scene
        self.dt = check_positive("dt", dt, unit="s")
        self.settings = settings or Settings()
        model, state = build_model(scene)
        x = model.surface_positions(state.q, 0.0)
        self.contact_distance = choose_contact_distance(scene, self.settings)
        self._world = World(model, BoxTree(model.surface, x), self.settings, self.contact_distance)
        self._moment = check_start(self._world, look_around(self._world, state))
        self._solved: SolvedContacts | None = None
        self.step_index = 0
        self.bodies = {name: BodyView(self, slot) for name, slot in model.bodies.items()}

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._moment.state.time

    @property
    def state(self) -> State:
        """Positions and velocities of all nodes."""
        return self._moment.state

    @property
    def min_distance(self) -> float:
        """Least distance of two primitives at the present state [m]; inf when none is within the detection distance."""
        return self._moment.near.min_distance

    def step(self) -> StepReport:
        """Advance by dt. On `SimulationStoppedError` the state stays as it was before the step."""
        # Counted, not summed: the time of step n is n dt without accumulated rounding.
        covered = cover_step(self._world, self._moment, (self.step_index + 1) * self.dt)
        if not np.isfinite(covered.moment.state.q).all():
            raise SimulationStoppedError(f"at t = {self.time:.6g} s: {StepStatus.NOT_FINITE.value}")
        self.step_index += 1
        self._moment, self._solved = covered.moment, covered.solved
        return self._completed(covered.report)

    def run(self, *, seconds: float, fps: float = 30.0) -> Iterator[Frame]:
        """Simulate until `seconds` [s] and yield the present state and then `fps` frames per simulated second.

        A frame is the state at the end of the step nearest to its time: steps are never cut short for a frame.
        """
        check_positive("seconds", seconds, unit="s")
        check_positive("fps", fps)
        last_step = round(seconds / self.dt)
        if last_step == 0:
            raise InputError(f"seconds ({seconds:g} s) must be at least one step of dt = {self.dt:g} s")
        index = round(self.time * fps)
        yield Frame(index, self.time, self._completed(StepReport(dt=self.dt, time=self.time, substeps=0)), [])
        reports: list[StepReport] = []
        while self.step_index < last_step:
            reports.append(self.step())
            if self.step_index == last_step or self.step_index >= round((index + 1) / (fps * self.dt)):
                index += 1
                yield Frame(index, self.time, reports[-1], reports)
                reports = []

    def intersections(self) -> int:
        """How many edges pass through triangles, and vertices lie below a plane, at the present state."""
        return len(find_intersections(self._world.tree, self._moment.surface_positions))

    def contacts(self) -> list[Contact]:
        """The contacts of the last step that carry force, or an empty list after a step without."""
        if self._solved is None:
            return []
        contacts, solved = self._solved.contacts, self._solved
        names, dt = self._world.model.body_names, solved.problem.dt
        x = self._moment.surface_positions
        found = []
        for c in np.flatnonzero(solved.response.impulse[:, 0] > 0.0):
            on_a = (contacts.vertices[c] >= 0) & (contacts.weights[c] > 0.0)
            lam = float(solved.response.impulse[c, 0])
            normal = contacts.normal[c].copy()
            friction = (solved.world_impulse[c] - lam * normal) / dt
            limit = float(solved.problem.friction[c]) * lam / dt
            found.append(
                Contact(
                    body_a=names[contacts.bodies[c, 0]],
                    body_b=names[contacts.bodies[c, 1]],
                    point=contacts.weights[c][on_a] @ x[contacts.vertices[c][on_a]],
                    normal=normal,
                    gap=float(solved.problem.gap[c]),
                    normal_force=lam / dt,
                    friction_force=friction,
                    sticks=bool(np.linalg.norm(friction) < (1.0 - 1e-6) * limit),
                )
            )
        return found

    def contact_force(self, body: str) -> NDArray[np.float64]:
        """Resultant force (3,) [N] that all contacts exert on a body, averaged over the last (sub-)step."""
        names = self._world.model.body_names
        if body not in names:
            raise InputError(f"there is no body {body!r}; there are {', '.join(names)}")
        if self._solved is None:
            return np.zeros(3)
        number, solved = names.index(body), self._solved
        sign = (solved.contacts.bodies[:, 0] == number).astype(float) - (solved.contacts.bodies[:, 1] == number)
        return sign @ solved.world_impulse / solved.problem.dt

    def contact_problem(self) -> Mlcp | None:
        """The last contact problem of the last step, to save and study; None when there was none."""
        return None if self._solved is None else self._solved.problem

    def checkpoint(self) -> dict[str, NDArray]:
        """Everything needed to continue bit by bit from here, as arrays."""
        memory = self._moment.memory
        arrays = {
            "q": self.state.q,
            "v": self.state.v,
            "set_angles": self.state.set_angles,
            "time": np.array(self.time),
            "step_index": np.array(self.step_index),
            "dt": np.array(self.dt),
        }
        if memory is not None:
            arrays |= {"memory_key": memory.key, "memory_impulse": memory.impulse, "memory_dv": memory.dv}
            arrays["memory_dt"] = np.array(memory.dt)
        return {name: value.copy() for name, value in arrays.items()}

    def restore(self, arrays: Mapping[str, ArrayLike]) -> None:
        """Return to a checkpoint of the same scene and dt; contacts can be read again after the next step."""
        saved = self._checked_checkpoint(arrays)
        memory = None
        if "memory_key" in saved:
            key = saved["memory_key"].astype(np.int64)
            memory = ContactMemory(key, saved["memory_impulse"], saved["memory_dv"], float(saved["memory_dt"]))
        state = State(saved["q"], saved["v"], float(saved["time"]), saved["set_angles"])
        self._moment = check_start(self._world, look_around(self._world, state, memory))
        self._solved = None
        self.step_index = int(saved["step_index"])

    def _checked_checkpoint(self, arrays: Mapping[str, ArrayLike]) -> dict[str, NDArray]:
        """Contiguous copies of the arrays of a checkpoint, or an `InputError` that names what does not fit."""
        own = self.checkpoint()
        if not isinstance(arrays, Mapping):
            raise InputError(f"a checkpoint must be what Simulation.checkpoint() returned, got {type(arrays).__name__}")
        saved = {name: np.array(value, order="C") for name, value in arrays.items()}
        for name in ("q", "v", "set_angles", "time", "step_index", "dt"):
            if name not in saved:
                raise InputError(f"the checkpoint has no {name!r}: it must be what Simulation.checkpoint() returned")
            if saved[name].shape != own[name].shape or not np.isfinite(saved[name]).all():
                raise InputError(
                    f"{name!r} of the checkpoint must be finite and have shape {own[name].shape}, as in this scene; it has "
                    f"shape {saved[name].shape}"
                )
        if float(saved["dt"]) != self.dt:
            raise InputError(
                f"the checkpoint was made with dt = {float(saved['dt']):g} s, this simulation has {self.dt:g} s"
            )
        return saved

    def _set_state(self, state: State) -> None:
        self._moment = check_start(self._world, look_around(self._world, state, self._moment.memory))

    def _completed(self, report: StepReport) -> StepReport:
        model, state = self._world.model, self.state
        report.index = self.step_index
        report.min_distance = self.min_distance
        report.kinetic_energy = 0.5 * float(model.mass @ (state.v**2).sum(axis=1))
        report.potential_energy = -float(model.mass @ (state.q @ model.gravity))
        report.elastic_energy = elastic_energy(model, state)
        report.max_speed = float(np.sqrt((state.v**2).sum(axis=1).max()))
        return report

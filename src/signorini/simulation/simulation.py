"""Simulation: the time loop, access to the bodies, and the read-out of contacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.attributes import KnownAttributes
from signorini.collision.intersections import find_intersections
from signorini.compilation.warmup import compile_ahead
from signorini.dynamics.energy import max_speed
from signorini.errors import InputError, SimulationStoppedError
from signorini.methods.method import find_method
from signorini.methods.moment import Moment, SolvedContacts, moment_at
from signorini.methods.report import StepReport, StepStatus
from signorini.methods.stop_messages import energy_message
from signorini.model.build import build_model
from signorini.model.model import BodySlot
from signorini.model.state import State
from signorini.parallel.team import use_threads
from signorini.parallel.thread_count import thread_count
from signorini.scene.scene import Scene
from signorini.settings import Settings, check_settings
from signorini.simulation.auto_step import check_frames, chosen_step
from signorini.simulation.body_view import BodyView, BodyViews
from signorini.simulation.checkpoint_check import checked_checkpoint, history_arrays, recalled_history
from signorini.simulation.commanded_view import DrivenRigidView, KinematicView
from signorini.simulation.contact_distance import explain_contact_distance, start_world
from signorini.simulation.contact_tolerance import choose_contact_tolerance, with_tolerance
from signorini.simulation.force_readout import ForceReadout
from signorini.simulation.frame_clock import FrameClock
from signorini.simulation.joint_view import joint_views
from signorini.simulation.material.material_readout import MaterialReadout
from signorini.simulation.nesting import Nesting
from signorini.simulation.past import Past
from signorini.simulation.shown import Shown
from signorini.simulation.start_check import check_method, check_start


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment that `Simulation.run` hands out."""

    index: int
    time: float
    report: StepReport
    """Of the last step before this frame."""
    reports: list[StepReport]
    """Of all steps since the previous frame."""
    nested: int = 0
    """Bodies that have got into each other since the start, by `Simulation.nested`; 0 unless one has passed through another."""

    def __repr__(self) -> str:
        steps = len(self.reports)
        return f"Frame {self.index} at {self.time:.6g} s: {steps} steps before it, {self.report.contact_count} contacts"


class Simulation(ForceReadout, MaterialReadout, Shown, KnownAttributes):
    """A scene in time. `step()` advances by dt; `run()` does so until a time and yields frames."""

    _replaceable = frozenset({"watchers"})

    def __init__(
        self, scene: Scene, *, dt: float | str = 4e-3, settings: Settings | None = None, threads: int | None = None
    ) -> None:
        """dt: length of a step [s], or "auto" to choose it by the error of the motion (docs/adaptive-step.md).

        threads: how many to use, by default one for each core (`SIGNORINI_THREADS`); results do not depend on it.
        """
        if not isinstance(scene, Scene):
            raise InputError(f"scene must be a signorini.Scene, got {type(scene).__name__}")
        check_settings(settings)
        self.threads = thread_count(threads)
        self.scene = scene
        self.dt, self.settings = chosen_step(dt, settings or Settings())
        compile_ahead()
        model, state = build_model(scene)
        world, start = start_world(model, state, self.settings)
        self.contact_tolerance = choose_contact_tolerance(
            model,
            self.settings,
            dt=self.dt,
            contact_distance=world.contact_distance,
            tightest=float(world.body_distances.min()),
        )
        reasons = explain_contact_distance(model, self.settings, world.contact_distance)
        self.contact_distance_reason, self.contact_distance_note = reasons
        self._world = replace(world, settings=with_tolerance(self.settings, self.contact_tolerance))
        self._nesting = Nesting(model, start.surface_positions)
        self._moment = check_start(self._world, start, self._nesting)
        self._method = find_method(self.settings.method)(self._world)
        check_method(self._method)
        self._method.check(self._moment)
        self._method.prepare()
        self._solved: SolvedContacts | None = None
        self._past = Past(self._moment.surface_positions)
        self._step_index = 0
        self.watchers: list[Callable[[StepReport], None]] = []  # called after every step
        self.bodies = BodyViews((name, _view_of(slot)(self, slot)) for name, slot in model.bodies.items())
        self.joints = joint_views(self)
        self._complete = True

    def _described(self) -> str:
        return "the simulation"

    @property
    def step_index(self) -> int:
        """Steps that have been taken."""
        return self._step_index

    @property
    def contact_distance(self) -> float:
        """δ: the separation that contacts keep [m], less where bodies that cannot deform start nearer to each other."""
        return self._world.contact_distance

    @property
    def ignored_contacts(self) -> list[tuple[str, str]]:
        """Pairs of bodies that ignore each other by `Scene.set_contact`; a body twice if it does not touch itself."""
        names = self._world.model.body_names
        return [(names[a], names[b]) for a, b in self._world.model.contact_rules.ignored_pairs()]

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

    @property
    def sleeping(self) -> list[str]:
        """Names of the bodies that sleep (`Settings.sleep`)."""
        return [self._world.model.body_names[number] for number in self._method.sleeping(self._moment.memory)]

    def wake(self) -> None:
        """Wake all bodies; they fall asleep again when they have been at rest for a while."""
        self._moment = self._checked_moment(self.state, self._method.woken(self._moment.memory))

    def step(self) -> StepReport:
        """Advance by dt. On `SimulationStoppedError` the state stays as it was before the step."""
        # Counted, not summed: the time of step n is n dt without accumulated rounding.
        end_time = (self.step_index + 1) * self.dt
        model, x = self._world.model, self._moment.surface_positions
        model.prescribed.forget()
        model.prescribed.check_jumps(x[model.kinematic_first :], self.state.q, x, end_time)
        with use_threads(self.threads):
            covered = self._method.cover(self._moment, end_time)
        after = covered.moment.state
        if len(after.applied):  # forces by hand last for one step
            after = replace(after, applied=after.applied[:0])
        if not all(np.isfinite(array).all() for array in (after.q, after.v, after.rotations)):
            raise SimulationStoppedError(f"at t = {self.time:.6g} s: {StepStatus.NOT_FINITE.value}")
        if np.isnan(covered.moment.energies(model).total):
            raise SimulationStoppedError(energy_message(model, after))
        self._step_index += 1
        self._moment, self._solved = self._moment_with(covered.moment, after), covered.solved
        self._past.add(self.time, self._moment.surface_positions)
        report = self._completed(covered.report)
        for watcher in self.watchers:
            watcher(report)
        return report

    def run(self, *, seconds: float, fps: float = 30.0) -> Iterator[Frame]:
        """Simulate until `seconds` [s] and yield the present state and then `fps` frames per simulated second.

        A frame is the state at the end of the step nearest to its time: steps are never cut short for a frame.
        """
        clock = FrameClock(self.dt, fps, seconds)
        check_frames(self.dt, self.settings, fps)
        index = round(self.time * fps)
        yield Frame(index, self.time, self._completed(StepReport(dt=self.dt, time=self.time, substeps=0)), [])
        reports: list[StepReport] = []
        while self.step_index < clock.last_step:
            reports.append(self.step())
            if clock.is_frame(self.step_index, index + 1):
                index += 1
                yield Frame(index, self.time, reports[-1], reports, len(self.nested()))
                reports = []

    def intersections(self) -> int:
        """How many edges pass through triangles, and vertices lie below a plane, at the present state."""
        return len(find_intersections(self._world.tree, self._moment.surface_positions))

    def nested(self) -> list[tuple[str, str]]:
        """Pairs (inner, outer) of bodies that are inside each other now and were not at the start, or have left a hollow one.

        Surfaces that do not cross cannot change this, so it is empty unless something has passed through a surface.
        """
        return [(pair.inner, pair.outer) for pair in self._nesting.wrong(self._moment.surface_positions)]

    def checkpoint(self, *, memory: bool = True) -> dict[str, NDArray]:
        """Arrays from which the simulation continues bit by bit.

        Without `memory`, only the state, which a simulation of the scene by another method can start from too.
        """
        arrays = {
            "q": self.state.q,
            "v": self.state.v,
            "rotations": self.state.rotations,
            "time": np.array(self.time),
            "interval": np.array(self.state.interval),
            "step_index": np.array(self.step_index),
            "dt": np.array(self.dt),
            "applied": self.state.applied if len(self.state.applied) else np.zeros_like(self.state.q),
        }
        arrays |= {f"elements_{k}": own for k, own in enumerate(self._world.model.element_states(self.state))}
        if memory:
            arrays |= self._method.memory_arrays(self._moment.memory) | history_arrays(self.state)
            arrays |= self._world.model.prescribed.command_arrays()
            if self._world.model.joints is not None:
                arrays |= self._world.model.joints.drives.arrays()
        return {name: value.copy() for name, value in arrays.items()}

    def restore(self, arrays: Mapping[str, ArrayLike]) -> None:
        """Return to a checkpoint of the same scene and dt; contacts can be read again after the next step."""
        saved = checked_checkpoint(arrays, self.checkpoint(memory=False))
        internal = tuple(saved[f"elements_{k}"] for k in range(len(self._world.model.elements)))
        applied = saved["applied"] if saved["applied"].any() else np.zeros((0, 3))
        state = State(
            saved["q"],
            saved["v"],
            float(saved["time"]),
            internal,
            saved["rotations"],
            float(saved["interval"]),
            applied,
            recalled_history(saved),
        )
        self._world.model.prescribed.recall_commands(saved)
        if self._world.model.joints is not None:
            self._world.model.joints.drives.recall(saved)
        self._moment = self._checked_moment(state, self._method.recalled(saved))
        self._solved = None
        self._step_index = int(saved["step_index"])

    def _set_state(self, state: State) -> None:
        q, v = state.q.copy(), state.v.copy()
        self._world.model.attachments.place(q, state.rotations)
        self._world.model.attachments.carry(v, state.rotations)
        self._moment = self._checked_moment(replace(state, q=q, v=v, history=None), self._moment.memory)

    def _set_velocities(self, v: NDArray[np.float64]) -> None:
        """Give all nodes velocities (n, 3); what is near and does not intersect stays so."""
        state = self.state
        self._world.model.attachments.carry(v, state.rotations)
        self._moment = self._moment_with(self._moment, replace(state, v=v, history=None))

    def _set_applied(self, applied: NDArray[np.float64]) -> None:
        """Give forces (n, 3) by hand for the next step."""
        if not self._method.takes_loads:
            raise InputError(
                f"forces by hand do not act in the method {self._method.name!r}, which integrates by itself: use 'cmr'"
            )
        self._moment = self._moment_with(self._moment, replace(self.state, applied=applied))

    def _moment_with(self, moment: Moment, state: State) -> Moment:
        """A moment with another state at the same positions; the pairs that sleepers are near to are searched again."""
        if state is moment.state:
            return moment
        sleeping = self._method.sleeping(moment.memory)
        return moment_at(self._world, state, moment.memory) if sleeping else replace(moment, state=state)

    def _checked_moment(self, state: State, memory: object) -> Moment:
        """The moment of a state that comes from outside, or an `InputError`."""
        self._world.model.prescribed.forget()
        moment = check_start(self._world, moment_at(self._world, state, memory), self._nesting)
        self._method.check(moment)
        return moment

    def _completed(self, report: StepReport) -> StepReport:
        """The report with the number of the step and the energies of the present state."""
        model = self._world.model
        energies = self._moment.energies(model)
        return replace(
            report,
            index=self.step_index,
            min_distance=self.min_distance,
            kinetic_energy=energies.kinetic,
            potential_energy=energies.potential,
            elastic_energy=energies.elastic,
            max_speed=max_speed(model, self.state),
        )


def _view_of(slot: BodySlot) -> type[BodyView]:
    """The class of the view of a body."""
    return DrivenRigidView if slot.rigid >= 0 else KinematicView if slot.scripted else BodyView

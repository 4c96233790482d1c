"""Environment of a simulation: what all tasks have in common, from the random scene to the picture."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError, SimulationStoppedError
from signorini.linalg.blas_threads import one_blas_thread
from signorini.render.present_picture import Photographer
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation

Floats = NDArray[np.float64]
Observation = dict[str, NDArray[np.float32]]
CONTROL_SECONDS = 0.04
"""Simulated time of one step of an environment [s]: a controller of 25 Hz."""
DT = 5e-3
"""Time step of the simulation [s]."""
LARGEST = {"m": 10.0, "m/s": 100.0, "N": 1000.0}
"""Bounds of observations by unit; what is larger is cut off."""


class ContactEnvironment(gymnasium.Env[Observation, NDArray[np.float32]]):
    """A task in a simulation of its own. A step takes an action for 40 ms; actions are numbers from -1 to 1.

    `reset(seed=...)` makes a new scene with properties drawn at random (`ranges`), which `info` names; with
    `options={"friction": 0.5}` a property has that value. The same seed and actions give the same bytes. An episode whose
    simulation cannot go on is truncated, with the reason in `info["stopped"]`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": round(1.0 / CONTROL_SECONDS)}  # noqa: RUF012 (Gymnasium's)
    ranges: ClassVar[Mapping[str, tuple[float, float]]]
    """Properties that are drawn at random, each uniformly between two numbers."""
    action_space: gymnasium.spaces.Box  # pyright: ignore[reportIncompatibleVariableOverride]
    observation_space: gymnasium.spaces.Dict  # pyright: ignore[reportIncompatibleVariableOverride]
    box: ClassVar[tuple[tuple[float, float, float], tuple[float, float, float]]]
    """What pictures show [m]."""

    def __init__(self, *, render_mode: str | None = None, size: tuple[int, int] = (320, 240)) -> None:
        """`size` (width, height) [pixels] is that of pictures."""
        if render_mode not in (None, "rgb_array"):
            raise InputError(f"render_mode must be None or 'rgb_array', got {render_mode!r}")
        self.render_mode = render_mode
        self.size = size
        self.properties: dict[str, float] = {}
        self._simulation: Simulation | None = None
        self._photographer: Photographer | None = None

    @property
    def simulation(self) -> Simulation:
        """The simulation of this episode: to read, record or look at it."""
        if self._simulation is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")
        return self._simulation

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """A new episode: a scene with random properties, or those of `options`."""
        super().reset(seed=seed)
        given = dict(options or {})
        unknown = sorted(set(given) - set(self.ranges))
        if unknown:
            raise InputError(f"options has no {unknown[0]!r}; there are {', '.join(self.ranges)}")
        drawn = {name: float(self.np_random.uniform(*limits)) for name, limits in self.ranges.items()}
        self.properties = drawn | {name: float(value) for name, value in given.items()}
        self._photographer = None
        # One thread: environments are many, and a scene of this size has no work for a second one.
        self._simulation = Simulation(self.scene(), dt=DT, settings=Settings(sleep=False), threads=1)
        self.begin()
        return self._seen(), self._info()

    def step(self, action: NDArray[np.float32]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One step of the environment: an action for 40 ms."""
        wanted = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        if wanted.shape != self.action_space.shape or not np.isfinite(wanted).all():
            raise InputError(f"action must be finite numbers of shape {self.action_space.shape}, got {action!r}")
        sim, stopped = self.simulation, ""
        try:
            with one_blas_thread():  # threads of BLAS would wait for the cores of other environments
                for _ in range(round(CONTROL_SECONDS / DT)):
                    self.act(wanted)
                    sim.step()
        except SimulationStoppedError as error:
            stopped = str(error)
        reward, done = self.judge()
        info = self._info() | ({"stopped": stopped} if stopped else {})
        return self._seen(), reward, done, bool(stopped), info

    def render(self) -> NDArray[np.uint8] | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The picture (height, width, 3) of the present state, if the environment was made with `render_mode="rgb_array"`."""
        if self.render_mode is None:
            return None
        if self._photographer is None:
            self._photographer = Photographer(self.simulation, size=self.size, box=np.array(self.box))
        return self._photographer.picture()

    def close(self) -> None:
        """Let the simulation go."""
        self._simulation = self._photographer = None

    def _seen(self) -> Observation:
        """The observation within the bounds of its space."""
        found: Observation = {}
        for name, value in self.observe().items():
            box: Any = self.observation_space[name]
            found[name] = np.clip(np.asarray(value, dtype=np.float32), box.low, box.high)
        return found

    def _info(self) -> dict[str, Any]:
        return {**self.properties, **self.measures(), "time": self.simulation.time}

    @abstractmethod
    def scene(self) -> Any:
        """The scene with the present properties."""

    def begin(self) -> None:
        """Prepare a new episode, once its simulation exists."""

    @abstractmethod
    def act(self, action: Floats) -> None:
        """Command what the agent moves, before each step of the simulation; `action` is between -1 and 1."""

    @abstractmethod
    def observe(self) -> Mapping[str, Any]:
        """Observation of the agent by name, rounded to single precision and cut off at the bounds of its space."""

    @abstractmethod
    def judge(self) -> tuple[float, bool]:
        """The reward of the last step, and whether the task is done."""

    @abstractmethod
    def measures(self) -> dict[str, Any]:
        """Further measurements of the state, for the `info` of a step."""


def numbers(unit: str, *shape: int) -> gymnasium.spaces.Box:
    """A space of numbers with a unit of `LARGEST`."""
    return gymnasium.spaces.Box(-LARGEST[unit], LARGEST[unit], shape, np.float32)


def actions(count: int) -> gymnasium.spaces.Box:
    """A space of `count` numbers from -1 to 1."""
    return gymnasium.spaces.Box(-1.0, 1.0, (count,), np.float32)

"""Scripts and pins are checked wherever they enter a step: for shape, for finiteness, and for leaps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import signorini as sg


class Bare:
    """A motion of the user's own, which nothing wraps."""

    def __init__(self, function: Callable[[np.ndarray, float], np.ndarray]) -> None:
        self.function = function

    def positions(self, rest: np.ndarray, time: float) -> np.ndarray:
        return self.function(rest, time)


def falling_sheet(*, obstacle: object = None, pin: object = None) -> sg.Scene:
    scene = sg.Scene()
    cloth = scene.add_cloth(sg.shapes.grid(0.4, 0.4, cells=3), position=(0.0, 0.0, 0.3), name="sheet")
    if pin is not None:
        cloth.pin([0], motion=pin)
    if obstacle is not None:
        scene.add_kinematic(sg.shapes.box(0.5, 0.5, 0.1), motion=obstacle, name="table")
    return scene


def from_time(start: float, then: Callable[[np.ndarray], np.ndarray]) -> Bare:
    return Bare(lambda rest, time: then(rest) if time >= start else rest)


WRONG: dict[str, Callable[[np.ndarray], object]] = {
    "nan": lambda rest: rest * np.nan,
    "one nan": lambda rest: np.where(np.arange(len(rest))[:, None] == 0, np.nan, rest),
    "infinite": lambda rest: rest + np.inf,
    "too few": lambda rest: rest[:-1],
    "flat": lambda rest: rest.ravel(),
    "text": lambda rest: "here",
    "complex": lambda rest: rest + 1e-3j,
    "none": lambda rest: None,
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("who", ["obstacle", "pin"])
def test_a_script_that_goes_wrong_stops_the_run_and_keeps_the_state(wrong: str, wrapped: bool, who: str) -> None:
    motion = from_time(0.01, WRONG[wrong])
    sim = sg.Simulation(falling_sheet(**{who: motion.positions if wrapped else motion}), dt=4e-3)
    sim.step()
    sim.step()
    before = sim.checkpoint()
    with pytest.raises(sg.SimulationStoppedError, match=r"t = 0\.012 s.*'(table|sheet)'"):
        sim.step()
    after = sim.checkpoint()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("who", ["obstacle", "pin"])
def test_a_script_that_is_wrong_from_the_start_is_refused(who: str) -> None:
    scene = falling_sheet(**{who: from_time(0.0, WRONG["nan"])})
    with pytest.raises(sg.InputError, match=r"t = 0 s.*'(table|sheet)'.*nan"):
        sg.Simulation(scene, dt=4e-3)


def test_a_carrier_that_is_wrong_from_the_start_is_refused() -> None:
    scene = falling_sheet(obstacle=from_time(0.0, WRONG["nan"]))
    scene.attach("sheet", [0, 1], to="table")
    with pytest.raises(sg.InputError, match="'table'"):
        sg.Simulation(scene, dt=4e-3)


@pytest.mark.parametrize("who", ["obstacle", "pin"])
@pytest.mark.parametrize("distance", [2.0, 1e6, 1e300])
def test_a_leap_beyond_the_size_of_the_scene_stops_the_run(who: str, distance: float) -> None:
    motion = from_time(0.005, lambda rest: rest + np.array([distance, 0.0, 0.0]))
    sim = sg.Simulation(falling_sheet(**{who: motion}), dt=4e-3)
    sim.step()
    with pytest.raises(sg.SimulationStoppedError, match=r"t = 0\.008 s.*'(table|sheet)'|'(table|sheet)'.*t = 0\.008 s"):
        sim.step()
    assert sim.step_index == 1


def test_a_script_is_asked_again_after_a_restore() -> None:
    speed = {"now": 0.1}
    scene = falling_sheet(obstacle=lambda rest, time: rest + np.array([0.0, 0.0, speed["now"] * time]))
    sim = sg.Simulation(scene, dt=4e-3)
    start = sim.checkpoint()
    sim.step()
    speed["now"] = -0.1
    sim.restore(start)
    sim.step()
    assert np.isclose(sim.bodies["table"].positions[:, 2].max(), 0.05 - 4e-4)


def test_a_state_set_to_nan_is_refused() -> None:
    sim = sg.Simulation(falling_sheet(), dt=4e-3)
    for name in ("positions", "velocities"):
        with pytest.raises(sg.InputError, match="finite"):
            setattr(sim.bodies["sheet"], name, np.full((16, 3), np.nan))


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("who", ["obstacle", "pin"])
def test_a_script_that_is_wrong_only_between_the_steps_stops_the_run(wrong: str, wrapped: bool, who: str) -> None:
    """Where a vertex is within a step decides what it hits: a position that is no number there must not count as straight."""

    def function(rest: np.ndarray, time: float) -> object:
        at_a_step = abs(time / 4e-3 - round(time / 4e-3)) < 1e-6
        return rest + np.array([0.0, 0.0, 0.1 * time]) if at_a_step else WRONG[wrong](rest)

    motion = Bare(function)  # pyright: ignore[reportArgumentType]
    sim = sg.Simulation(falling_sheet(**{who: motion.positions if wrapped else motion}), dt=4e-3)
    with pytest.raises(sg.SimulationStoppedError, match=r"t = 0\.00.* s.*'(table|sheet)'"):
        sim.step()
    assert sim.step_index == 0


def test_a_script_that_writes_to_its_points_moves_nothing_else() -> None:
    def function(rest: np.ndarray, time: float) -> np.ndarray:
        rest += np.array([0.0, 0.0, -0.1 * time])
        return rest

    sim = sg.Simulation(falling_sheet(obstacle=Bare(function)), dt=4e-3)
    for _ in range(3):
        sim.step()
    assert np.isclose(sim.bodies["table"].positions[:, 2].max(), 0.05 - 0.1 * 0.012)


TURNINGS: dict[str, object] = {
    "a number": 3,
    "nan": (np.full(3, np.nan), np.zeros(3), 0.1),
    "nan angle": (np.zeros(3), np.zeros(3), np.nan),
    "negative angle": (np.zeros(3), np.zeros(3), -1.0),
    "two components": (np.zeros(2), np.zeros(3), 0.1),
    "text": ("abc", np.zeros(3), 0.1),
}


@pytest.mark.parametrize("wrong", TURNINGS)
def test_a_motion_that_says_nonsense_about_its_turning_stops_the_run(wrong: str) -> None:
    motion = Bare(lambda rest, time: rest + np.array([0.0, 0.0, 0.1 * time]))
    motion.turning = lambda start, end: TURNINGS[wrong]  # pyright: ignore[reportAttributeAccessIssue]
    sim = sg.Simulation(falling_sheet(obstacle=motion), dt=4e-3)
    with pytest.raises(sg.SimulationStoppedError, match="turning of the motion of 'table'"):
        sim.step()

"""Adaptive steps: the error chooses their length, frames are on time, and a run can be resumed bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import signorini as sg
from signorini.simulation.auto_step import LONGEST_AUTO, chosen_step


def pendulum() -> sg.Scene:
    """A mass on an undamped rod of 0.5 m, 0.5 rad off the vertical: period 1.44 s."""
    scene = sg.Scene()
    ends = np.array([[0.0, 0.0, 0.0], [0.5 * np.sin(0.5), 0.0, -0.5 * np.cos(0.5)]])
    rod = scene.add_rod(ends, linear_density=0.1, stretching_stiffness=1e3, bending_rigidity=0.0, damping_time=0.0)
    rod.pin([0])
    return scene


def ball_into_sheet(speed: float = 20.0) -> sg.Scene:
    """A ball flies into a sheet that hangs from its upper edge."""
    scene, mesh = sg.Scene(friction=0.3), sg.shapes.grid(1.0, 1.0, cells=6)
    sheet = scene.add_cloth(mesh, position=(0.0, 0.0, 1.0), rotation=(0.5 * np.pi, 0.0, 0.0), name="sheet")
    sheet.pin(np.flatnonzero(mesh.vertices[:, 1] > 0.499))
    ball = sg.shapes.sphere(0.15, edge=0.15)
    scene.add_rigid(ball, mass=0.2, position=(0.0, -0.8, 0.8), velocity=(0.0, speed, 0.0), name="ball")
    scene.add_ground()
    return scene


def test_a_smaller_error_takes_shorter_steps_and_is_smaller() -> None:
    """The direction of a pendulum after 0.5 s beside a run at 0.25 ms, in as many steps as it takes to be as accurate as asked.

    Along its rod it vibrates by 0.1 mm, faster than any of these steps, and ends at another phase with each.
    """

    def end(dt: float | str, settings: sg.Settings) -> tuple[np.ndarray, int]:
        sim = sg.Simulation(pendulum(), dt=dt, settings=settings)
        steps = 0
        while sim.time < 0.5 - 1e-9:
            steps += sim.step().substeps
        place = sim.state.q[-1]
        return 0.5 * place / np.linalg.norm(place), steps

    exact, _ = end(2.5e-4, sg.Settings(integrator="bdf2"))
    found = [end("auto", sg.Settings(integrator="bdf2", step_error=error)) for error in (2e-2, 2e-3, 4e-4)]
    errors = [np.linalg.norm(q - exact) for q, _ in found]
    steps = [count for _, count in found]
    assert errors[0] > 3.0 * errors[1] > 3.0 * errors[2]
    assert steps[0] < steps[1] < steps[2] < 5000
    assert errors[1] < 2e-3 * 0.5 * 0.5  # of 0.5 m, in half a second


def test_an_impact_is_met_with_short_steps_and_energy_never_grows() -> None:
    """A ball of 20 m/s: long steps until it hits the sheet, short ones then."""
    sim = sg.Simulation(ball_into_sheet(), dt="auto", settings=sg.Settings(integrator="bdf2", step_error=2e-3))
    reports = [sim.step() for _ in range(6)]
    start = 0.5 * 0.2 * 20.0**2
    assert reports[1].shortest_substep > 1.5e-3
    assert min(r.shortest_substep for r in reports) < 6e-4
    total = np.array([r.total_energy for r in reports])
    assert total.max() < total[0] + 0.02 * start
    assert sim.intersections() == 0


def test_a_checkpoint_continues_bit_by_bit_in_the_midst_of_short_steps() -> None:
    first, second = (sg.Simulation(ball_into_sheet(), dt="auto") for _ in range(2))
    reports = [first.step() for _ in range(6)]
    assert reports[-1].substeps > 4
    saved = first.checkpoint()
    second.restore(saved)
    for _ in range(2):
        first.step()
        second.step()
    assert np.array_equal(first.state.q, second.state.q)
    assert np.array_equal(first.state.v, second.state.v)
    with pytest.raises(sg.InputError, match="memory_pace"):
        second.restore(saved | {"memory_pace": np.zeros(3)})


def test_frames_are_on_time(tmp_path: Path) -> None:
    """The longest step divides a frame, at any number of frames a second, and a run is resumed with it."""
    (tmp_path / "scene.toml").write_text(
        """
[simulation]
dt = "auto"
seconds = 0.125
fps = 24
[[rod]]
points = [[0, 0, 0], [0.3, 0, 0]]
linear_density = 0.1
stretching_stiffness = 100
bending_rigidity = 0
pins = [{ vertices = [0] }]
"""
    )
    file = sg.load_scene(tmp_path / "scene.toml")
    assert file.settings.integrator == "bdf2"
    assert file.dt == pytest.approx(1.0 / 120.0)
    sg.run(file, tmp_path / "run")
    np.testing.assert_allclose(sg.Trajectory.open(tmp_path / "run").times, np.arange(4) / 24.0, atol=1e-12)
    sg.run(file, tmp_path / "whole", seconds=0.25)
    sg.resume(tmp_path / "run", seconds=0.25)
    a, b = (sg.Trajectory.open(tmp_path / name) for name in ("run", "whole"))
    assert np.array_equal(a.positions("rod", -1), b.positions("rod", -1))


@pytest.mark.parametrize(("fps", "parts"), [(30.0, 4), (60.0, 2), (24.0, 5), (25.0, 5), (120.0, 1)])
def test_the_longest_step_divides_a_frame(fps: float, parts: int) -> None:
    dt, settings = chosen_step("auto", sg.Settings(), fps=fps)
    assert dt == pytest.approx(1.0 / (fps * parts))
    assert dt <= LONGEST_AUTO * (1.0 + 1e-9)
    assert settings.step_error is not None
    assert chosen_step(4e-3, sg.Settings(), fps=fps)[0] == 4e-3


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(sg.InputError, match="dt must be a number of seconds or 'auto', got 'soon'"):
        sg.Simulation(pendulum(), dt="soon")
    with pytest.raises(sg.InputError, match="integrator='bdf2'"):
        sg.Settings(step_error=1e-3)
    with pytest.raises(sg.InputError, match=r"fps = 25 1/s.*dt=0.008 "):
        next(sg.Simulation(pendulum(), dt="auto").run(seconds=1.0, fps=25.0))
    with pytest.raises(sg.InputError, match="step_error"):
        sg.Settings(integrator="bdf2", step_error=-1.0)

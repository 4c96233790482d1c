"""Recordings of simulations that are stepped by hand: the same directory as a run, and nothing is lost."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest

import signorini as sg


def scene() -> sg.Scene:
    scene = sg.Scene(friction=0.3)
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), position=(0, 0, 0.004), name="sheet")
    scene.add_ground(name="floor")
    return scene


def simulation() -> sg.Simulation:
    return sg.Simulation(scene(), dt=0.01)


def summary(out) -> dict:
    return json.loads((out / "summary.json").read_text())


def test_a_recording_has_the_frames_and_steps_of_a_run(tmp_path) -> None:
    sg.run(scene(), tmp_path / "run", dt=0.01, seconds=0.2, fps=30, contacts=True, fields=True)
    sim = simulation()
    with sg.record(sim, tmp_path / "mine", fps=30, contacts=True, fields=True) as recording:
        for _ in range(20):
            sim.step()
        assert "running" in repr(recording)
    assert recording.summary["status"] == "completed" and recording.summary["recorded"] is True
    assert recording.summary["requested_seconds"] == pytest.approx(0.2)
    left, right = sg.Trajectory.open(tmp_path / "run"), sg.Trajectory.open(tmp_path / "mine")
    np.testing.assert_array_equal(left.times, right.times)
    for k in range(left.frame_count):
        np.testing.assert_array_equal(left.positions("sheet", k), right.positions("sheet", k))
        np.testing.assert_array_equal(left.field("sheet", "pressure", k), right.field("sheet", "pressure", k))
    assert len(left.contacts(-1)) == len(right.contacts(-1)) > 0
    assert not sim.watchers


def test_a_recording_is_rendered_reported_exported_and_resumed(tmp_path) -> None:
    sim, out = simulation(), tmp_path / "mine"
    with sg.record(sim, out, fps=20):
        for _ in range(7):
            sim.step()
    trajectory = sg.Trajectory.open(out)
    np.testing.assert_allclose(trajectory.times, [0.0, 0.05, 0.07])
    assert trajectory.render(tmp_path / "last.png", size=(160, 90)).stat().st_size > 1000
    assert sg.write_report(out).is_file() and sg.view(out, html=tmp_path / "page.html")
    assert sg.export(out, tmp_path / "all.npz")
    assert sg.load_scene(out / "scene.toml").seconds == pytest.approx(0.07)
    with pytest.raises(sg.InputError, match=r"has reached 0\.07 s already"):
        sg.resume(out)
    assert sg.resume(out, seconds=0.12)["recorded"] is True
    np.testing.assert_allclose(sg.Trajectory.open(out).times, [0.0, 0.05, 0.07, 0.1, 0.12])
    other = tmp_path / "other"
    again = simulation()
    with sg.record(again, other, fps=20):
        for _ in range(12):
            again.step()
    np.testing.assert_array_equal(
        sg.Trajectory.open(other).positions("sheet", -1), sg.Trajectory.open(out).positions("sheet", -1)
    )


def test_an_exception_loses_nothing(tmp_path) -> None:
    sim, out = simulation(), tmp_path / "mine"
    with pytest.raises(RuntimeError), sg.record(sim, out, fps=1):
        for _ in range(3):
            sim.step()
        raise RuntimeError("my mistake")
    found = summary(out)
    assert (found["status"], found["end_reason"], found["steps"]) == ("stopped", "my mistake", 3)
    np.testing.assert_array_equal(sg.Trajectory.open(out).positions("sheet", -1), sim.bodies["sheet"].positions)
    sg.resume(out, seconds=0.05)
    assert summary(out)["steps"] == 5


@pytest.fixture
def default_handler():
    """The handler of Ctrl-C that Python sets, which is absent from programs that a shell started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_handler")
def test_ctrl_c_completes_the_step(tmp_path) -> None:
    sim, out, done = simulation(), tmp_path / "mine", 0
    with pytest.raises(KeyboardInterrupt), sg.record(sim, out, fps=50):
        for k in range(10):
            if k == 4:
                os.kill(os.getpid(), signal.SIGINT)
            sim.step()
            done += 1
    assert (done, sim.step_index) == (4, 5)
    assert (summary(out)["status"], summary(out)["steps"]) == ("interrupted", 5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    sg.resume(out, seconds=0.1)
    whole = simulation()
    with sg.record(whole, tmp_path / "whole", fps=50):
        for _ in range(10):
            whole.step()
    np.testing.assert_array_equal(
        sg.Trajectory.open(out).positions("sheet", -1), sg.Trajectory.open(tmp_path / "whole").positions("sheet", -1)
    )


def test_a_simulation_that_runs_already_is_recorded_from_there(tmp_path) -> None:
    sim = simulation()
    for _ in range(5):
        sim.step()
    with sg.record(sim, tmp_path / "mine", fps=50):
        for _ in range(4):
            sim.step()
    np.testing.assert_allclose(sg.Trajectory.open(tmp_path / "mine").times, [0.05, 0.06, 0.08, 0.09])


def test_what_cannot_be_recorded_is_refused(tmp_path) -> None:
    sim = simulation()
    start = sim.checkpoint()
    with pytest.raises(sg.InputError, match="got Scene: to run a Scene, call run"):
        sg.record(scene(), tmp_path / "mine")  # pyright: ignore[reportArgumentType]
    with (
        pytest.raises(sg.InputError, match="set back in time needs a new recording"),
        sg.record(sim, tmp_path / "mine"),
    ):
        sim.step()
        sim.restore(start)
        sim.step()
        sim.step()
    with pytest.raises(sg.InputError, match="mine"):
        sg.record(sim, tmp_path / "mine")
    recording = sg.record(sim, tmp_path / "mine", force=True)
    with recording:
        sim.step()
    with pytest.raises(sg.InputError, match="was begun already"):
        recording.__enter__()


def test_pictures_of_the_present_state(tmp_path) -> None:
    sim = simulation()
    sim.step()
    picture = sim.render(size=(120, 80))
    assert isinstance(picture, np.ndarray) and picture.shape == (80, 120, 3) and picture.dtype == np.uint8
    assert picture.std() > 5.0
    assert sim.render(tmp_path / "now.png", size=(120, 80), contacts=True) == tmp_path / "now.png"
    with pytest.raises(sg.InputError, match=r"must end in \.png"):
        sim.render(tmp_path / "now.jpg")
